import { issuer } from './world.ts';

export const goodHead = { alg: 'RS256', kid: 'main', typ: 'JWT' };

/** The claims of a valid token. `at`: ms since the epoch. */
export function claimsAt(at: number): Readonly<Record<string, unknown>> {
  const now = Math.floor(at / 1_000);
  return {
    iss: issuer.issuer,
    aud: issuer.audience,
    sub: '248289761001',
    email: 'ann@acme.example',
    email_verified: true,
    groups: ['team-net'],
    iat: now,
    exp: now + 3_600,
  };
}

export const without = (of: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(of).filter(([key]) => key !== name));
