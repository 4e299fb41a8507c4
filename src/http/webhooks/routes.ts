import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { Clock } from '../../ports/clock-and-log.ts';
import { requestLimits } from '../limits.ts';
import { type Problem, problemSchema, sendProblem } from '../problem.ts';
import { isValidation } from './adapters/eventgrid.ts';
import type { ReceiveOutcome, WebhookReceiver } from './receiver.ts';
import type { WebhookRequest } from './verify.ts';

const path = '/v1/hooks/:estate/:hook';
type Address = { Params: { estate: string; hook: string } };

/**
 *   request                        | answer
 *   -------------------------------+----------------------------------------------------------------
 *   POST, genuine                  | 202 { accepted, repeated }; a replay has `accepted: 0`
 *   POST, a handshake              | 200, as its sender asks for it
 *   OPTIONS, a handshake           | 204, as its sender asks for it
 *   no such estate or hook, forged | 401, always the same
 *   larger than 1 MiB, no JSON     | 413, 415, before any lookup
 *   more than its hook may bring   | 429 with Retry-After
 *   the store is away              | 503 with Retry-After
 */
export function webhookRoutes(app: FastifyInstance, receiver: WebhookReceiver, clock: Clock): void {
  const { bodyBytes, handshakeBytes } = requestLimits;
  app.post<Address>(path, { bodyLimit: bodyBytes }, async (request, reply) => {
    const webhookRequest = requestOf(request, clock);
    if (isValidation(webhookRequest) && webhookRequest.body.length > handshakeBytes)
      return sendProblem(reply, tooLarge);
    return answer(reply, await receiver.receive(webhookRequest));
  });
  app.options<Address>(path, { bodyLimit: handshakeBytes }, async (request, reply) =>
    answer(reply, await receiver.handshake(requestOf(request, clock))),
  );
  app.route<Address>({
    method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
    url: path,
    handler: async (_, reply) => sendProblem(reply, onlyPost),
  });
}

function requestOf({ params, headers, url, body }: FastifyRequest<Address>, clock: Clock): WebhookRequest {
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

function answer(reply: FastifyReply, outcome: ReceiveOutcome): FastifyReply {
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
    case 'unproven':
      return sendProblem(reply, unproven);
    case 'malformed':
      return sendProblem(reply, malformed(outcome.why));
    case 'too-many':
      return sendProblem(reply, { ...tooMany, headers: { 'retry-after': String(outcome.retryAfterSeconds) } });
    case 'unavailable':
      return sendProblem(reply, unavailable);
  }
}

/** The problems that a delivery is answered with. */

/** EventBridge and Pub/Sub try again after a 401, so that a secret that is being replaced loses nothing. */
const unproven: Problem = {
  status: 401,
  title: 'Unauthorized',
  detail: 'There is no such hook, or the request is not proven as its hook asks. See docs/events.md.',
  headers: { 'www-authenticate': 'Bearer realm="hooks"' },
};

const malformed = (detail: string): Problem => ({ status: 400, title: 'Bad Request', detail });

const tooLarge: Problem = {
  status: 413,
  title: 'Content Too Large',
  detail: `A handshake has at most ${requestLimits.handshakeBytes} bytes.`,
};

const onlyPost: Problem = {
  status: 405,
  title: 'Method Not Allowed',
  detail: 'Deliveries come by POST.',
  headers: { allow: 'POST, OPTIONS' },
};

const tooMany: Problem = {
  status: 429,
  title: 'Too Many Requests',
  detail: 'This webhook sends more than its limit. Filter its events at the sender, or try again later.',
};

const unavailable: Problem = {
  status: 503,
  title: 'Service Unavailable',
  detail: 'What a delivery needs is out of reach. Come again.',
  headers: { 'retry-after': '5' },
};

const params = z.object({
  estate: z.string().meta({ description: 'The estate of the webhook', example: 'acme' }),
  hook: z.string().meta({ description: 'The name of the hook in the access file', example: 'push' }),
});

const problemResponse = (description: string, { headers: _, ...example }: Problem): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/problem+json': { schema: problemSchema, example } },
});

const noJson: Problem = { status: 415, title: 'Unsupported Media Type', detail: 'A delivery is JSON in UTF-8.' };

const problemResponses = {
  401: problemResponse(
    'The estate or webhook does not exist, or the sender is not proven: always the same answer',
    unproven,
  ),
  413: problemResponse(
    `More than ${requestLimits.bodyBytes} bytes, or ${requestLimits.handshakeBytes} of a handshake`,
    tooLarge,
  ),
  503: problemResponse('The store is out of reach: Retry-After says when to come again', unavailable),
} as const;

const accepted = z
  .object({
    accepted: z.int().meta({ description: 'Accepted deliveries' }),
    repeated: z.int().meta({ description: 'Deliveries that Setpoint accepted before, without effect' }),
  })
  .meta({ id: 'Accepted' });

const deliver: ZodOpenApiOperationObject = {
  operationId: 'deliver',
  tags: ['webhooks'],
  summary: 'Deliver a webhook or an event',
  description:
    'Sent by GitHub, GitLab, anybody who signs as Standard Webhooks, Amazon EventBridge, Google Pub/Sub or Azure Event Grid. Each request is proven as its hook in the access file says: by a signature over the raw body, a token or a secret. See docs/events.md.',
  security: [],
  requestParams: { path: params },
  requestBody: {
    required: true,
    description: `As its sender writes it, at most ${requestLimits.bodyBytes} bytes`,
    content: {
      'application/json': {
        schema: {},
        example: { ref: 'refs/heads/main', after: '4f2a0c1be0f5a4b6f8b1c2d3e4f5a6b7c8d9e0f1', repository: { id: 1 } },
      },
      'application/cloudevents+json': { schema: {} },
      'application/cloudevents-batch+json': { schema: {} },
    },
  },
  responses: {
    200: {
      description: 'The answer to a handshake',
      content: {
        'application/json': { schema: z.record(z.string(), z.string()), example: { validationResponse: '512d' } },
      },
    },
    202: {
      description: 'Accepted',
      content: { 'application/json': { schema: accepted, example: { accepted: 1, repeated: 0 } } },
    },
    400: problemResponse("The sender is proven, but the format is not the sender's", malformed('the body is no JSON')),
    415: problemResponse('No JSON', noJson),
    429: problemResponse('The webhook sends more than its limit. Retry after the time in Retry-After', tooMany),
    ...problemResponses,
  },
};

const greet: ZodOpenApiOperationObject = {
  operationId: 'greet',
  tags: ['webhooks'],
  summary: 'Ask whether deliveries may come, as CloudEvents has it',
  security: [],
  requestParams: { path: params },
  responses: { 204: { description: 'The headers permit deliveries' }, ...problemResponses },
};

/** The address of webhooks in the document of the API. */
export const webhookPaths: ZodOpenApiPathsObject = { '/v1/hooks/{estate}/{hook}': { post: deliver, options: greet } };
