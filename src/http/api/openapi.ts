import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { sessionCookie } from '../auth/session-cookie.ts';
import { apiLimits } from '../limits.ts';
import { badInput, forbidden, notFound, type Problem, problemSchema, unauthorized } from '../problem.ts';
import { webhookPaths } from '../webhooks/routes.ts';
import { idempotencyKey } from './idempotency.ts';
import type { RequestSchema, Route, RouteResponse } from './route.ts';
import { examples } from './schemas/examples.ts';

/**
 * The document at /openapi.json: OpenAPI 3.1, https://spec.openapis.org/oas/v3.1.1, made from the schemas that check input and
 * output.
 */
export type OpenApiDocument = ReturnType<typeof createDocument>;

export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = { ...webhookPaths };
  for (const route of routes) {
    const path = route.path.replace('{+', '{');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return createDocument({
    openapi: '3.1.1',
    info: { title: 'Setpoint', version: 'v1', description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [...new Set([...routes.map(({ operation }) => operation.tag), 'webhooks'])].map((name) => ({ name })),
    paths,
    components: { securitySchemes: { bearer, session } },
  });
}

const description = [
  'Read resources, their differences from the specs, and the actors of changes.',
  'Every answer about clouds has the age and completeness of its observation.',
  'Missing and invisible resources get the same answer. Problems are RFC 9457.',
].join(' ');

const bearer = {
  type: 'http',
  scheme: 'bearer',
  description: 'A token of Setpoint, or a JWT of an issuer that the access file names.',
} as const;

const session = {
  type: 'apiKey',
  in: 'cookie',
  name: sessionCookie(true).name,
  description:
    'Of a browser that signed in: POST /v1/session sets it. Without TLS its name is setpoint. A request that changes something must come from a page of this server.',
} as const;

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { method, operation, permission, request, ignoresCredential = false } = route;
  const { id: operationId, tag, summary, description } = operation;
  const isRead = method === 'GET';
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: permission === undefined ? [] : [{ bearer: [] }, { session: [] }],
    ...(permission === undefined ? {} : { 'x-setpoint-permission': permission }),
    ...parametersOf(request, !isRead && !ignoresCredential),
    ...(request.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            description: mostOf(request),
            content: { 'application/json': { schema: request.body } },
          },
        }),
    responses: {
      ...problemResponsesOf(route),
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, answerOf(response, isRead)]),
      ),
      ...(isRead ? { 304: { description: 'Unchanged since the ETag in If-None-Match', headers } } : {}),
      default: problem('A problem; missing and invisible resources get the same 404'),
    },
  };
}

const mostOf = ({ bodyBytes = apiLimits.bodyBytes }: RequestSchema): string => `At most ${bodyBytes / 1024} KiB`;

function parametersOf(
  { params: path, query }: RequestSchema,
  takesKey: boolean,
): Pick<ZodOpenApiOperationObject, 'requestParams'> {
  const header = takesKey ? idempotencyKey.header : undefined;
  return {
    requestParams: {
      ...(path === undefined ? {} : { path }),
      ...(query === undefined ? {} : { query }),
      ...(header === undefined ? {} : { header }),
    },
  };
}

const headers = {
  'x-request-id': { description: "The id of the request in the server's log", schema: { type: 'string' as const } },
  ratelimit: {
    description: 'The remaining requests (`r`), and the seconds until all are available again (`t`)',
    schema: { type: 'string' as const },
    example: '"caller";r=199;t=1',
  },
  'ratelimit-policy': {
    description: 'The burst (`q`), and the seconds until all of it is available again (`w`)',
    schema: { type: 'string' as const },
    example: '"caller";q=200;w=2',
  },
};
const tagged = {
  ...headers,
  etag: { description: 'A hash of the answer without its ages', schema: { type: 'string' as const } },
};

function answerOf(response: RouteResponse, isRead: boolean): ZodOpenApiResponseObject {
  const { description, schema, type, also = {} } = response;
  if (schema === undefined && type === undefined) return { description, headers };
  return {
    description,
    headers: isRead && type === undefined ? tagged : headers,
    content: { [type ?? 'application/json']: schema === undefined ? {} : { schema, ...exampleFor(response) }, ...also },
  };
}

