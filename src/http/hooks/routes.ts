import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../ports/clock-and-log.ts';
import { requestLimits } from '../limits.ts';
import { sendProblem } from '../problem.ts';
import { isValidation } from '../senders/eventgrid.ts';
import type { Desk, Outcome } from './desk.ts';
import { away, malformed, onlyPost, tooLarge, tooMany, unknown } from './problems.ts';
import type { Knock } from './prove.ts';

const path = '/v1/hooks/:estate/:hook';
type Address = { Params: { estate: string; hook: string } };

/**
 *   request                        | answer
 *   -------------------------------+----------------------------------------------------------------
 *   POST, genuine                  | 202 { accepted, repeated }; a replay has `accepted: 0`
 *   POST, a handshake              | 200, as its sender asks for it
 *   OPTIONS, a handshake           | 204, as its sender asks for it
 *   no such estate or hook, forged | 401, always the same
 *   larger than 1 MiB, no JSON     | 413, 415, before anything is looked for
 *   more than its hook may bring   | 429 with Retry-After
 *   the store is away              | 503 with Retry-After
 */
export function hookRoutes(app: FastifyInstance, desk: Desk, clock: Clock): void {
  const { bodyBytes, handshakeBytes } = requestLimits;
  app.post<Address>(path, { bodyLimit: bodyBytes }, async (request, reply) => {
    const knock = knockOf(request, clock);
    if (isValidation(knock) && knock.body.length > handshakeBytes) return sendProblem(reply, tooLarge);
    return answer(reply, await desk.receive(knock));
  });
  app.options<Address>(path, { bodyLimit: handshakeBytes }, async (request, reply) =>
    answer(reply, await desk.greet(knockOf(request, clock))),
  );
  app.route<Address>({
    method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
    url: path,
    handler: async (_, reply) => sendProblem(reply, onlyPost),
  });
}

function knockOf({ params, headers, url, body }: FastifyRequest<Address>, clock: Clock): Knock {
  const question = url.indexOf('?');
  return {
    estate: params.estate,
    hook: params.hook,
    headers,
    query: new URLSearchParams(question < 0 ? '' : url.slice(question)),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    at: clock.now(),
  };
}

function answer(reply: FastifyReply, outcome: Outcome): FastifyReply {
  reply.header('cache-control', 'no-store');
  switch (outcome.as) {
    case 'taken':
      return reply.code(202).send({ accepted: outcome.accepted, repeated: outcome.repeated });
    case 'answered':
      if (outcome.answer === undefined)
        return reply
          .code(204)
          .headers(outcome.headers ?? {})
          .send();
      return reply.code(200).send(outcome.answer);
    case 'unknown':
      return sendProblem(reply, unknown);
    case 'malformed':
      return sendProblem(reply, malformed(outcome.why));
    case 'too-many':
      return sendProblem(reply, { ...tooMany, headers: { 'retry-after': String(outcome.afterSeconds) } });
    case 'away':
      return sendProblem(reply, away);
  }
}
