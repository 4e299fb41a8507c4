import { randomBytes } from 'node:crypto';
import { parseTokenText } from '../../core/access/token-text.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import type { KeptToken, Tokens } from '../../ports/tokens.ts';
import type { Caller } from '../api/route.ts';
import { cannotTell } from './cannot-tell.ts';
import { sharedLookups } from './shared-lookups.ts';
import { type TokenRule, tokenRules } from './token-rules.ts';

/** What looks tokens up, and by when. */
export interface TokenDesk {
  readonly tokens: Pick<Tokens, 'find' | 'used'>;
  readonly clock: Clock;
  /** Tests leave one out, to see it matter. */
  readonly rules?: readonly TokenRule[];
}

/**
 * Who a token of ours lets in. The store is asked each time, so that a token that is revoked is of no use from then on, whoever
 * revoked it. A token that is not there costs what a wrong secret does.
 */
export function byToken({
  tokens,
  clock,
  rules = tokenRules,
}: TokenDesk): (text: string) => Promise<Caller | undefined> {
  const look = sharedLookups(tokens.find, clock);
  return async (text) => {
    const given = parseTokenText(text);
    if (given === undefined) return undefined;
    const kept = await look(given.id).catch(() => {
      throw cannotTell();
    });
    const now = clock.now();
    const broken = rules.filter(({ holds }) => !holds({ secret: given.secret, kept: kept ?? decoy, now }));
    if (kept === undefined || broken.length > 0) return undefined;
    if (now - (kept.usedAt ?? 0) >= coarseMs) void tokens.used(kept.id).catch(() => {}); // why: whoever has the right need not wait for a note
    return callerOf(kept);
  };
}

const decoy = { hash: randomBytes(32).toString('hex'), expiresAt: 0 };

/** Nobody needs to know more precisely when a token was used last. */
const coarseMs = 3_600_000;

const callerOf = ({ id, name, for: person, maker, grants, expiresAt }: KeptToken): Caller => ({
  id: `token:${id}`,
  person: person === undefined ? `token ${name}` : `${person} (token ${name})`,
  identities: [...new Set([...(person === undefined ? [] : [person]), ...maker.identities])],
  grants,
  expiresAt,
});
