import type { Clock } from '../clock.ts';
import { type Answer, type Call, type Protocol, type Refusal, Refused, type WireRequest } from '../protocol.ts';
import { respellJson } from '../spelling.ts';
import { chargesOf, metricOf } from './budget-table.ts';
import { refused } from './errors.ts';
import type { Asked, Context, Write } from './method.ts';
import { operationJson } from './operation.ts';
import { scopeExists } from './place.ts';
import type { Json, Operation } from './records.ts';
import { PREFIX, parseRequest, type Request } from './request.ts';
import { COMPUTE_TABLE } from './spelling-table.ts';
import type { World } from './world.ts';

interface ComputeCall extends Call {
  readonly request: Request;
}

interface ComputeParts {
  readonly clock: Clock;
  readonly world: World;
}

/** Compute Engine's REST API, v1: https://docs.cloud.google.com/compute/docs/reference/rest/v1 */
export function computeProtocol({ clock, world }: ComputeParts): Protocol<ComputeCall> {
  const contextOf = (call: ComputeCall, answerFaults: Context['answerFaults']): Context => ({
    project: world.project(call.account),
    now: clock.now(),
    answerFaults,
    user: USER,
    wait: async (ms) => {
      await clock.sleep(ms);
      world.project(call.account);
    },
  });
  return {
    accepts: ({ path }) => path.startsWith(PREFIX),
    read: (request) => {
      authenticate(request);
      const parsed = parseRequest(request);
      return {
        service: 'compute',
        account: parsed.project,
        region: parsed.scope === 'global' ? 'global' : (parsed.scope.split('/')[1] ?? ''),
        action: parsed.method.id,
        params: paramsOf(parsed),
        request: parsed,
      };
    },
    mutates: ({ request }) => request.method.mutates,
    charges: ({ account, request }) =>
      chargesOf({ project: account, scope: request.scope, quota: request.method.quota }),
    answer: async (call, _, answerFaults) => {
      try {
        const said = await answerTo(contextOf(call, answerFaults), call.request);
        return ok(answerFaults.spelling ? respellJson(said, COMPUTE_TABLE, answerFaults.spelling) : said);
      } catch (error) {
        if (error instanceof Refused) return refusalOf(error.refusal);
        throw error;
      }
    },
    refuse: (reason, _, call) => {
      switch (reason) {
        case 'throttled':
          return throttled(call);
        case 'denied':
          return denied(call);
        default:
          return reason.status === 401 ? unauthenticated(reason) : refusalOf(reason);
      }
    },
  };
}

const USER = 'sandbox@example.com';

function answerTo(context: Context, { method, scope, asked }: Request): Json | Promise<Json> {
  if (!scopeExists(scope) && liesIn(scope, method)) {
    const [kind = '', name = ''] = scope.split('/');
    throw refused(
      'invalid',
      `Invalid value for field '${kind.slice(0, -1)}': '${name}'. Unknown ${kind.slice(0, -1)}.`,
    );
  }
  if (!method.mutates) return method.run(context, asked);
  return operationJson(context.project, context.now, once(context, method, asked));
}

/** Not so `regions/{region}`, which asks for the place itself. */
function liesIn(scope: Request['scope'], { path }: Request['method']): boolean {
  return path.split('/').length > scope.split('/').length;
}

function authenticate({ headers }: WireRequest): void {
  if (!/^Bearer \S+$/.test(headers['authorization'] ?? ''))
    throw new Refused({ code: 'required', status: 401, message: 'Login Required.' });
}

/** For the log: the variables of the path, the query, and the body as it came. */
function paramsOf({ asked }: Request): Readonly<Record<string, string>> {
  return { ...asked.at, ...asked.query, ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }) };
}

function ok(body: unknown): Answer {
  return {
    response: {
      status: 200,
      headers: { 'content-type': 'application/json; charset=UTF-8' },
      body: JSON.stringify(body),
    },
  };
}

/** "A valid UUID with the exception that zero UUID is not supported", says the discovery document of every write. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const ZERO = '00000000-0000-0000-0000-000000000000';

/**
 * The time for which a request id is remembered. Compute Engine publishes none; other Google services with the same field
 * guarantee "at least 60 minutes after the first request":
 * https://cloud.google.com/python/docs/reference/batch/0.17.14/google.cloud.batch_v1.types.DeleteJobRequest
 */
