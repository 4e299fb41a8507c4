import type { FastifyReply, FastifyRequest } from 'fastify';
import { boundsFor } from '../../core/access/grant.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import { authorizationIn } from '../access/credential.ts';
import { allowances } from '../hooks/allowance.ts';
import { apiLimits, type CallerLimit, callerLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';
import { type Authenticate, nobody } from './authenticate.ts';
import { forbidden, unauthorized } from './problems.ts';
import { Refusal } from './refusal.ts';
import type { Caller, Route } from './route.ts';

/** Settles who asks, and whether they may ask such a thing at all and this often, before anything else of theirs is read. */
export type Admission = (route: Route, request: FastifyRequest, reply: FastifyReply) => Promise<Caller>;

interface Admitting {
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  /** Absent: the usual one. */
  readonly callerLimit?: CallerLimit;
}

export function admission({ authenticate, clock, callerLimit = callerLimits }: Admitting): Admission {
  const allowance = allowances(clock, { ...callerLimit, pieceBytes: 1 });
  const policy = policyOf(callerLimit);
  const spend = (who: string, reply: FastifyReply): void => {
    const { left, fullInSeconds, afterSeconds } = allowance.spend(who, 0);
    reply.headers({ ratelimit: `"caller";r=${left};t=${fullInSeconds}`, 'ratelimit-policy': policy });
    if (afterSeconds !== undefined) throw new Refusal(tooMany(afterSeconds, callerLimit));
  };
  return async ({ needs, ignoresCredential = false }, request, reply) => {
    if (request.url.length > apiLimits.queryBytes) throw new Refusal(tooLong);
    const from = `from ${request.ip}`;
    const hasCredential = request.headers.authorization !== undefined;
    if (needs === undefined && (ignoresCredential || !hasCredential)) {
      spend(from, reply);
      return nobody;
    }
    const caller = await authenticate(authorizationIn(request.raw.rawHeaders));
    spend(caller === undefined ? from : `as ${caller.id}`, reply);
    if (caller === undefined) throw new Refusal(unauthorized);
    if (needs !== undefined && boundsFor(caller.grants, needs).length === 0) throw new Refusal(forbidden(needs));
    return caller;
  };
}

/**
 * A burst, and the whole seconds in which all of it is there again; of a caller, in this process:
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10
 */
const policyOf = ({ perSecond, burst }: CallerLimit): string => `"caller";q=${burst};w=${Math.ceil(burst / perSecond)}`;

const tooMany = (afterSeconds: number, { perSecond, burst }: CallerLimit): Problem => ({
  status: 429,
  title: 'Too Many Requests',
  detail: `There may be ${perSecond} a second, and ${burst} at once: come again later.`,
  headers: { 'retry-after': String(afterSeconds) },
});

const tooLong: Problem = {
  status: 414,
  title: 'URI Too Long',
  detail: `An address and what is asked of it have at most ${apiLimits.queryBytes} characters.`,
};
