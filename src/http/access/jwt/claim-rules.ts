import type { Issuer } from '../../../core/access/access-document.ts';
import type { Claims } from './claims.ts';
import type { Rule } from './rule.ts';

/** `now`: seconds since the epoch. */
export interface Saying {
  readonly claims: Claims;
  readonly issuer: Issuer;
  readonly now: number;
}

export const leewaySeconds = 60;
const longestSeconds = 24 * 3600;

/** Checks that jose lacks, or makes less strictly: it gives an expired token the leeway too. */
export const claimRules: readonly Rule<Saying>[] = [
  { name: 'azp', holds: ({ claims, issuer }) => [claims.aud].flat().length === 1 || claims.azp === issuer.audience },
  { name: 'expired', holds: ({ claims, now }) => now < claims.exp },
  { name: 'lifetime', holds: ({ claims }) => claims.exp - claims.iat <= longestSeconds },
  { name: 'future', holds: ({ claims, now }) => claims.iat <= now + leewaySeconds },
  // https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken
  { name: 'event', holds: ({ claims }) => claims.events === undefined },
  // https://www.rfc-editor.org/rfc/rfc7800: worth something only with a proof that we do not ask for
  { name: 'bound', holds: ({ claims }) => claims.cnf === undefined },
];
