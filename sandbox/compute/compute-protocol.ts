import type { Clock } from '../clock.ts';
import type { Answer, Call, Protocol, WireRequest } from '../protocol.ts';
import { Refused } from '../refused.ts';
import { respellJson } from '../spelling/json.ts';
import { chargesOf } from './budget-table.ts';
import { denied, refusalOf, throttled, unauthenticated } from './error-body.ts';
import { refused } from './errors.ts';
import type { Context } from './method.ts';
import { operationJson } from './operation.ts';
import { scopeExists } from './place.ts';
import type { Json } from './records.ts';
import { PREFIX, type Request, understand } from './request.ts';
import { once } from './request-id.ts';
import { COMPUTE_TABLE } from './spelling-table.ts';
import type { World } from './world.ts';

interface ComputeCall extends Call {
  readonly request: Request;
}

export interface ComputeParts {
  readonly clock: Clock;
  readonly world: World;
}

/** Compute Engine's REST API, v1: https://docs.cloud.google.com/compute/docs/reference/rest/v1 */
export function computeProtocol({ clock, world }: ComputeParts): Protocol<ComputeCall> {
  const contextOf = (call: ComputeCall, blur: Context['blur']): Context => ({
    project: world.project(call.account),
    now: clock.now(),
    blur,
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
      const understood = understand(request);
      return {
        service: 'compute',
        account: understood.project,
        region: understood.scope === 'global' ? 'global' : (understood.scope.split('/')[1] ?? ''),
        action: understood.method.id,
        params: paramsOf(understood),
        request: understood,
      };
    },
    mutates: ({ request }) => request.method.mutates,
    charges: ({ account, request }) =>
      chargesOf({ project: account, scope: request.scope, quota: request.method.quota }),
    answer: async (call, _, blur) => {
      try {
        const said = await answerTo(contextOf(call, blur), call.request);
        return ok(blur.spelling ? respellJson(said, COMPUTE_TABLE, blur.spelling) : said);
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
