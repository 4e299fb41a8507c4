import type { FastifyReply, FastifyRequest } from 'fastify';
import { boundsFor } from '../../core/access/grant.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import { credentialOf, isSameOrigin, type RequestCredential, type SessionCookie } from '../auth/session-cookie.ts';
import { apiLimits, type CallerLimit, defaultCallerLimit } from '../limits.ts';
import { crossSite, forbidden, type Problem, ProblemError, unauthorized } from '../problem.ts';
import { tokenBuckets } from '../token-bucket.ts';
import { headerReader } from './read-input.ts';
import { type Authenticate, anonymous, type Caller, type Route } from './route.ts';

/** Settles who asks, and whether they may ask such a thing at all and this often, before anything else of theirs is read. */
export type Admission = (route: Route, request: FastifyRequest, reply: FastifyReply) => Promise<Caller>;

interface AdmissionDependencies {
  readonly authenticate: Authenticate;
  readonly session: SessionCookie;
  readonly clock: Clock;
  /** Absent: the usual one. */
  readonly callerLimit?: CallerLimit;
}

export function admission({
  authenticate,
  session,
  clock,
  callerLimit = defaultCallerLimit,
}: AdmissionDependencies): Admission {
  const buckets = tokenBuckets(clock, { ...callerLimit, pieceBytes: 1 });
  const policy = policyOf(callerLimit);
  const spend = (who: string, reply: FastifyReply): void => {
    const { remaining, resetSeconds, retryAfterSeconds } = buckets.spend(who, 0);
    reply.headers({ ratelimit: `"caller";r=${remaining};t=${resetSeconds}`, 'ratelimit-policy': policy });
    if (retryAfterSeconds !== undefined) throw new ProblemError(tooMany(retryAfterSeconds, callerLimit));
  };
  return async ({ permission, ignoresCredential = false }, request, reply) => {
    if (request.url.length > apiLimits.queryBytes) throw new ProblemError(tooLong);
    const from = `from ${request.ip}`;
    const credential = credentialOf(request, session);
    if (permission === undefined && (ignoresCredential || !credential.isGiven)) {
      spend(from, reply);
      return anonymous;
    }
    if (isOfOtherOrigin(credential, request)) {
      // why: a refusal costs too. Nobody has checked the credential yet, so the address pays
      spend(from, reply);
      throw new ProblemError(crossSite);
    }
    const caller = await authenticate(credential.authorization);
    spend(caller === undefined ? from : `as ${caller.id}`, reply);
    if (caller === undefined) throw new ProblemError(unauthorized);
    if (permission !== undefined && boundsFor(caller.grants, permission).length === 0)
      throw new ProblemError(forbidden(permission));
    return caller;
  };
}

/** A browser sends its cookie for pages of any author. Reading is harmless: the browser shows the answer to no other origin. */
function isOfOtherOrigin({ byCookie }: RequestCredential, request: FastifyRequest): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return byCookie && !isRead && !isSameOrigin(headerReader(request));
}

/**
 * A burst, and the whole seconds in which all of it is there again; of a caller, in this process:
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10
 */
const policyOf = ({ perSecond, burst }: CallerLimit): string => `"caller";q=${burst};w=${Math.ceil(burst / perSecond)}`;

const tooMany = (retryAfterSeconds: number, { perSecond, burst }: CallerLimit): Problem => ({
  status: 429,
  title: 'Too Many Requests',
  detail: `There may be ${perSecond} a second, and ${burst} at once: come again later.`,
  headers: { 'retry-after': String(retryAfterSeconds) },
});

const tooLong: Problem = {
  status: 414,
  title: 'URI Too Long',
  detail: `A URL and its query have at most ${apiLimits.queryBytes} characters.`,
};
