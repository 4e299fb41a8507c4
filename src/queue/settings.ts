/** How fast the queue sees that a worker is gone, and how long a pass may wait or take to end. Milliseconds. */
export interface Pace {
  /** A job is its worker's for so long after the last renewal; it renews every third of that. */
  readonly lockMs: number;
  /** How often jobs without a lock are looked for. Takeover after a SIGKILL: at most `lockMs` + `stalledMs`. */
  readonly stalledMs: number;
  /** A periodic pass that has waited for so long goes ahead of urgent ones in its turn, see `relief`. */
  readonly patienceMs: number;
  /** `Crew.stop` waits so long for passes to end before it takes their jobs from them, and returns within 1.5 of it. */
  readonly graceMs: number;
}

export interface Tries {
  /** Failures in a row after which a pass is poison. */
  readonly attempts: number;
  /** Workers that a job may take with it before it is poison. */
  readonly kills: number;
  /** The first pause after a failure is at most this, the next at most twice as long, and so on. */
  readonly backoffMs: number;
  readonly backoffCapMs: number;
}

export interface Settings {
  readonly pace: Pace;
  readonly tries: Tries;
  /** Told what went wrong between us and the queue's server, once for each spell of it. */
  readonly onTrouble: (message: string) => void;
}

/** With a lease of 10 s: a job is somebody else's at most 10 s after its worker died, and 5 s are left for a look. */
export const usualPace: Pace = { lockMs: 8_000, stalledMs: 2_000, patienceMs: 60_000, graceMs: 18_000 };

export const usualTries: Tries = { attempts: 5, kills: 10, backoffMs: 1_000, backoffCapMs: 30_000 };