function exampleFor({ schema, example }: RouteResponse): { readonly example?: unknown } {
  const own = example ?? (schema && examples.get(schema)?.example);
  return own === undefined ? {} : { example: own };
}

const problem = (description: string, example?: object): ZodOpenApiResponseObject => ({
  description,
  headers,
  content: { 'application/problem+json': { schema: problemSchema, ...(example === undefined ? {} : { example }) } },
});

const exampleOf = ({ headers: _, more, ...rest }: Problem): object => ({ ...rest, ...more });

interface Refused {
  readonly description: string;
  readonly example: Problem;
  /** True for operations with this answer; absent: all have it. */
  readonly of?: (route: Route) => boolean;
}

const isProtected = ({ permission }: Route): boolean => permission !== undefined;
const isWrite = ({ method }: Route): boolean => method !== 'GET';
const hasBody = ({ request }: Route): boolean => request.body !== undefined;
const hasContent = ({ operation }: Route): boolean =>
  Object.values(operation.responses).some(({ schema, type }) => schema !== undefined || type !== undefined);

const problemExample = (status: number, title: string, detail: string): Problem => ({ status, title, detail });

/** By status: the problems that an operation may be answered with. */
const problemResponses: Readonly<Record<number, Refused>> = {
  400: {
    description: 'The request is malformed: `errors` names the places',
    example: badInput([{ in: 'query', at: 'limit', expected: 'a number from 1 to 1000' }]),
    of: ({ method, request: { params, query, body } }) =>
      method !== 'GET' || params !== undefined || query !== undefined || body !== undefined,
  },
  401: { description: 'The credential is missing or invalid', example: unauthorized, of: isProtected },
  403: { description: 'You may see it, but not do this', example: forbidden('approve'), of: isProtected },
  404: { description: 'It does not exist, or you may not see it: the same answer', example: notFound, of: isProtected },
  406: {
    description: 'Accept names no type that this address answers with',
    example: problemExample(
      406,
      'Not Acceptable',
      'This address answers with application/json: name it in the header Accept.',
    ),
    of: hasContent,
  },
  409: {
    description: 'The current state makes it impossible, or a request with the same Idempotency-Key is in progress',
    example: problemExample(409, 'Conflict', 'The same request under this Idempotency-Key is still being answered.'),
    of: isWrite,
  },
  413: {
    description: 'The body is too long',
    example: problemExample(413, 'Content Too Large', 'The body is larger than this address takes.'),
    of: hasBody,
  },
  415: {
    description: 'The body is not JSON in UTF-8',
    example: problemExample(
      415,
      'Unsupported Media Type',
      'A body is JSON: send it with content-type: application/json.',
    ),
    of: hasBody,
  },
  422: {
    description: 'The input is valid and rejected, or the Idempotency-Key belongs to another request',
    example: problemExample(422, 'Unprocessable Content', 'You used this Idempotency-Key for another request.'),
    of: isWrite,
  },
  429: {
    description: 'Too many requests: retry after Retry-After',
    example: problemExample(
      429,
      'Too Many Requests',
      'A caller may send 100 requests a second, and 200 at once. Wait for the seconds in Retry-After.',
    ),
  },
  500: {
    description: 'A defect of Setpoint: find the log line by x-request-id',
    example: problemExample(500, 'Internal Server Error', "This is a defect of ours; the server's log has a line."),
  },
  503: {
    description: 'The database or an issuer is unavailable, or this process is stopping: Retry-After',
    example: problemExample(503, 'Service Unavailable', 'This server is stopping: ask again, and another one answers.'),
  },
};

const problemResponsesOf = (route: Route): Readonly<Record<string, ZodOpenApiResponseObject>> =>
  Object.fromEntries(
    Object.entries(problemResponses)
      .filter(([, { of = () => true }]) => of(route))
      .map(([status, { description, example }]) => [status, problem(description, exampleOf(example))]),
  );
