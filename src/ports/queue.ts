import type { ScopeKey } from '../core/resource.ts';

/** Where a pass works. All that a job says: the truth is in the store. */
export interface Where {
  readonly estate: string;
  readonly scope: ScopeKey;
}

/** Which passes are to be made. A job is a hint: one that is lost is made again by the periodic one. */
export interface Queue {
  /**
   * A pass soon. Requests before it begins are one pass, one during it is one more pass after it. `now` (a spec change, an
   * event, a person) goes ahead of `periodic`.
   */
  request(where: Where, urgency: Urgency): Promise<void>;
  /** Periodic passes are exactly these from now on, each at a moment of its own within its interval. */
  schedule(passes: readonly Periodic[]): Promise<void>;
  /** Begins to carry out passes in this process. */
  work(shift: Shift): Promise<Crew>;
  /** How many passes wait, run and have failed, by cloud. */
  counts(): Promise<readonly QueueCount[]>;
  close(): Promise<void>;
}

export type Urgency = 'now' | 'periodic';

export interface Periodic extends Where {
  readonly everyMs: number;
}

export interface Shift {
  /** At most so many passes at once in this process, of each cloud. */
  readonly atOnce: number;
  /** `signal` aborts when the job was lost to another worker, or the shift ends. A pass that throws is tried again. */
  readonly pass: (where: Where, signal: AbortSignal) => Promise<Ended>;
  /** A pass that failed `attempts` times in a row, or took its worker with it: it is not tried again by itself. */
  readonly poisoned: (where: Where, why: string) => Promise<void>;
}

/** `again`: there is more to do; the pass is queued behind those that wait. */
export type Ended = 'done' | 'again';

export interface Crew {
  /** Passes that run now. */
  busy(): readonly Where[];
  /** Takes no more, tells those that run to end, and returns when they have; what was not done is queued again. */
  stop(): Promise<void>;
}

export interface QueueCount {
  readonly cloud: string;
  readonly state: 'waiting' | 'running' | 'delayed' | 'failed';
  readonly count: number;
}
