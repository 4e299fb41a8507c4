import type { Authenticate } from '../api/authenticate.ts';
import { byIssuer, type IssuerDesk } from './by-issuer.ts';
import { byToken, type TokenDesk } from './by-token.ts';
import { bearerOf } from './credential.ts';

/** `people`: by tokens of issuers, as the access file names them; absent: there is none. */
export interface AccessDesk {
  readonly machines: TokenDesk;
  readonly people?: IssuerDesk;
  /** Tests leave it out, to see it matter. */
  readonly read?: typeof bearerOf;
}

/** Who asks, by a token of ours or of an issuer that we believe. Nothing of what was sent is logged. */
export function authenticator({ machines, people, read = bearerOf }: AccessDesk): Authenticate {
  const ofOurs = byToken(machines);
  const ofIssuers = people && byIssuer(people);
  return async (authorization) => {
    const credential = read(authorization);
    if (credential === undefined) return undefined;
    return credential.startsWith('setpoint_') ? ofOurs(credential) : ofIssuers?.(credential);
  };
}