const REQUEST_ID_TTL_MS = 3_600_000;

/**
 * Runs a write once per `requestId`: the same request again answers the operation of the first. That the id is refused for
 * another request is an assumption, after https://google.aip.dev/155. A request that was refused leaves no trace.
 */
function once(context: Context, method: Write, asked: Asked): Operation {
  const { project, now } = context;
  const { requestId } = asked.query;
  if (requestId === undefined) return method.run(context, asked);
  if (!UUID.test(requestId) || requestId === ZERO)
    throw refused('invalid', `Invalid value for field 'requestId': '${requestId}'. Must be a valid, non-zero UUID.`);
  const text = canonical([method.id, asked.at, { ...asked.query, requestId: '' }, asked.body]);
  const earlier = project.requests.get(requestId);
  if (earlier && now - earlier.at < REQUEST_ID_TTL_MS) {
    if (earlier.asked !== text)
      throw refused(
        'invalid',
        `Invalid value for field 'requestId': '${requestId}'. It was used for a different request.`,
      );
    const operation = project.operations.get(earlier.operation);
    if (operation) return operation;
  }
  const begun = method.run(context, asked);
  const operation = project.operations.put({ ...begun, asked: { ...begun.asked, requestId } });
  project.requests.set(requestId, { asked: text, operation: operation.id, at: now });
  return operation;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Form of all errors: https://docs.cloud.google.com/compute/docs/troubleshooting/troubleshooting-api-errors */
function refusalOf({ code, status, message }: Refusal): Answer {
  return answer({ code, status, message }, 'global', {});
}

function unauthenticated({ message }: Refusal): Answer {
  const explained =
    'Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
  const body = {
    error: {
      code: 401,
      message: explained,
      errors: [{ message, domain: 'global', reason: 'required', location: 'Authorization', locationType: 'header' }],
      status: 'UNAUTHENTICATED',
      details: [errorInfo('CREDENTIALS_MISSING', {})],
    },
  };
  return {
    response: { status: 401, headers: { ...HEADERS, 'www-authenticate': 'Bearer' }, body: JSON.stringify(body) },
    errorCode: 'required',
  };
}

interface About {
  readonly account: string;
  readonly action: string;
  readonly request: Request;
}

/** 403, not 429: https://docs.cloud.google.com/compute/api-quota */
function throttled(call: About | undefined): Answer {
  const { metric, name, location, perMinute } = metricOf({
    scope: call?.request.scope ?? 'global',
    quota: call?.request.method.quota ?? 'read',
  });
  const limit = location === 'global' ? 'per minute' : 'per minute per region';
  const message = `Quota exceeded for quota metric '${name}' and limit '${name} ${limit}' of service 'compute.googleapis.com' for consumer 'project:${call?.account ?? ''}'.`;
  const details = [
    errorInfo('RATE_LIMIT_EXCEEDED', {
      consumer: `projects/${call?.account ?? ''}`,
      quota_limit_value: String(perMinute),
      quota_location: location,
      quota_metric: `compute.googleapis.com/${metric}`,
    }),
  ];
  return answer({ code: 'rateLimitExceeded', status: 403, message }, 'usageLimits', {
    status: 'PERMISSION_DENIED',
    details,
  });
}

function denied(call: About | undefined): Answer {
  const message = `Required '${call?.action ?? ''}' permission for 'projects/${call?.account ?? ''}'`;
  return answer({ code: 'forbidden', status: 403, message }, 'global', {});
}

const HEADERS = { 'content-type': 'application/json; charset=UTF-8' };

function answer({ code, status, message }: Refusal, domain: string, more: Json): Answer {
  const error = { code: status, message, errors: [{ message, domain, reason: code }], ...more };
  return { response: { status, headers: HEADERS, body: JSON.stringify({ error }) }, errorCode: code };
}

function errorInfo(reason: string, metadata: Readonly<Record<string, string>>): Json {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'compute.googleapis.com', ...metadata },
  };
}
