import type { Action, DoneVerb, DriftPart, Finding, ScopePlan, Verb, WithholdCode } from '../core/action.ts';
import type { BatchLimits } from '../core/batches.ts';
import type { Holdings } from '../core/compile/dialect.ts';
import type { PlacedRegion } from '../core/documents/target.ts';
import type { Failure } from '../core/failure.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { Observation, Observed } from '../core/observed.ts';
import type { Withholding } from '../core/plan/plan-input.ts';
import type { Address, Kind, ListedSetting } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { Inventory } from '../ports/knowledge.ts';
import type { Lease } from '../ports/leases.ts';
import type { ApprovedAs, Ledger, Reconcile } from '../ports/ledger.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Call, KeptOperations, Session } from '../ports/provider.ts';

/** One scope, opened: the place where a reconcile observes and works. */
export interface Site {
  readonly session: Session;
  /** The owner of the credentials, as the cloud reports it. */
  readonly account: string;
  /** Of the scope's targets; absent: no region is checked. */
  readonly regions?: readonly PlacedRegion[];
  /** Settings that documents state and that cost a listing. Absent: none. */
  readonly settings?: ReadonlySet<ListedSetting>;
  /** True: an observation lists the outer filters anew. Else a listing serves the observations of ten minutes. */
  readonly freshFilters?: boolean;
  /** Images that documents state, where a policy asks for their facts: an observation reads them. Absent: no policy asks. */
  readonly images?: readonly string[];
  readonly batches: BatchLimits;
  readonly holds: Pick<Holdings, 'fixedMarks' | 'equalMarks' | 'oneByName'>;
  /** Text behind a hash, asked for at apply time only. */
  readonly secret: Call['secret'];
}

/** The ports of the engine. `random` answers in [0,1). */
export interface EnginePorts {
  readonly ledger: Ledger;
  readonly inventory: Inventory;
  readonly operations: KeptOperations;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The right to write, and its holder: from `Leases.acquire`, for every ledger entry. */
export interface Authorization {
  readonly reconcile: Reconcile;
  readonly lease: Lease;
  /** Absent: any change of permissions after the lease was taken voids the plan. */
  readonly guard?: Guard;
}

/**
 * The permissions that people give: pauses, approvals, modes, `protect` and calendars. Where they say something stricter, or a window
 * or freeze begins or ends, it is judged again.
 */
export interface Guard extends Judged {
  /** Judges exactly these actions by the permissions at this moment, or later. */
  judge(actions: readonly Action[], now: GuardMoment): Promise<Judgement>;
  /** By which approval it was planned; undefined: by none. */
  approvedAs?(action: Action): ApprovedAs | undefined;
}

/** The validity of a judgement. */
export interface Judged {
  /** The guard epoch: read before anything that actions are judged by. */
  readonly epoch: number;
  /** By the store's clock, ms since the epoch: from then on it is void, as a window or freeze begins or ends. Absent: never. */
  readonly until?: number;
}

/** `at`: the store's time; absent where no judgement ends by itself. */
export interface GuardMoment {
  readonly epoch: number;
  readonly at?: number;
}

export interface Judgement extends Pick<Judged, 'until'> {
  readonly refused: Refusals;
}

/** Those that may not be done, and why. */
export type Refusals = ReadonlyMap<Action, Withholding>;

/** Plans the work from the observation and the knowledge: knows specs, holds, limits and approvals, and writes nothing. */
export type Planner = (observation: Observation, knowledge: Knowledge) => ScopePlan | Promise<ScopePlan>;

/** The outcome of one action, as far as this reconcile knows. */
export type Outcome =
  | { readonly as: 'done'; readonly observed?: Observed }
  /** A person must act, or it failed too often. */
  | { readonly as: 'failed'; readonly failure: Failure }
  /** It did not happen: our view is stale. Look, and plan again. */
  | { readonly as: 'stale'; readonly failure: Failure }
  /** It may have happened: the intent stays open. */
  | { readonly as: 'open'; readonly failure: Failure }
  /** The reconcile ended first; nothing was sent. */
  | { readonly as: 'unsent' }
  /**
   * Nothing was sent. `limit`: the estate's count is full. `stale`: a newer generation is active. `depends`: its dependencies did
   * not go well. Else: a decision of people since it was planned forbids it.
   */
  | { readonly as: 'withheld'; readonly code: WithholdCode; readonly why: string };

export type Withheld = Extract<Outcome, { readonly as: 'withheld' }>;

export const done: Outcome = { as: 'done' };
export const unsent: Outcome = { as: 'unsent' };

/** The result of a plan. */
export interface Executed {
  readonly settled: readonly Settling[];
  readonly failed: readonly Failing[];
  /** Unsent actions: an action that they need failed, a limit refused them, or an atom was not verified. */
  readonly findings: readonly Finding[];
  /** `observe`: an answer is missing or our view is stale. `stopped`: the caller or the lease ended it. */
  readonly next: 'done' | 'observe' | 'stopped';
  readonly calls: { readonly reads: number; readonly writes: number };
}

export interface Settling {
  readonly kind: Kind;
  readonly verb: DoneVerb;
  readonly address: Address;
  /** Of its drift. */
  readonly part?: DriftPart;
}

/** `expected`: its outcome is unknown or our view was stale; the next reconcile sees what became of it. */
export interface Failing extends Omit<Settling, 'verb'> {
  readonly verb: Verb;
  readonly failure: Failure;
  readonly expected: 'next-reconcile' | 'person';
}
