import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { apiLimits } from '../limits.ts';
import { idempotencyKey } from './idempotency-key.ts';
import type { Asking, Route, Shape } from './route.ts';
import { problemShape } from './shapes/problem.ts';

/** What /openapi.json says: OpenAPI 3.1, https://spec.openapis.org/oas/v3.1.1, out of the schemas that check what goes in and out. */
export type ApiDocument = ReturnType<typeof createDocument>;

export function documentOf(routes: readonly Route[]): ApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replace('{+', '{');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return createDocument({
    openapi: '3.1.1',
    info: { title: 'Setpoint', version: 'v1', description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ says }) => says.tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: { bearer } },
  });
}

const description = [
  'What exists in the clouds, what differs from the specs, since when, why, and who changed it.',
  'Every answer about clouds carries the age and completeness of the observation that it rests on.',
  'What you may not see answers as what is not there. Problems are RFC 9457.',
].join(' ');

const bearer = {
  type: 'http',
  scheme: 'bearer',
  description: 'A token of Setpoint, or a JWT of an issuer that the access file names.',
} as const;

function operationOf({ method, says, needs, asks }: Route): ZodOpenApiOperationObject {
  const { id: operationId, tag, summary, description } = says;
  const isRead = method === 'GET';
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: needs === undefined ? [] : [{ bearer: [] }],
    ...(needs === undefined ? {} : { 'x-setpoint-permission': needs }),
    ...parametersOf(asks, isRead),
    ...(asks.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            description: mostOf(asks),
            content: { 'application/json': { schema: asks.body } },
          },
        }),
    responses: {
      ...Object.fromEntries(Object.entries(says.answers).map(([status, shape]) => [status, answerOf(shape, isRead)])),
      ...(isRead ? { 304: { description: 'As it was at the ETag that If-None-Match names', headers } } : {}),
      ...(needs === undefined ? {} : refusals),
      default: problem('A problem; of what is missing and of what you may not see, the same 404'),
    },
  };
}

const mostOf = ({ bodyBytes = apiLimits.bodyBytes }: Asking): string => `At most ${bodyBytes / 1024} KiB`;

function parametersOf(
  { params: path, query }: Asking,
  isRead: boolean,
): Pick<ZodOpenApiOperationObject, 'requestParams'> {
  const header = isRead ? undefined : idempotencyKey.header;
  return {
    requestParams: {
      ...(path === undefined ? {} : { path }),
      ...(query === undefined ? {} : { query }),
      ...(header === undefined ? {} : { header }),
    },
  };
}

const headers = {
  'x-request-id': { description: 'As the server logs it', schema: { type: 'string' as const } },
};
const tagged = {
  ...headers,
  etag: { description: 'Of the answer without its ages', schema: { type: 'string' as const } },
};

function answerOf({ description, schema, type, also = {} }: Shape, isRead: boolean): ZodOpenApiResponseObject {
  if (schema === undefined && type === undefined) return { description, headers };
  return {
    description,
    headers: isRead && type === undefined ? tagged : headers,
    content: {
      [type ?? 'application/json']: schema === undefined ? {} : { schema },
      ...Object.fromEntries(Object.entries(also).map(([other, told]) => [other, { schema: told }])),
    },
  };
}

const problem = (description: string): ZodOpenApiResponseObject => ({
  description,
  headers,
  content: { 'application/problem+json': { schema: problemShape } },
});

const refusals = {
  401: problem('No credential, or none that is valid'),
  403: problem('What you may see, and not do'),
} as const;
