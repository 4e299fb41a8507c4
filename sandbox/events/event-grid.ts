import { createHash, randomUUID } from 'node:crypto';
import { TENANT } from '../arm/methods/subscription.ts';
import { principalOf } from '../arm/principal.ts';
import { freshGuid } from '../arm/resource-id.ts';
import type { Operation } from '../arm/subscription.ts';
import type { World } from '../arm/world.ts';
import type { Clock } from '../clock.ts';
import type { WireRequest } from '../protocol.ts';
import type { Random } from '../random.ts';
import type { EventSender, Post, ReceiverAnswer, Source, Verdict, Written } from './delivery.ts';
import { bearerClaims, requesterOf } from './requester.ts';

interface EventGridParts {
  readonly clock: Clock;
  readonly world: World;
  readonly random: Random;
}

/** The system topic of a subscription, which tells of a write when it has succeeded or failed: https://learn.microsoft.com/azure/event-grid/event-schema-subscriptions */
export function eventGrid({ clock, world, random }: EventGridParts): Source {
  return async function* (written) {
    const id = freshGuid(random);
    const operation = await ended(clock, world, written);
    const status = operation?.outcome.status === 'Failed' ? 'Failed' : 'Succeeded';
    yield resourceEvent(written, { id, status, at: operation?.time.due ?? written.time });
  };
}

/** The operation that the answer says to follow, when it is done; undefined where the write was done with its answer. */
async function ended(clock: Clock, world: World, { call, response }: Written): Promise<Operation | undefined> {
  const { 'azure-asyncoperation': followed, location } = response.headers;
  const id = /\/(?:operations|operationResults)\/([^/?]+)/.exec(followed ?? location ?? '')?.[1] ?? '';
  const known = (): Operation | undefined => world.subscription(call.account).operations.get(id);
  for (let now = known(); now; now = known()) {
    if (now.outcome.status !== 'InProgress') return now;
    await clock.sleep(Math.max(1, now.time.due - clock.now()));
  }
  return undefined;
}

/** https://learn.microsoft.com/azure/event-grid/webhook-event-delivery, subscribed to before the first event is sent. */
export function webhook(): EventSender {
  const validationCode = randomUUID().toUpperCase();
  return {
    post: (event, attempt) => post('Notification', event, attempt),
    verdict,
    handshake: {
      post: post('SubscriptionValidation', validation(validationCode), 1),
      accepts: (answer) => echoes(answer, validationCode),
    },
  };
}

/** Headers: https://learn.microsoft.com/azure/event-grid/receive-events */
function post(type: 'Notification' | 'SubscriptionValidation', event: object, attempt: number): Post {
  return {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'aeg-event-type': type,
      'aeg-subscription-name': 'SANDBOX',
      'aeg-data-version': '2',
      'aeg-metadata-version': '1',
      'aeg-delivery-count': String(attempt - 1),
    },
    body: JSON.stringify([event]),
  };
}

/**
 * The synchronous handshake: https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema. There
 * is no `validationUrl`, which would lead out of this machine.
 */
function validation(validationCode: string): object {
  return {
    id: randomUUID(),
    topic: '/subscriptions/11112222-3333-4444-8555-666677778888',
    subject: '',
    data: { validationCode },
    eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent',
    eventTime: new Date().toISOString(),
    metadataVersion: '1',
    dataVersion: '2',
  };
}

/** "You must return an HTTP 200 OK response status code"; 202 is no valid answer. */
function echoes({ status, body }: ReceiverAnswer, code: string): boolean {
  if (status !== 200) return false;
  try {
    const answer: unknown = JSON.parse(body);
    return (
      typeof answer === 'object' &&
      answer !== null &&
      'validationResponse' in answer &&
      answer.validationResponse === code
    );
  } catch {
    return false;
  }
}

/** https://learn.microsoft.com/azure/event-grid/delivery-and-retry has what is success, and what a webhook is not asked again after. */
function verdict(status: number): Verdict {
  if (status >= 200 && status <= 204) return 'taken';
  return [400, 401, 403, 404, 413].includes(status) ? 'refused' : 'again';
}

interface Outcome {
  readonly id: string;
  readonly status: 'Succeeded' | 'Failed';
  /** On the sandbox's clock. */
  readonly at: number;
}

