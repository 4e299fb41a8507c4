/** Of the streams of one process. Times are in milliseconds. */
export interface EventLimits {
  /** At once: of everybody, and of one caller. */
  readonly clients: number;
  readonly perCaller: number;
  readonly times: EventTimes;
  /** How many happenings are held in memory for all clients together. */
  readonly recent: number;
  /** How many clients are read to from the store at once, of those who come back from long ago. */
  readonly readers: number;
}

/** `poll`: between two looks into the store, for all clients together. */
export interface EventTimes {
  readonly poll: number;
  /** A quiet stream says so often that it still is there: proxies cut what is quiet for a minute. */
  readonly beat: number;
  /** So often it is looked whether the caller still may; while that cannot be found out, it goes on for so long. */
  readonly recheck: number;
  readonly unknown: number;
  /** A stream is ended after so long, and the client comes back. */
  readonly longest: number;
}

export const eventLimits: EventLimits = {
  clients: 1000,
  perCaller: 50,
  times: { poll: 200, beat: 15_000, recheck: 10_000, unknown: 20_000, longest: 3_600_000 },
  recent: 2000,
  readers: 4,
};
