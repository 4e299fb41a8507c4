import type { OutOfSyncCount } from '../core/inventory/row.ts';
import type { ViolationCount } from '../core/policy/rules.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { Log } from './clock-and-log.ts';
import type { FightCount } from './fleet-state.ts';
import type { QueueCount, Where } from './queue.ts';

/**
 * Telemetry of a fleet, for people who watch: never needed for correctness. Nothing here throws or waits. `Event`: a progress
 * event of a running reconcile, the engine's `Progress`.
 */
export interface Telemetry<Event> {
  readonly log: Log;
  readonly rateLimits: RateLimitWatch;
  /** A reconcile begins. */
  reconcile(about: Where & { readonly reconcileId: string }): ReconcileWatch<Event>;
  /** `lost` and `released` end what `taken` began. */
  lease(scope: ScopeKey, change: 'taken' | 'released' | 'lost'): void;
}

/** One reconcile, from its beginning to its end. */
export interface ReconcileWatch<Event> {
  /** Says which reconcile in every line. */
  readonly log: Log;
  notify(event: Event): void;
  /** Once. `why`: the failure or the open work, for people. `withheld`: the number of actions that the last plan withholds. */
  ended(outcome: ReconcileOutcome, why?: string, withheld?: number): void;
}

/**
 * `done`: nothing left to do that may be done · `partly`: something failed, or waits for a person · `unfinished`: out of reconciles
 * or patience · `stopped`: a newer generation, a newer request, others' turn, or the end of the worker · `busy`: somebody else holds the
 * lease · `idle`: no specs speak of it · `quarantined` · `failed`: it threw.
 */
export type ReconcileOutcome =
  | 'done'
  | 'partly'
  | 'unfinished'
  | 'stopped'
  | 'busy'
  | 'idle'
  | 'quarantined'
  | 'failed';

/** An outcome as the API, the metrics and the log show it. The store keeps `partly`. */
export const shownOutcome = (outcome: ReconcileOutcome) => (outcome === 'partly' ? 'partial' : outcome);

export interface RateLimitWatch {
  /** A request was sent on this rate limit after waiting so long. */
  waited(rateLimitKey: string, ms: number): void;
  /** The cloud refused a request on this rate limit. */
  throttled(rateLimitKey: string): void;
}

/** Values that are read on demand, and not reported as they change. */
export interface Samples {
  queue(): Promise<readonly QueueCount[]>;
  /** Intents of all workers that have no settlement yet. */
  openIntents(): Promise<readonly { readonly cloud: string; readonly count: number }[]>;
  /** As `Estates.violations`. */
  violations(): Promise<readonly ViolationCount[]>;
  /** As `Estates.outOfSync`. */
  outOfSync(): Promise<readonly OutOfSyncCount[]>;
  /** As `Fights.counts`. */
  fights(): Promise<readonly FightCount[]>;
  /** The rate limits that this worker has used. */
  rateLimits(): Promise<readonly RateLimitLevel[]>;
}

/** `level`: the remaining budget, 1 when full, below 0 in debt. `slowedUntil`: ms since the epoch; absent: full speed. */
export interface RateLimitLevel {
  readonly key: string;
  readonly level: number;
  readonly slowedUntil?: number;
  /** The part of the cloud's budget that this fleet uses. */
  readonly size?: RateLimitSize;
  /** The requests of this process that wait for it, by estate. Absent: not known here. */
  readonly waiting?: readonly RateLimitWait[];
}

/** `units`: the size. A bucket gains `perSecond`; a window of `windowMs` returns its units when they leave it. */
export interface RateLimitSize {
  readonly units: number;
  readonly perSecond?: number;
  readonly windowMs?: number;
}

/** `units`: the amount for which all wait. `since`: ms since the epoch; nobody of them was served since then. */
export interface RateLimitWait {
  readonly estate: string;
  readonly units: number;
  readonly since: number;
}
