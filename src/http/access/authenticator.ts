import type { Authenticate } from '../api/authenticate.ts';
import { byToken, type TokenDesk } from './by-token.ts';
import { bearerOf } from './credential.ts';

/** Who asks, by a token of ours or of an issuer that the access file names. */
export function authenticator(desk: TokenDesk): Authenticate {
  const ofOurs = byToken(desk);
  return async (authorization) => {
    const credential = bearerOf(authorization, longest);
    return credential === undefined ? undefined : ofOurs(credential);
  };
}

/** Of a credential, in characters. */
const longest = 8_192;
