import type { Grant } from '../../core/access/grant.ts';
import { formatMoment } from '../../core/render/wording.ts';
import type { Token } from '../../ports/tokens.ts';
import { boundsText } from '../server/self.ts';
import { formatDuration } from './duration.ts';
import { table } from './table.ts';

/** Tokens as lines for people, in the order given. */
export const tokenTable = (tokens: readonly Token[], now: number, width?: number): string =>
  table(
    ['ID', 'NAME', 'STATE', 'MAY', 'FOR', 'USED', 'MADE BY'],
    tokens.map((token) => [
      token.id,
      token.name,
      stateText(token, now),
      grantsText(token.grants),
      token.for ?? '-',
      token.usedAt === undefined ? 'never' : `${formatDuration(Math.max(0, now - token.usedAt))} ago`,
      token.maker.person,
    ]),
    width,
  );

/** `planner on estates: acme` */
export const grantsText = (grants: readonly Grant[]): string =>
  grants.map(({ role, ...bounds }) => `${role} ${boundsText(bounds)}`).join(', ');

function stateText(token: Token, now: number): string {
  const end = formatMoment(token.revoked?.at ?? token.expiresAt);
  const state = tokenState(token, now);
  return state === 'live' ? `until ${end}` : `${state} ${end}`;
}

export function tokenState({ revoked, expiresAt }: Token, now: number): 'live' | 'revoked' | 'expired' {
  if (revoked !== undefined) return 'revoked';
  return expiresAt > now ? 'live' : 'expired';
}

/** As the API tells it. */
export const tokenJson = ({ maker, at, revoked, expiresAt, usedAt, ...token }: Token, now: number): object => ({
  ...token,
  state: tokenState({ ...token, maker, at, expiresAt, ...(revoked && { revoked }) }, now),
  made: { at: moment(at), by: maker.person },
  expiresAt: moment(expiresAt),
  ...(revoked === undefined ? {} : { revoked: { at: moment(revoked.at), by: revoked.person } }),
  ...(usedAt === undefined ? {} : { usedAt: moment(usedAt) }),
});

const moment = (at: number): string => new Date(at).toISOString();
