import { createHash } from 'node:crypto';
import type { Budgets } from '../budgets.ts';
import type { Clock } from '../clock.ts';
import {
  type Answer,
  type AnswerFaults,
  type Call,
  type Protocol,
  type Refusal,
  Refused,
  type WireRequest,
} from '../protocol.ts';
import { respellJson } from '../spelling.ts';
import { chargesOf, type Demand, remaining, throttling, type Verb } from './budget-table.ts';
import { type ArmRefusal, errorBody, refused } from './errors.ts';
import { pathLocation } from './location.ts';
import { type ArmRequest, type Found, makeRouter, type Reply, type Unknown } from './method.ts';
import { METHODS } from './methods/index.ts';
import { groupBeingDeleted, groupNotFound } from './methods/resource-group.ts';
import { CHALLENGE, principalOf } from './principal.ts';
import { versionsOf } from './providers.ts';
import { trackedAt } from './references.ts';
import { groupPath, keyOf } from './resource-id.ts';
import { ARM_TABLE } from './spelling-table.ts';
import { AT_ONCE, type Subscription } from './subscription.ts';
import type { World } from './world.ts';

interface ArmParts {
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly world: World;
}

interface ArmCall extends Call {
  readonly verb: Verb;
  readonly request: ArmRequest;
  /** The method, or why there is none. */
  readonly found: Found | Unknown;
  readonly principal: string;
}

const SUBSCRIPTION = /^\/subscriptions\/([^/?]+)/i;

const find = makeRouter(METHODS);

/** Azure Resource Manager: https://learn.microsoft.com/rest/api/azure */
export function armProtocol({ clock, budgets, world }: ArmParts): Protocol<ArmCall> {
  const refusal = (reason: ArmRefusal, requestId: string, call?: ArmCall): Answer =>
    refusalAnswer(reason, {
      ...(call ? remaining(chargesOf(demandOf(call)), budgets) : {}),
      ...idHeaders(requestId, call),
    });
  return {
    accepts: ({ path }) => SUBSCRIPTION.test(path),
    read: (request) => readCall(world, request),
    mutates: ({ verb, found }) =>
      verb !== 'GET' && verb !== 'HEAD' && (typeof found === 'string' || !found.method.reads),
    charges: (call) => chargesOf(demandOf(call)).map(({ charge }) => charge),
    answer: (call, requestId, answerFaults) => {
      try {
        const known = world.subscription(call.account);
        const subscription = answerFaults.atOnce ? { ...known, durations: AT_ONCE } : known;
        const reply = replyTo(call, { subscription, now: clock.now(), answerFaults });
        const headers = { ...remaining(chargesOf(demandOf(call)), budgets), ...idHeaders(requestId, call) };
        const said = answerFaults.spelling
          ? { ...reply, body: respellJson(reply.body, ARM_TABLE, answerFaults.spelling) }
          : reply;
        const response = rendered(said, headers);
        return { response: answerFaults.capitals ? { ...response, body: capitals(response.body) } : response };
      } catch (error) {
        if (error instanceof Refused) return refusal(error.refusal, requestId, call);
        throw error;
      }
    },
    refuse: (reason, requestId, call) => refusal(explained(reason, { clock, budgets }, call), requestId, call),
  };
}

