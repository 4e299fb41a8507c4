/** What this process knows of a mirror and of the fetches into it. */
export interface MirrorState {
  /** Something in it could not be read: the next fetch makes it anew. */
  suspect: boolean;
  /** When it was last made anew, in milliseconds since the epoch. */
  renewedAt: number;
  /** The head that could not be fetched, and when it is tried again. */
  failed?: Failed | undefined;
  /** What others left behind has been removed. */
  swept: boolean;
  readonly now: () => number;
}

interface Failed {
  readonly head: string;
  readonly error: unknown;
  readonly times: number;
  readonly until: number;
}

export const freshState = (now: () => number = Date.now): MirrorState => ({
  suspect: false,
  renewedAt: Number.NEGATIVE_INFINITY,
  swept: false,
  now,
});

/** Making a mirror anew fetches everything: what did not help is not repeated at every look. */
const RENEW_EVERY_MS = 10 * 60_000;
const FIRST_WAIT_MS = 15_000;
const MOST_WAIT_MS = 10 * 60_000;

export const mayRenew = ({ renewedAt, now }: MirrorState): boolean => now() - renewedAt >= RENEW_EVERY_MS;

/** Throws what went wrong, while a head that could not be fetched is left alone. */
export function waitOut({ failed, now }: MirrorState, head: string): void {
  if (failed?.head === head && now() < failed.until) throw failed.error;
}

/** The wait doubles with each time that the same head fails. */
export function noteFailure(state: MirrorState, head: string, error: unknown): void {
  const times = state.failed?.head === head ? state.failed.times + 1 : 1;
  const wait = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (times - 1));
  state.failed = { head, error, times, until: state.now() + wait };
}
