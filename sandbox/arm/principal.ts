import { createHash } from 'node:crypto';
import type { WireRequest } from '../protocol.ts';
import { refused } from './errors.ts';

/** Sent with every 401: https://learn.microsoft.com/entra/identity-platform/claims-challenge */
export const CHALLENGE =
  'Bearer authorization_uri="https://login.microsoftonline.com/common", error="invalid_token", error_description="The authentication failed because of missing \'Authorization\' header."';

/** The caller's id, derived from its bearer token without showing it. The sandbox does not check the token. */
export function principalOf({ headers }: WireRequest): string {
  const token = /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1];
  if (token === undefined)
    throw refused(
      'AuthenticationFailed',
      "Authentication failed. The 'Authorization' header is missing or its scheme is not Bearer.",
    );
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}
