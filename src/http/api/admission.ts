import type { FastifyReply, FastifyRequest } from 'fastify';
import { boundsFor } from '../../core/access/grant.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import { credentialOf, isSameOrigin, type RequestCredential, type SessionCookie } from '../auth/session-cookie.ts';
import { apiLimits, type CallerLimit, defaultCallerLimit } from '../limits.ts';
import { crossSite, forbidden, type Problem, ProblemError, unauthorized } from '../problem.ts';
import { tokenBuckets } from '../token-bucket.ts';
import { headerReader } from './read-input.ts';
import { type Authenticate, anonymous, type Caller, type Route } from './route.ts';

/** Authenticates the caller, and checks its rate and its grant. The body of the request is read afterwards. */
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
  const spend = (bucket: string, reply: FastifyReply): void => {
    const { remaining, resetSeconds, retryAfterSeconds } = buckets.spend(bucket, 0);
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

/** A browser sends its cookie for pages of any origin. Reads are harmless: it shows their answers to no other origin. */
function isOfOtherOrigin({ byCookie }: RequestCredential, request: FastifyRequest): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return byCookie && !isRead && !isSameOrigin(headerReader(request));
}

/**
 * The burst of one caller in this process, and the whole seconds in which it refills:
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10
 */
const policyOf = ({ perSecond, burst }: CallerLimit): string => `"caller";q=${burst};w=${Math.ceil(burst / perSecond)}`;

const tooMany = (retryAfterSeconds: number, { perSecond, burst }: CallerLimit): Problem => ({
  status: 429,
  title: 'Too Many Requests',
  detail: `A caller may send ${perSecond} requests a second, and ${burst} at once. Wait for the seconds in Retry-After.`,
  headers: { 'retry-after': String(retryAfterSeconds) },
});

const tooLong: Problem = {
  status: 414,
  title: 'URI Too Long',
  detail: `A URL with its query may have at most ${apiLimits.queryBytes} characters.`,
};
