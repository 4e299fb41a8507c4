import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Permission } from '../core/access/grant.ts';
import type { BeforeHistory } from '../ports/inventory-rows.ts';
import { Declined, type DeclineReason } from '../ports/queries.ts';

/**
 * A refusal, as RFC 9457 has it: https://www.rfc-editor.org/rfc/rfc9457. It has no `instance`: an address may hold a secret.
 * `detail` says what to do, and repeats nothing of the request.
 */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The parts of the input that are not valid. */
  readonly errors?: readonly InputError[];
  /** Fields of Setpoint's own, sent beside these: `{ permission: 'approve' }`. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `at`: `filter.limit`, '' for all of it. Never holds a value that was sent. */
export interface InputError {
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly at: string;
  readonly expected: string;
}

export function sendProblem(reply: FastifyReply, { headers = {}, more, ...problem }: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/problem+json')
    .send(JSON.stringify({ ...problem, ...more }));
}

const inputErrorSchema = z
  .object({
    in: z.enum(['path', 'query', 'header', 'body']),
    at: z.string().meta({ description: 'Such as `filter.limit`; empty: the whole input' }),
    expected: z.string(),
  })
  .meta({ id: 'InputError' });

/** The shape of every refusal: https://www.rfc-editor.org/rfc/rfc9457. Loose: a problem may have fields of its own kind. */
export const problemSchema = z
  .looseObject({
    status: z.int(),
    title: z.string(),
    detail: z.string().meta({ description: 'The next step' }),
    errors: z.array(inputErrorSchema).optional().meta({ description: 'The malformed parts of the request' }),
    permission: z.string().optional().meta({ description: 'The missing permission' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' });

/** Thrown by whoever handles a request: the problem is the answer. Its words repeat nothing of the request. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.title);
    this.name = 'Refusal';
    this.problem = problem;
  }
}

/** Of what is missing and of what somebody may not see, always the same: nobody learns which of the two it was. */
export const notFound: Problem = {
  status: 404,
  title: 'Not Found',
  detail: 'It does not exist, or your grants do not cover it.',
};

/** Always the same, whatever is wrong with a credential: who guesses learns nothing. */
export const unauthorized: Problem = {
  status: 401,
  title: 'Unauthorized',
  detail: 'Send Authorization: Bearer with a token of Setpoint, or of an issuer that it trusts, that is still valid.',
  headers: { 'www-authenticate': 'Bearer realm="setpoint"' },
};

/** A page of another site, or of another port of this machine, sent the request with the browser's cookie. */
export const crossSite: Problem = {
  status: 403,
  title: 'Forbidden',
  detail: 'A page of another origin sent this request. Send it from the console, or with Authorization: Bearer.',
};

/** To whoever may see what they ask for and not do this to it, or may do it nowhere. */
export const forbidden = (permission: Permission): Problem => ({
  status: 403,
  title: 'Forbidden',
  detail: `You need the permission ${permission} for this. Ask an administrator of Setpoint for it.`,
  more: { permission },
});

export const badInput = (errors: readonly InputError[]): Problem => ({
  status: 400,
  title: 'Bad Request',
  detail: 'The request is invalid: `errors` lists the malformed parts. See /docs.',
  errors,
});

/** The identity check is unreachable: the caller is neither let in nor refused for good. */
export const authenticationUnavailable = (): ProblemError =>
  new ProblemError({
    status: 503,
    title: 'Service Unavailable',
    detail: 'Setpoint cannot verify your credential at the moment. Retry in a few seconds.',
    headers: { 'retry-after': '10' },
  });

/** Turns a rejection into the problem that is answered; every other error stays as it is. */
export async function orDeclinedProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Declined ? new ProblemError(declinedProblem(error)) : error;
  }
}

const declineStatuses: Readonly<Record<Exclude<DeclineReason, 'unknown'>, Pick<Problem, 'status' | 'title'>>> = {
  forbidden: { status: 403, title: 'Forbidden' },
  conflict: { status: 409, title: 'Conflict' },
  unsound: { status: 422, title: 'Unprocessable Content' },
  'too-many': { status: 429, title: 'Too Many Requests' },
  away: { status: 503, title: 'Service Unavailable' },
};

export const declinedProblem = ({ because, message, more }: Declined): Problem =>
  because === 'unknown'
    ? notFound
    : {
        ...declineStatuses[because],
        ...{ detail: message, more },
        ...(because === 'too-many' || because === 'away' ? { headers: { 'retry-after': '2' } } : {}),
      };

/** Since when it is kept is no secret of an estate: it is the same for all. */
export const beforeHistoryProblem = ({ since, message }: BeforeHistory): Problem => ({
  ...badInput([{ in: 'query', at: 'asOf', expected: `a time since ${new Date(since).toISOString()}` }]),
  detail: message,
});