/** In the Event Grid event schema: https://learn.microsoft.com/azure/event-grid/event-schema-subscriptions */
function resourceEvent({ call, request, response }: Written, { id, status, at }: Outcome): object {
  const operation = resourceOperation(request.method, request.path);
  const { name, provider, resourceUri, kind } = operation;
  const claims = claimsOf(request);
  return {
    id,
    topic: `/subscriptions/${call.account}`,
    subject: resourceUri,
    eventType: `Microsoft.Resources.Resource${kind}${status === 'Succeeded' ? 'Success' : 'Failure'}`,
    eventTime: new Date(at).toISOString(),
    data: {
      authorization: authorization(operation),
      claims,
      correlationId: response.headers['x-ms-correlation-request-id'],
      ...(response.status === 201 ? {} : { httpRequest: httpRequest(request) }),
      resourceProvider: provider,
      resourceUri,
      operationName: name,
      status,
      subscriptionId: call.account,
      tenantId: TENANT,
    },
    dataVersion: '2',
    metadataVersion: '1',
  };
}

function authorization({ resourceUri, name }: ResourceOperation): object {
  return { scope: resourceUri, action: name, evidence: { role: 'Contributor' } };
}

/** "This object is only included when updating an existing resource or deleting a resource." */
function httpRequest(request: WireRequest): object {
  return {
    clientRequestId: request.headers['x-ms-client-request-id'] ?? '',
    clientIpAddress: requesterOf(request).ip,
    method: request.method,
    url: `https://management.azure.com${request.path}`,
  };
}

/** The effect of one request on one resource, in the words of Azure's resource provider operations. */
interface ResourceOperation {
  /** `Microsoft.Network/virtualNetworks/subnets/write` */
  readonly name: string;
  /** `Microsoft.Network` */
  readonly provider: string;
  /** As it was sent. */
  readonly resourceUri: string;
  /** The middle of the event's type. */
  readonly kind: 'Write' | 'Delete' | 'Action';
}

/** https://learn.microsoft.com/azure/role-based-access-control/resource-provider-operations has the names of all of them. */
const KINDS: Readonly<Record<string, { readonly kind: ResourceOperation['kind']; readonly suffix: string }>> = {
  PUT: { kind: 'Write', suffix: 'write' },
  PATCH: { kind: 'Write', suffix: 'write' },
  DELETE: { kind: 'Delete', suffix: 'delete' },
};

function resourceOperation(method: string, url: string): ResourceOperation {
  const path = (url.split('?')[0] ?? '').replace(/\/$/, '');
  const known = KINDS[method];
  if (known) return { ...typed(path, known.suffix), resourceUri: path, kind: known.kind };
  const slash = path.lastIndexOf('/');
  const resourceUri = path.slice(0, slash);
  return { ...typed(resourceUri, `${path.slice(slash + 1)}/action`), resourceUri, kind: 'Action' };
}

/** A resource below a provider has a type of every second part; a resource group is one of Microsoft.Resources. */
function typed(resourceUri: string, suffix: string): { readonly name: string; readonly provider: string } {
  const [, provider, rest] = /\/providers\/([^/]+)\/(.+)$/i.exec(resourceUri) ?? [];
  if (provider === undefined || rest === undefined)
    return { name: `Microsoft.Resources/subscriptions/resourceGroups/${suffix}`, provider: 'Microsoft.Resources' };
  const types = rest.split('/').filter((_, index) => index % 2 === 0);
  return { name: [provider, ...types, suffix].join('/'), provider };
}

const XMLSOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

const MICROSOFT = 'http://schemas.microsoft.com/identity/claims';

/** Claims that are told under longer names than tokens have: the examples of https://learn.microsoft.com/azure/event-grid/event-schema-subscriptions */
const LONG: Readonly<Record<string, string>> = {
  family_name: `${XMLSOAP}/surname`,
  given_name: `${XMLSOAP}/givenname`,
  oid: `${MICROSOFT}/objectidentifier`,
  scp: `${MICROSOFT}/scope`,
  sub: `${XMLSOAP}/nameidentifier`,
  tid: `${MICROSOFT}/tenantid`,
  unique_name: `${XMLSOAP}/name`,
  upn: `${XMLSOAP}/upn`,
};

/**
 * Of the token that the request was sent with. A token that says nothing is an application's, known by an id made of it, as
 * the budgets know it; one that is an e-mail address is the person's.
 */
function claimsOf(request: WireRequest): Readonly<Record<string, string>> {
  const said = bearerClaims(request);
  const address = said.size === 1 ? said.get('email') : undefined;
  const claims =
    address === undefined
      ? said
      : new Map([
          ['upn', address],
          ['unique_name', address],
          ['name', address],
        ]);
  const whole = claims.size > 0 ? claims : new Map([['appid', applicationId(request)]]);
  return Object.fromEntries(
    [['tid', TENANT], ['ipaddr', requesterOf(request).ip], ...whole].map(([name = '', value = '']) => [
      LONG[name] ?? name,
      value,
    ]),
  );
}

function applicationId(request: WireRequest): string {
  const digits = createHash('sha256').update(principalOf(request)).digest('hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