function capitals(body: string): string {
  return body.replaceAll(
    /\/resourceGroups\/[^/"]+/gi,
    (path) => `/resourceGroups/${path.split('/')[2]?.toUpperCase()}`,
  );
}

function readCall(world: World, wire: WireRequest): ArmCall {
  const principal = principalOf(wire);
  const request = readRequest(wire);
  const [whole = '', account = ''] = SUBSCRIPTION.exec(request.path) ?? [];
  const verb = wire.method as Verb; // why: the router knows no other verb, and whatever is no GET or HEAD is a write
  const found = find(verb, request.path.slice(whole.length));
  return {
    service: 'arm',
    account: account.toLowerCase(),
    region: locationOf(world, account, request),
    action: typeof found === 'string' ? '' : found.method.action,
    params: { path: request.path, ...request.query, ...conditionsOf(request), body: shown(request.body) },
    verb,
    request,
    found,
    principal,
  };
}

/** Preconditions are part of what was asked. */
function conditionsOf({ headers }: ArmRequest): Record<string, string> {
  const names = ['if-match', 'if-none-match'];
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/** The location of the request's resource, existing or new; empty for a request that spans locations. */
function locationOf(world: World, id: string, { path, body }: ArmRequest): string {
  const named = /\/locations\/([^/]+)/i.exec(path)?.[1];
  if (named !== undefined) return named.toLowerCase();
  const written = body && typeof body === 'object' && 'location' in body ? body.location : undefined;
  if (typeof written === 'string') return written.replaceAll(' ', '').toLowerCase();
  return world.has(id) ? (trackedAt(world.subscription(id), path)?.location ?? '') : '';
}

function demandOf({ account, principal, region, verb, found, request }: ArmCall): Demand {
  const rateLimit = typeof found === 'string' ? 'none' : found.method.rateLimit;
  return { subscription: account, principal, location: region, verb, rateLimit, resource: keyOf(request.path) };
}

interface Setting {
  readonly subscription: Subscription;
  readonly now: number;
  readonly answerFaults: AnswerFaults;
}

function replyTo(call: ArmCall, { subscription, now, answerFaults }: Setting): Reply {
  const { found, request } = call;
  if (typeof found === 'string') throw unknown(call, found);
  const { group, location } = found.parameters;
  const parameters = location === undefined ? found.parameters : { ...found.parameters, location: placeIn(request) };
  if (group !== undefined && found.method.path.includes('/providers/'))
    checkGroup(subscription, group, found.method.verb === 'PUT');
  return found.method.answer({ subscription, parameters, request, now, answerFaults });
}

/** The location that a path names, by its short name. */
function placeIn({ path, query }: ArmRequest): string {
  const [, namespace = '', written = '', type = ''] =
    /\/providers\/([^/]+)\/locations\/([^/]+)\/([^/]+)/i.exec(path) ?? [];
  const version = query['api-version'] ?? '';
  const versions = versionsOf(namespace);
  return pathLocation({ written: decodeURIComponent(written), type: `locations/${type}`, version, versions });
}

function checkGroup(subscription: Subscription, name: string, forWriting: boolean): void {
  const group = subscription.groups.get(keyOf(groupPath(subscription.id, name)));
  if (!group) throw groupNotFound(name);
  if (forWriting && group.state === 'Deleting') throw groupBeingDeleted(group);
}

function unknown({ verb, request }: ArmCall, why: Unknown): Refused {
  const [, namespace, type] = /\/providers\/([^/]+)\/([^/]+)/i.exec(request.path) ?? [];
  if (why === 'no-verb' || type === undefined)
    return refused('MethodNotAllowed', `The HTTP method '${verb}' is not supported at '${request.path}'.`);
  return refused(
    'InvalidResourceType',
    `The resource type '${type}' could not be found in the namespace '${namespace}' for api version '${request.query['api-version']}'.`,
  );
}

function explained(
  reason: Refusal | 'throttled' | 'denied',
  { clock, budgets }: Pick<ArmParts, 'clock' | 'budgets'>,
  call: ArmCall | undefined,
): ArmRefusal {
  switch (reason) {
    case 'throttled':
      return call
        ? throttling(demandOf(call), budgets, clock.now())
        : { code: 'TooManyRequests', status: 429, message: '' };
    case 'denied':
      return {
        code: 'AuthorizationFailed',
        status: 403,
        message: `The client '${call?.principal ?? ''}' does not have authorization to perform action '${call?.action ?? ''}' over scope '${call?.request.path ?? ''}' or the scope is invalid.`,
      };
    default:
      return reason;
  }
}

function idHeaders(requestId: string, call: ArmCall | undefined): Record<string, string> {
  const correlation = correlationId(requestId, call?.request.headers['x-ms-correlation-request-id']);
  return {
    'x-ms-request-id': requestId,
    'x-ms-correlation-request-id': correlation,
    'x-ms-routing-request-id': `SANDBOX:${correlation}`,
    'cache-control': 'no-cache',
  };
}

function rendered({ status, body, headers = {} }: Reply, common: Readonly<Record<string, string>>): Answer['response'] {
  if (body === undefined) return { status, headers: { ...common, ...headers }, body: '' };
  return { status, headers: { ...common, ...headers, ...JSON_TYPE }, body: JSON.stringify(body) };
}

function refusalAnswer(reason: ArmRefusal, common: Readonly<Record<string, string>>): Answer {
  const retry: Readonly<Record<string, string>> =
    reason.retryAfter === undefined ? {} : { 'retry-after': String(reason.retryAfter) };
  const challenge: Readonly<Record<string, string>> = reason.status === 401 ? { 'www-authenticate': CHALLENGE } : {};
  const headers = { ...common, ...retry, ...challenge, ...JSON_TYPE };
  const body = JSON.stringify(errorBody(reason));
  return { response: { status: reason.status, headers, body }, errorCode: reason.code };
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** The request taken apart; refused when it has no well-formed api-version, or a body that is no JSON. */
function readRequest(request: WireRequest): ArmRequest {
  const [path = '', search = ''] = request.path.split('?');
  const query = Object.fromEntries(
    [...new URLSearchParams(search)].map(([name, value]) => [name.toLowerCase(), value]),
  );
  checkVersion(query['api-version']);
  return {
    origin: `http://${request.headers['host'] ?? '127.0.0.1'}`,
    path,
    query,
    headers: request.headers,
    body: parsed(request.body),
  };
}

/** Every version is spoken that has the form of one. */
function checkVersion(version: string | undefined): void {
  if (version === undefined || version === '')
    throw refused(
      'MissingApiVersionParameter',
      'The api-version query parameter (?api-version=) is required for all requests.',
    );
  if (!/^\d{4}-\d{2}-\d{2}(?:-[a-z]+)?$/.test(version))
    throw refused(
      'InvalidApiVersionParameter',
      `The api-version '${version}' is invalid. The supported versions have the form yyyy-MM-dd.`,
    );
}

function parsed(body: string): unknown {
  if (body.trim() === '') return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refused(
      'InvalidRequestContent',
      `The request content was invalid and could not be deserialized: '${error.message}'.`,
    );
  }
}

/**
 * ARM's id of a write in its activity log and its events. `x-ms-request-id` is another id, the resource provider's:
 * https://learn.microsoft.com/azure/azure-monitor/platform/activity-log-schema has `correlationId` alone. A client may send
 * its own, as Terraform's providers do.
 */
function correlationId(requestId: string, sent: string | undefined): string {
  if (sent) return sent;
  const digits = createHash('sha256').update(requestId).digest('hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

const HIDDEN: ReadonlySet<string> = new Set(['adminPassword', 'customData', 'userData']);

/** A request's body as the log shows it: without what is secret in it. */
function shown(body: unknown): string {
  if (body === undefined) return '';
  return JSON.stringify(body, (key, value: unknown) => (HIDDEN.has(key) ? '(hidden)' : value));
}
