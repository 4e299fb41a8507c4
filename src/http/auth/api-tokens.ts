import { randomBytes, timingSafeEqual } from 'node:crypto';
import { parseTokenText } from '../../core/access/token-text.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import type { KeptToken, Tokens } from '../../ports/tokens.ts';
import type { Caller } from '../api/route.ts';
import { authenticationUnavailable } from '../problem.ts';
import { sha256 } from '../sha256.ts';

/** The store that finds tokens, and its clock. */
export interface TokenDependencies {
  readonly tokens: Pick<Tokens, 'find' | 'used'>;
  readonly clock: Clock;
  /** Tests leave one out, to see it matter. */
  readonly rules?: readonly TokenRule[];
}

/**
 * Authenticates a caller by a Setpoint token. It asks the store each time, so that a revoked token is of no use from then on,
 * whoever revoked it. A missing token costs the same time as a wrong secret.
 */
export function authenticateApiToken({
  tokens,
  clock,
  rules = tokenRules,
}: TokenDependencies): (text: string) => Promise<Caller | undefined> {
  const find = sharedLookups(tokens.find, clock);
  return async (text) => {
    const given = parseTokenText(text);
    if (given === undefined) return undefined;
    const kept = await find(given.id).catch(() => {
      throw authenticationUnavailable();
    });
    const now = clock.now();
    const broken = rules.filter(({ holds }) => !holds({ secret: given.secret, kept: kept ?? decoy, now }));
    if (kept === undefined || broken.length > 0) return undefined;
    if (now - (kept.usedAt ?? 0) >= usedPrecisionMs) void tokens.used(kept.id).catch(() => {}); // why: whoever has the right need not wait for a note
    return callerOf(kept);
  };
}

const decoy = { hash: randomBytes(32).toString('hex'), expiresAt: 0 };

/** Nobody needs to know more precisely when a token was used last. */
const usedPrecisionMs = 3_600_000;

const callerOf = ({ id, name, for: person, maker, grants, expiresAt }: KeptToken): Caller => ({
  id: `token:${id}`,
  person: person === undefined ? `token ${name}` : `${person} (token ${name})`,
  identities: [...new Set([...(person === undefined ? [] : [person]), ...maker.identities])],
  grants,
  expiresAt,
});

/** A token as it was sent, and what is kept under its id. */
interface PresentedToken {
  readonly secret: string;
  readonly kept: Pick<KeptToken, 'hash' | 'revoked' | 'expiresAt'>;
  readonly now: number;
}

interface TokenRule {
  readonly name: string;
  holds(shown: PresentedToken): boolean;
}

/** All must hold, and all are checked, so that the time reveals nothing. */
export const tokenRules: readonly TokenRule[] = [
  { name: 'secret', holds: ({ secret, kept }) => timingSafeEqual(bytes(sha256(secret)), bytes(kept.hash)) },
  { name: 'expired', holds: ({ kept, now }) => now < kept.expiresAt },
  { name: 'revoked', holds: ({ kept }) => kept.revoked === undefined },
];

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** A look-up that takes longer has failed: those who wait behind it must not wait for a connection that is dead. */
const lookupTimeoutMs = 5_000;

/**
 * Looks things up by id. Those who ask while a look-up runs share the next one: however many ask, whatever they ask for, one
 * statement runs at a time, and each answer is of a moment after its question. Rejects where that cannot be found out in time.
 */
function sharedLookups<T extends { readonly id: string }>(
  find: (ids: readonly string[]) => Promise<readonly T[]>,
  clock: Pick<Clock, 'sleep'>,
): (id: string) => Promise<T | undefined> {
  let running: Promise<unknown> = Promise.resolve();
  let next: { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, T>> } | undefined;
  const begin = () => {
    const ids = new Set<string>();
    const found = running.then(async () => {
      next = undefined;
      return new Map((await withTimeout(find([...ids]), clock)).map((one) => [one.id, one]));
    });
    running = found.catch(() => {});
    return { ids, found };
  };
  return async (id) => {
    next ??= begin();
    next.ids.add(id);
    return (await next.found).get(id);
  };
}

async function withTimeout<T>(work: Promise<T>, clock: Pick<Clock, 'sleep'>): Promise<T> {
  const done = new AbortController();
  const late = clock.sleep(lookupTimeoutMs, done.signal).then(
    () => Promise.reject(new Error('the look-up took too long')),
    // why: a clock that is told to stop waiting rejects, and by then the work has ended
    () => work,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    late.catch(() => {});
  }
}
