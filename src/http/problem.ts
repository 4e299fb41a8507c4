import type { FastifyReply } from 'fastify';

/**
 * A refusal, as RFC 9457 has it: https://www.rfc-editor.org/rfc/rfc9457. It has no `instance`: an address may hold a secret.
 * `detail` says what to do, and repeats nothing of the request.
 */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function sendProblem(reply: FastifyReply, { headers = {}, ...problem }: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/problem+json')
    .send(JSON.stringify(problem));
}
