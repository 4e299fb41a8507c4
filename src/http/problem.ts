import type { FastifyReply } from 'fastify';

/**
 * A refusal, as RFC 9457 has it: https://www.rfc-editor.org/rfc/rfc9457. It has no `instance`: an address may hold a secret.
 * `detail` says what to do, and repeats nothing of the request.
 */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** What of the input does not fit. */
  readonly errors?: readonly InputError[];
  /** What of ours is sent beside these: `{ permission: 'approve' }`. */
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
