import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { boundsFor } from '../../core/access/grant.ts';
import { sendAnswer } from './answer.ts';
import type { ApiOptions } from './api-routes.ts';
import { nobody } from './authenticate.ts';
import { pathOf, restOf } from './path.ts';
import { forbidden, unauthorized } from './problems.ts';
import { type Input, readInput, type Sent } from './read-input.ts';
import { Refusal } from './refusal.ts';
import type { Asked, Asking, Caller, Route } from './route.ts';

const usualBodyBytes = 64 * 1024;

/**
 * Who asks, and whether they may ask such a thing at all, is settled before a body is read; then what came is checked, and
 * what is answered.
 */
export function serveRoute(api: FastifyInstance, route: Route, options: ApiOptions): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  api.route({
    method: route.method,
    url: pathOf(route.path),
    exposeHeadRoute: route.method === 'GET',
    bodyLimit: route.asks.bodyBytes ?? usualBodyBytes,
    onRequest: async (request) => {
      callers.set(request, await admitted(route, options, request.headers.authorization));
    },
    handler: async (request, reply) => {
      const input = readInput(route.asks, withRest(route, request));
      const asked = askedOf(input, callers.get(request) ?? nobody, { request, reply, now: options.clock.now() });
      return sendAnswer(reply, { route, reply: await route.handle(asked) });
    },
  });
}

/** Whoever sends a credential is held to it, also where none is needed. */
async function admitted(route: Route, { authenticate }: ApiOptions, authorization?: string): Promise<Caller> {
  if (route.needs === undefined && authorization === undefined) return nobody;
  const caller = await authenticate(authorization);
  if (caller === undefined) throw new Refusal(unauthorized);
  if (route.needs !== undefined && boundsFor(caller.grants, route.needs).length === 0)
    throw new Refusal(forbidden(route.needs));
  return caller;
}

/** What the router calls * has the name that the route gave it. */
function withRest({ path }: Route, request: FastifyRequest): Sent {
  const { params, url, body } = request;
  const name = restOf(path);
  if (name === undefined || typeof params !== 'object' || params === null || !('*' in params))
    return { params, url, body };
  const { '*': rest, ...others } = params;
  return { params: { ...others, [name]: rest }, url, body };
}

interface Around {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly now: number;
}

function askedOf(input: Input, caller: Caller, { request, reply, now }: Around): Asked<Asking> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const header = (name: string): string | undefined => {
    const value = request.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  };
  // why: the schemas of `asks` have parsed the input, and `route` keeps which type each has
  return { ...input, by: { caller, now, signal: gone.signal, header } } as Asked<Asking>;
}
