import type { Criticality, WithCriticality } from '../core/criticality.ts';
import type { ScopeKey } from '../core/resource.ts';

/** The place of a reconcile. A job has nothing else: the truth is in the store. */
export interface Where {
  readonly estate: string;
  readonly scope: ScopeKey;
}

/** Queued reconciles. A job is a hint: the periodic one replaces a lost one. */
export interface Queue {
  /**
   * A reconcile soon. Requests before it begins are one reconcile, `now` during it is one more reconcile after it (`periodic` is not: the
   * one that runs will do). The order is by urgency (`now`: a spec change, an event, a person) and criticality; the one that has waited
   * longest of those behind, and for a minute, goes ahead with every fourth. Rejects within 10 s where the queue is out of reach.
   */
  request(scope: RequestedScope, urgency: Urgency): Promise<void>;
  /**
   * Periodic reconciles of the whole fleet are exactly these from now on, each at a moment of its own within its interval.
   * Every worker calls this at its start and once a minute: that is how a schedule comes back that the queue's server
   * lost (a restart without persistence, FLUSHALL). Where nothing is wrong it changes nothing.
   */
  schedule(reconciles: readonly Periodic[]): Promise<void>;
  /** Begins to carry out reconciles in this process. Once for each queue. */
  work(shift: JobHandler): Promise<WorkerPool>;
  /** The numbers of waiting, running and failed reconciles, by cloud. */
  counts(): Promise<readonly QueueCount[]>;
  /**
   * The reconciles in the queue, by cloud: running, waiting in the order in which workers take them, and delayed. At most `most` of each
   * state of each cloud. Costs a call for each reconcile.
   */
  list(most: number): Promise<QueuedReconciles>;
  /** Rejects where the server takes no writes, as one that is full, or may throw away what it took. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export type Urgency = 'now' | 'periodic';

/** A scope, and its place in the queue. */
export interface RequestedScope extends Where, WithCriticality {}

export interface Periodic extends RequestedScope {
  readonly everyMs: number;
}

export interface JobHandler {
  /** At most so many reconciles at once in this process, of each cloud. */
  readonly atOnce: number;
  /**
   * `signal` aborts when the job was lost to another worker, or the shift ends. A reconcile that throws is tried again after
   * up to 30 s, unless the shift has ended: then it is queued again at once and does not count as failed.
   */
  readonly reconcile: (where: Where, signal: AbortSignal) => Promise<Ended>;
  /**
   * A reconcile that failed five times in a row, or took more than five workers with it: it is not tried again by itself. Its
   * job is there until this resolves, so it may be reported more than once.
   */
  readonly poisoned: (where: Where, why: string) => Promise<void>;
}

/** `again`: there is more to do; the reconcile is queued behind those that wait. */
export type Ended = 'done' | 'again';

export interface WorkerPool {
  /** Reconciles that run now. */
  busy(): readonly Where[];
  /**
   * Takes no more, signals running reconciles to end, and returns when they have, within 30 s; it queues unfinished ones again
   * at once, also those that ignored the signal.
   */
  stop(): Promise<void>;
}

export interface QueueCount {
  readonly cloud: string;
  readonly state: 'waiting' | 'running' | 'delayed' | 'failed';
  readonly count: number;
}

/** `truncated`: a state of a cloud has more. */
export interface QueuedReconciles {
  readonly reconciles: readonly QueuedReconcile[];
  readonly truncated: boolean;
}

/**
 * `queuedAt`: ms since the epoch. `criticality`: the highest of its requests. `urgency`: absent for one that went ahead because it waited long. `failures`: in a row, until now; a delayed
 * reconcile waits for its next attempt.
 */
export interface QueuedReconcile extends Where {
  readonly cloud: string;
  readonly state: 'running' | 'waiting' | 'delayed';
  readonly criticality: Criticality;
  readonly urgency?: Urgency;
  readonly queuedAt: number;
  readonly failures: number;
}
