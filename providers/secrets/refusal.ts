import type { Failure, Result } from '../../src/core/failure.ts';

/** The only fields kept of a library's error: its message and body may hold the answer. */
export interface Refused {
  /** Of HTTP; absent where there was no answer. */
  readonly status?: number | undefined;
  /** The cloud's or the library's own name for it. */
  readonly code?: string | undefined;
}

/** Meaning of one store's error codes, for errors whose HTTP status is not enough. */
export type Meanings = Readonly<Record<string, keyof typeof words>>;

const words = {
  missing: ['not-found', 'secret-missing', 'there is no such secret or version in its store'],
  refused: ['terminal', 'secret-refused', 'its store denies this process access'],
  disabled: ['terminal', 'secret-refused', 'it is disabled, deleted or cannot be decrypted'],
  anonymous: ['terminal', 'secret-refused', 'this process has no usable credentials for its store'],
  away: ['retryable', 'secret-store-away', 'its store is unavailable or overloaded'],
  strange: ['terminal', 'secret-malformed', 'its store sent an invalid answer'],
} as const satisfies Readonly<Record<string, readonly [Failure['kind'], string, string]>>;

/**
 *   code in the table | what the table says, and the code is told
 *   401, 403          | refused
 *   404               | missing
 *   408, 429, 5xx     | away
 *   no answer         | away
 *   anything else     | strange
 */
export function refusal({ status, code }: Refused, meanings: Meanings): Result<never> {
  const known = code !== undefined && Object.hasOwn(meanings, code) ? meanings[code] : undefined;
  const [kind, name, message] = words[known ?? byStatus(status)];
  // why: a code that is not ours to know may be anything, the secret among it
  const detail = known === undefined ? statusText(status) : ` (${code})`;
  return { ok: false, failure: { kind, code: name, message: `${message}${detail}` } };
}

const statusText = (status: number | undefined): string => (status === undefined ? '' : ` (HTTP ${status})`);

function byStatus(status: number | undefined): keyof typeof words {
  if (status === undefined) return 'away';
  if (status === 401 || status === 403) return 'refused';
  if (status === 404) return 'missing';
  return status === 408 || status === 429 || status >= 500 ? 'away' : 'strange';
}

export const strange: Result<never> = refusal({ status: 200 }, {});

/** Errors that a library throws for an answer that it cannot parse; both may quote it. */
export const isTrip = (error: unknown): boolean => error instanceof TypeError || error instanceof SyntaxError;
