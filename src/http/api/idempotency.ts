import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { canonical } from '../../core/ledger/canonical.ts';
import type { IdempotentResponses, NamedRequest } from '../../ports/store.ts';
import { apiLimits } from '../limits.ts';
import { badInput, type Problem, ProblemError } from '../problem.ts';
import { sha256 } from '../sha256.ts';
import { type Answer, type LongAnswer, UndeclaredAnswer } from './answers.ts';
import { anonymous, type Caller } from './route.ts';

/** An attempt that holds a key for longer than this has died: no answer takes as long. */
const abandonedMs = 2 * apiLimits.stillMs;

/**
 * Does what is asked, but only once for each Idempotency-Key of a caller:
 *
 *   the key                         | what happens
 *   --------------------------------+----------------------------------------------------
 *   none, or the request only reads | it is done
 *   of an anonymous caller          | it is done: strangers share no keys, and write no rows
 *   new                             | it is done; what was refused may be tried again
 *   the same request, done          | what was answered, with Idempotency-Replayed
 *   the same, the answer not kept   | 409: done, and not repeated
 *   the same, still being done      | 409, with Retry-After
 *   another request, other rights   | 422
 */
export async function answerOnce(
  {
    request,
    caller,
    idempotentResponses,
  }: { request: FastifyRequest; caller: Caller; idempotentResponses: IdempotentResponses },
  work: () => Promise<Answer | LongAnswer>,
): Promise<Answer | LongAnswer> {
  const key = request.headers[idempotencyKey.name];
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (key === undefined || isRead || caller.id === anonymous.id) return work();
  if (typeof key !== 'string' || !idempotencyKey.isSound(key))
    throw new ProblemError(badInput([{ in: 'header', at: idempotencyKey.name, expected: idempotencyKey.expected }]));
  const named = namedRequest(request, caller, key);
  const begun = await idempotentResponses.begin(named, abandonedMs);
  switch (begun.as) {
    case 'first':
      return firstAnswer({ idempotentResponses, name: named.name, attempt: begun.attempt }, work);
    case 'running':
      throw new ProblemError(stillRunning);
    case 'other':
      throw new ProblemError(keyReused);
    case 'done':
      if (begun.response === undefined) throw new ProblemError(answerNotKept);
      return {
        ...begun.response,
        headers: { ...begun.response.headers, 'idempotency-replayed': 'true' },
        isKept: true,
      };
  }
}

interface Attempt {
  readonly idempotentResponses: IdempotentResponses;
  readonly name: string;
  readonly attempt: string;
}

async function firstAnswer({ idempotentResponses, name, attempt }: Attempt, work: () => Promise<Answer | LongAnswer>) {
  const answer = await work().catch(async (error: unknown) => {
    // why: whoever fails has done nothing; and if this fails too, the key is free again once the attempt counts as dead
    if (!(error instanceof UndeclaredAnswer)) await idempotentResponses.drop(name, attempt).catch(() => {});
    throw error;
  });
  // why: it is done, and a secret in the answer is shown only once; without a note the key is taken until the attempt counts as
  // dead
  await idempotentResponses.end(name, attempt, keptOf(answer)).catch(() => {});
  return answer;
}

function keptOf(answer: Answer | LongAnswer) {
  if ('chunks' in answer || !answer.isKept || answer.text.length > apiLimits.keptBytes) return undefined;
  const { status, headers, text } = answer;
  return { status, headers, text };
}

/** Asked with other rights it is another request: what was answered before may tell of more than its caller sees now. */
function namedRequest({ method, url, body }: FastifyRequest, { id, grants }: Caller, key: string): NamedRequest {
  const rights = grants.map((grant) => canonical(grant)).sort();
  return { name: hash([id, key]), digest: hash([method, url, body ?? null, rights]) };
}

const hash = (parts: readonly unknown[]): string => sha256(canonical(parts));

const stillRunning: Problem = {
  status: 409,
  title: 'Conflict',
  detail: 'The request with this Idempotency-Key is still being worked at: ask again for its answer.',
  headers: { 'retry-after': '1' },
};

const keyReused: Problem = {
  status: 422,
  title: 'Unprocessable Content',
  detail:
    'You used this Idempotency-Key within the last day for another request, or for this one with other rights. Read the current state, and send a new key.',
};

const answerNotKept: Problem = {
  status: 409,
  title: 'Conflict',
  detail:
    'Setpoint already did this and keeps no answer, because it had a secret or was too long. Read the current state. To do it again, send a new Idempotency-Key.',
};

const keyPattern = /^[\w.:~+/=-]{1,64}$/;

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export const idempotencyKey = {
  name: 'idempotency-key',
  /** For the document. */
  header: z.object({
    'idempotency-key': z.string().regex(keyPattern).optional().meta({
      description:
        'A text of your choice, new for each request. Within 24 h, Setpoint does a repeated request only once, and repeats its answer',
    }),
  }),
  expected: '1 to 64 letters, digits and . _ : ~ + / = -',
  isSound: (sent: string): boolean => keyPattern.test(sent),
} as const;
