import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { hookPaths } from '../hooks/document.ts';
import { apiLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { badInput, forbidden, notFound, unauthorized } from './problems.ts';
import type { Asking, Route, Shape } from './route.ts';
import { examples } from './shapes/examples.ts';
import { problemShape } from './shapes/problem.ts';

/** What /openapi.json says: OpenAPI 3.1, https://spec.openapis.org/oas/v3.1.1, out of the schemas that check what goes in and out. */
export type ApiDocument = ReturnType<typeof createDocument>;

export function documentOf(routes: readonly Route[]): ApiDocument {
  const paths: ZodOpenApiPathsObject = { ...hookPaths };
  for (const route of routes) {
    const path = route.path.replace('{+', '{');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return createDocument({
    openapi: '3.1.1',
    info: { title: 'Setpoint', version: 'v1', description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [...new Set([...routes.map(({ says }) => says.tag), 'webhooks'])].map((name) => ({ name })),
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

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { method, says, needs, asks } = route;
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
      ...refusalsOf(route),
      ...Object.fromEntries(Object.entries(says.answers).map(([status, shape]) => [status, answerOf(shape, isRead)])),
      ...(isRead ? { 304: { description: 'As it was at the ETag that If-None-Match names', headers } } : {}),
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
  ratelimit: {
    description: 'Requests left to the caller (`r`), and seconds until all are there again (`t`)',
    schema: { type: 'string' as const },
    example: '"caller";r=199;t=1',
  },
  'ratelimit-policy': {
    description: 'The burst (`q`), and the seconds in which it is there again (`w`)',
    schema: { type: 'string' as const },
    example: '"caller";q=200;w=2',
  },
};
const tagged = {
  ...headers,
  etag: { description: 'Of the answer without its ages', schema: { type: 'string' as const } },
};

function answerOf(shape: Shape, isRead: boolean): ZodOpenApiResponseObject {
  const { description, schema, type, also = {} } = shape;
  if (schema === undefined && type === undefined) return { description, headers };
  return {
    description,
    headers: isRead && type === undefined ? tagged : headers,
    content: { [type ?? 'application/json']: schema === undefined ? {} : { schema, ...exampleFor(shape) }, ...also },
  };
}

function exampleFor({ schema, example }: Shape): { readonly example?: unknown } {
  const own = example ?? (schema && examples.get(schema)?.example);
  return own === undefined ? {} : { example: own };
}

const problem = (description: string, example?: object): ZodOpenApiResponseObject => ({
  description,
  headers,
  content: { 'application/problem+json': { schema: problemShape, ...(example === undefined ? {} : { example }) } },
});

const exampleOf = ({ headers: _, more, ...told }: Problem): object => ({ ...told, ...more });

interface Refused {
  readonly description: string;
  readonly example: Problem;
  /** True for operations with this answer; absent: all have it. */
  readonly of?: (route: Route) => boolean;
}

const isProtected = ({ needs }: Route): boolean => needs !== undefined;
const isWrite = ({ method }: Route): boolean => method !== 'GET';
const hasBody = ({ asks }: Route): boolean => asks.body !== undefined;
const hasContent = ({ says }: Route): boolean =>
  Object.values(says.answers).some(({ schema, type }) => schema !== undefined || type !== undefined);

const told = (status: number, title: string, detail: string): Problem => ({ status, title, detail });

/** By status: the problems that an operation may be answered with. */
const refusals: Readonly<Record<number, Refused>> = {
  400: {
    description: 'The request does not fit: `errors` says where',
    example: badInput([{ in: 'query', at: 'limit', expected: 'a number from 1 to 1000' }]),
    of: ({ method, asks: { params, query, body } }) =>
      method !== 'GET' || params !== undefined || query !== undefined || body !== undefined,
  },
  401: { description: 'No credential, or none that is valid', example: unauthorized, of: isProtected },
  403: { description: 'What you may see, and not do', example: forbidden('approve'), of: isProtected },
  404: { description: 'Not there, or not yours: the same answer', example: notFound, of: isProtected },
  406: {
    description: 'No type of its answers is one that Accept takes',
    example: told(406, 'Not Acceptable', 'This address answers with application/json: name it in the header Accept.'),
    of: hasContent,
  },
  409: {
    description: 'Not possible as things stand, or the same Idempotency-Key is being worked at',
    example: told(409, 'Conflict', 'The same request under this Idempotency-Key is still being answered.'),
    of: isWrite,
  },
  413: {
    description: 'A longer body than this address takes',
    example: told(413, 'Content Too Large', 'The body is larger than this address takes.'),
    of: hasBody,
  },
  415: {
    description: 'A body that is no JSON in UTF-8',
    example: told(415, 'Unsupported Media Type', 'A body is JSON: send it with content-type: application/json.'),
    of: hasBody,
  },
  422: {
    description: 'What was sent is sound and refused, or the Idempotency-Key stands for another request',
    example: told(422, 'Unprocessable Content', 'This Idempotency-Key stands for another request.'),
    of: isWrite,
  },
  429: {
    description: 'Too often, or too much at once: Retry-After says when to come again',
    example: told(429, 'Too Many Requests', 'There may be 100 a second, and 200 at once: come again later.'),
  },
  500: {
    description: 'A defect of Setpoint: its log has a line with this x-request-id',
    example: told(500, 'Internal Server Error', "This is a defect of ours; the server's log has a line."),
  },
  503: {
    description: 'The database or an issuer is out of reach, or this process is stopping: Retry-After',
    example: told(503, 'Service Unavailable', 'This server is stopping: ask again, and another one answers.'),
  },
};

const refusalsOf = (route: Route): Readonly<Record<string, ZodOpenApiResponseObject>> =>
  Object.fromEntries(
    Object.entries(refusals)
      .filter(([, { of = () => true }]) => of(route))
      .map(([status, { description, example }]) => [status, problem(description, exampleOf(example))]),
  );
