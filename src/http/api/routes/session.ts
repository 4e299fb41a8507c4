import { z } from 'zod';
import {
  endSession,
  isSameOrigin,
  mostTokenCharacters,
  type SessionCookie,
  setSession,
} from '../../auth/session-cookie.ts';
import { crossSite, ProblemError, unauthorized } from '../../problem.ts';
import { type Authenticate, type Route, route } from '../route.ts';
import { type IdentityDependencies, identityOf, identitySchema } from './whoami.ts';

export interface SessionDependencies extends IdentityDependencies {
  readonly authenticate: Authenticate;
  readonly cookie: SessionCookie;
}

const tokenSchema = z
  .string()
  .max(mostTokenCharacters)
  .regex(/^[\w.~+/-]+=*$/)
  .meta({ description: 'A token of Setpoint, or a JWT of an issuer that the access file names' });

/** Signs a browser in and out. The credential decides its rights, as for any other caller. */
export const sessionRoutes = ({ authenticate, cookie, estates }: SessionDependencies): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/session',
    operation: {
      id: 'signIn',
      tag: 'Access',
      summary: 'Sign in a browser',
      description:
        'The answer sets a cookie with the token, and no script can read the cookie. Browsers then send it in place of Authorization.',
      responses: { 200: { description: 'Your identity', schema: identitySchema, once: true } },
    },
    ignoresCredential: true,
    request: { body: z.strictObject({ token: tokenSchema }) },
    handle: async ({ body: { token }, context: { header } }) => {
      // why: else a page of another site could sign a person in with a token of its own
      if (header('sec-fetch-site') !== undefined && !isSameOrigin(header)) throw new ProblemError(crossSite);
      const caller = await authenticate(`Bearer ${token}`);
      if (caller === undefined) throw new ProblemError(unauthorized);
      const headers = { 'set-cookie': setSession(cookie, token, caller.expiresAt) };
      return { status: 200, body: await identityOf(caller, { estates }), headers };
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/session',
    operation: {
      id: 'signOut',
      tag: 'Access',
      summary: 'Sign out a browser',
      description: 'The answer removes the cookie. The token itself stays valid: revoke it if others may know it.',
      responses: { 204: { description: 'Signed out' } },
    },
    ignoresCredential: true,
    request: {},
    handle: async () => ({ status: 204, body: undefined, headers: { 'set-cookie': endSession(cookie) } }),
  }),
];
