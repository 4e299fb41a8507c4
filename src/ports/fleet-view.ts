import type { Bounds } from '../core/access/grant.ts';
import type { Criticality } from '../core/criticality.ts';
import type { Cloud, ScopeKey } from '../core/resource.ts';
import type { Pause } from './fleet-state.ts';
import type { QueuedReconcile } from './queue.ts';
import type { KeptReconcile, ReconcileDraft } from './reconciles.ts';
import type { Pin, SourceState } from './sources.ts';
import type { RateLimitLevel } from './telemetry.ts';

/** The fleet at work on an estate, out of the store, the queue and the rate limits, at most 2 s old. No cloud is called. */
export interface FleetView {
  /** Sorted by scope. Callers get the scopes of which they see all of a target. Throws `Declined` where there is no answer. */
  scopes(asked: FleetAsked): Promise<readonly ScopeWork[]>;
  read(asked: FleetAsked): Promise<FleetReport>;
}

/** Within `seen`. */
export interface FleetAsked {
  readonly estate: string;
  readonly seen: readonly Bounds[];
  readonly now: number;
}

/**
 * `states`: the number of scopes in each state. `unknown`: the reason that no active specs name the scopes; then there are no states,
 * and callers that do not see all of the estate get nothing else. `whole`: for callers who see all of the estate.
 */
export interface FleetReport {
  readonly states?: Readonly<Record<ScopeState, number>>;
  readonly unknown?: string;
  readonly workers?: readonly WorkerSeen[];
  /** Absent: this process has no queue to ask, or the queue did not answer. */
  readonly queue?: FleetQueue;
  /** Of these scopes. Absent: this process carries out no reconciles. */
  readonly rateLimits?: readonly RateLimitLevel[];
  readonly whole?: {
    readonly tasks: readonly FleetTask[];
    readonly sources: readonly SourceState[];
    readonly pin?: Pin;
  };
}

/** `truncated`: the queue has more than were read. */
interface FleetQueue {
  readonly reconciles: readonly QueuedReconcile[];
  readonly truncated: boolean;
}

/** `isHere`: it holds a lease now, and so was alive within the last 10 s. `lastSeenAt`: ms since the epoch. */
export interface WorkerSeen {
  readonly worker: string;
  readonly isHere: boolean;
  readonly lastSeenAt: number;
  readonly scopes: readonly WorkedScope[];
}

/** A lease. `reconcile`: absent: it holds the scope for something else, as a person's command does. */
interface WorkedScope {
  readonly scope: ScopeKey;
  readonly since: number;
  readonly reconcile?: Pick<ReconcileDraft, 'id' | 'began'>;
}

/** A task that one process of all does. `worker`: absent: nobody does it now. */
export interface FleetTask {
  readonly task: 'scheduler' | 'signer' | 'sources';
  readonly worker?: string;
  readonly since?: number;
}

/**
 *   state   | the scope
 *   --------+----------------------------------------------------------------------------
 *   running | a worker reconciles it now
 *   waiting | a reconcile is due, and something keeps it waiting
 *   held    | nothing is due, and something withholds changes there
 *   idle    | it waits for its next observation
 */
export type ScopeState = 'running' | 'waiting' | 'held' | 'idle';
export const scopeStates = ['running', 'waiting', 'held', 'idle'] as const satisfies readonly ScopeState[];

export interface ScopeWork {
  readonly scope: ScopeKey;
  readonly cloud: Cloud;
  /** Those that the caller sees. */
  readonly targets: readonly string[];
  readonly criticality: Criticality;
  readonly everyMs: number;
  readonly state: ScopeState;
  readonly lease?: { readonly worker: string; readonly since: number };
  readonly running?: Pick<ReconcileDraft, 'id' | 'began'>;
  readonly last?: KeptReconcile;
  readonly nextAt?: number;
  /** Those that keep reconciles waiting come first. */
  readonly waits: readonly ScopeWait[];
}

/** Times are ms since the epoch. `next`: the command that shows the way on. */
export type ScopeWait =
  | { readonly type: 'quarantine'; readonly since: number; readonly until: number; readonly reason?: string }
  /** Another process holds the lease. */
  | { readonly type: 'lease'; readonly worker: string; readonly since: number }
  /** The last attempt failed; the next one comes by itself. */
  | { readonly type: 'retry'; readonly failures: number; readonly since: number }
  /** It waits for a free worker. `since`: absent: the queue does not say. `reason`: of the person, for callers who see all of the estate. */
  | { readonly type: 'worker'; readonly since?: number; readonly reason?: string }
  /** Requests to the cloud wait for it, or for another rate limit that they need too. */
  | { readonly type: 'rate-limit'; readonly key: string; readonly since: number }
  | ({ readonly type: 'pause' } & Pick<Pause, 'what' | 'of' | 'person' | 'reason' | 'at' | 'until'>)
  | { readonly type: 'rollout'; readonly document: string; readonly reason: string }
  | {
      readonly type: 'withheld';
      readonly target: string;
      readonly code: string;
      readonly failed: boolean;
      readonly count: number;
      readonly reason: string;
      readonly next: string;
    }
  /** All withheld changes of the scope, where there are too many to tell them all apart. */
  | { readonly type: 'withheld-total'; readonly count: number }
  /** The next observation, at the latest. */
  | { readonly type: 'interval'; readonly until: number };
