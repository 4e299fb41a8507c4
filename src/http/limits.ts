/** Limits of one request, in bytes, milliseconds and pieces. The body fits the largest batch that Event Grid makes. */
export const requestLimits = {
  bodyBytes: 1024 * 1024,
  /** A handshake says a few words. */
  handshakeBytes: 64 * 1024,
  headerBytes: 16 * 1024,
  headersMs: 5_000,
  /** From its first byte to its last: whoever sends slower holds a connection for no longer than this. */
  requestMs: 10_000,
  idleMs: 5_000,
  /** Interval at which Node checks for slower requests. */
  checkMs: 2_000,
  /** Those who watch hold one each, and a fleet has a few hundred. */
  connections: 1024,
  /** Of a part of a path; an address, which takes all of its rest, is as long as its route lets it be. */
  parameterCharacters: 100,
} as const;

/** Limits of the API's requests and answers, beside the limits of each route. */
export const apiLimits = {
  bodyBytes: 64 * 1024,
  queryBytes: 8 * 1024,
  /** Before a connection on which nothing moves is closed: the longest answer is worked at for less, a stream says something sooner. */
  stillMs: 60_000,
  /** A server that stops waits no longer for streams to end. */
  partingMs: 2_000,
  /** A longer answer is not kept to be given again. */
  keptBytes: 256 * 1024,
} as const;

/** Requests of each caller; without a credential, of each address. Each process counts by itself. */
export interface CallerLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** The default, where the operator sets no other limit. */
export const defaultCallerLimit = { perSecond: 100, burst: 200 } as const satisfies CallerLimit;

/**
 * Limit of genuine deliveries for each hook. A piece is a delivery of up to `pieceBytes`; a larger one counts as several.
 * `burst`: a sender that was cut off brings what waited all at once.
 */
export const webhookRateLimit = { perSecond: 10, burst: 2_000, pieceBytes: 16 * 1024 } as const;

/** A sender that gives a time gives that of the attempt, not of the event: a signature that is older is a replay. */
export const signatureToleranceMs = 5 * 60_000;

/**
 * The collector handles deliveries together. It waits until nothing has come for `quietMs`, and at most `mostMs` after the
 * first delivery, even in a storm of events. `most`: this many deliveries wait for nothing.
 */
export const collectorTimes = { quietMs: 100, mostMs: 5_000, most: 5_000 } as const;

/** Of the streams of one process. Times are in milliseconds. */
export interface EventLimits {
  /** At once: of everybody, and of one caller. */
  readonly clients: number;
  readonly perCaller: number;
  readonly times: EventTimes;
  /** The number of events held in memory for all clients together. */
  readonly recent: number;
  /** The number of clients, returning after a long time, that read from the store at once. */
  readonly readers: number;
}

/** `poll`: time between two reads of the store, for all clients together. */
export interface EventTimes {
  readonly poll: number;
  /** A quiet stream says so often that it still is there: proxies cut what is quiet for a minute. */
  readonly heartbeat: number;
  /** Interval of checking the caller's access. While the check fails, the stream goes on for the grace time. */
  readonly recheck: number;
  readonly grace: number;
  /** A stream is ended after so long, and the client comes back. */
  readonly longest: number;
}

export const eventLimits: EventLimits = {
  clients: 1000,
  perCaller: 50,
  times: { poll: 200, heartbeat: 15_000, recheck: 10_000, grace: 20_000, longest: 3_600_000 },
  recent: 2000,
  readers: 4,
};
