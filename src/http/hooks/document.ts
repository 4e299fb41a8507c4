import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { problemShape } from '../api/shapes/problem.ts';
import { requestLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';
import { away, malformed, tooLarge, tooMany, unknown } from './problems.ts';

const params = z.object({
  estate: z.string().meta({ description: 'The estate whose sources and clouds this is about', example: 'acme' }),
  hook: z.string().meta({ description: 'The name of the hook in the access file', example: 'push' }),
});

const refusal = (description: string, { headers: _, ...example }: Problem): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/problem+json': { schema: problemShape, example } },
});

const noJson: Problem = { status: 415, title: 'Unsupported Media Type', detail: 'A delivery is JSON in UTF-8.' };

const refusals = {
  401: refusal('No such estate or hook, or not proven: always the same answer', unknown),
  413: refusal(
    `More than ${requestLimits.bodyBytes} bytes, or ${requestLimits.handshakeBytes} of a handshake`,
    tooLarge,
  ),
  503: refusal('The store is out of reach: Retry-After says when to come again', away),
} as const;

const accepted = z
  .object({
    accepted: z.int().meta({ description: 'Deliveries that were taken' }),
    repeated: z.int().meta({ description: 'Deliveries that were taken before, and do nothing' }),
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
      description: 'A handshake, answered as its sender asks for it',
      content: {
        'application/json': { schema: z.record(z.string(), z.string()), example: { validationResponse: '512d' } },
      },
    },
    202: {
      description: 'Taken',
      content: { 'application/json': { schema: accepted, example: { accepted: 1, repeated: 0 } } },
    },
    400: refusal('Proven, and not as its sender sends it', malformed('the body is no JSON')),
    415: refusal('No JSON', noJson),
    429: refusal('The hook brings more than it may: Retry-After says when to come again', tooMany),
    ...refusals,
  },
};

const greet: ZodOpenApiOperationObject = {
  operationId: 'greet',
  tags: ['webhooks'],
  summary: 'Ask whether deliveries may come, as CloudEvents has it',
  security: [],
  requestParams: { path: params },
  responses: { 204: { description: 'They may, as the headers say' }, ...refusals },
};

/** The address of webhooks in the document of the API. */
export const hookPaths: ZodOpenApiPathsObject = { '/v1/hooks/{estate}/{hook}': { post: deliver, options: greet } };
