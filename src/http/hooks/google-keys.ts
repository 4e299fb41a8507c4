import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';

/** https://developers.google.com/identity/openid-connect/openid-connect#discovery (`jwks_uri`) */
const usual = 'https://www.googleapis.com/oauth2/v3/certs';

/** Fetched when a token names a key that is not known, at most every 30 s; redirects are refused. */
export function googleKeys(): (url?: string) => JWTVerifyGetKey {
  const sets = new Map<string, JWTVerifyGetKey>();
  return (url = usual) => {
    const before = sets.get(url);
    if (before) return before;
    const set = createRemoteJWKSet(new URL(url), { timeoutDuration: 4_000 });
    sets.set(url, set);
    return set;
  };
}
