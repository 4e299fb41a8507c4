import { type Failure, withWait } from '../../src/core/failure.ts';
import { boundedWait, retryAfterOf as waitIn } from '../../src/core/retry-after.ts';

/**
 * Failure classes of Azure's error codes: of Resource Manager, the network provider and the compute provider.
 * https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors
 * https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/error-codes
 * A code that is not here is terminal: a wrong retry can do harm, a wrong stop only makes a page.
 */
const meanings: Readonly<Record<string, Failure['kind']>> = {
  TooManyRequests: 'throttled',
  SubscriptionRequestsThrottled: 'throttled',
  Throttled: 'throttled',
  RequestRateLimitExceeded: 'throttled',

  InternalServerError: 'retryable',
  InternalOperationError: 'retryable',
  InternalExecutionError: 'retryable',
  NetworkingInternalOperationError: 'retryable',
  ServiceUnavailable: 'retryable',
  ServerTimeout: 'retryable',
  GatewayTimeout: 'retryable',
  RetryableError: 'retryable',
  // A lock on the thing, which comes as 429, and no sign that we ask too much:
  // https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-retryable
  RetryableErrorDueToAnotherOperation: 'retryable',
  AnotherOperationInProgress: 'retryable',
  ReferencedResourceNotProvisioned: 'retryable',
  AllocationFailed: 'retryable',
  ZonalAllocationFailed: 'retryable',
  OperationTimedOut: 'retryable',

  PreconditionFailed: 'conflict',
  Conflict: 'conflict',
  ConcurrencyConflict: 'conflict',
  Canceled: 'conflict',
  CanceledAndSupersededDueToAnotherOperation: 'conflict',
  OperationPreempted: 'conflict',
  ResourceGroupBeingDeleted: 'conflict',
  ResourcesBeingMoved: 'conflict',
  ObjectIsBeingDeleted: 'conflict',
  SecurityRuleConflict: 'conflict',
  NetcfgSubnetRangesOverlap: 'conflict',
  NicReservedForAnotherVm: 'conflict',
  AttachDiskWhileBeingDetached: 'conflict',

  ResourceNotFound: 'not-found',
  ResourceGroupNotFound: 'not-found',
  ParentResourceNotFound: 'not-found',
  NotFound: 'not-found',
  // A resource that a body refers to does not exist. A retry does not create it.
  InvalidResourceReference: 'terminal',
  SubscriptionNotFound: 'terminal',
  InvalidSubscriptionId: 'terminal',
  InvalidResourceType: 'terminal',
  NoRegisteredProviderFound: 'terminal',

  // https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-register-resource-provider
  MissingSubscriptionRegistration: 'terminal',
  AuthorizationFailed: 'terminal',
  LinkedAuthorizationFailed: 'terminal',
  InvalidAuthenticationToken: 'terminal',
  ExpiredAuthenticationToken: 'terminal',
  AuthenticationFailed: 'terminal',
  RequestDisallowedByPolicy: 'terminal',
  ScopeLocked: 'terminal',
  ReadOnlyDisabledSubscription: 'terminal',
  OperationNotAllowed: 'terminal',
  QuotaExceeded: 'terminal',
  SkuNotAvailable: 'terminal',
  OverconstrainedAllocationRequest: 'terminal',
  SubnetIsFull: 'terminal',
  NetcfgInvalidSubnet: 'terminal',
  NetcfgSubnetRangeOutsideVnet: 'terminal',
  PropertyChangeNotAllowed: 'terminal',
  InvalidParameter: 'terminal',
  InvalidRequestFormat: 'terminal',
  InvalidRequestContent: 'terminal',
  InvalidResourceLocation: 'terminal',
  InvalidTagName: 'terminal',
};

/**
 * Of how many there may be. Machines are refused as `OperationNotAllowed` like much else, and only the text tells:
 * https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-resource-quota
 */
const isQuota = (code: string, message: string): boolean =>
  code === 'QuotaExceeded' || code === 'SubnetIsFull' || (code === 'OperationNotAllowed' && /\bquota\b/i.test(message));
const quotaIn = (code: string, message: string): { readonly quota?: true } =>
  isQuota(code, message) ? { quota: true } : {};

/** The network provider has such a code for every type: `InUseSubnetCannotBeDeleted`, `PublicIPAddressCannotBeDeleted`, `NicInUse`. */
const inUse = /InUse|CannotBeDeleted$/;

/** Node's codes for a request that never left: https://nodejs.org/api/errors.html#common-system-errors */
const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** An answer of HTTP. `headers` by lower-case name; `body` as it came. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: (name: string) => string | undefined;
  readonly body: string;
}

/**
 *   what came back                          | means
 *   ----------------------------------------+-----------------------------------------------
 *   429 that says another operation goes on | retryable: the thing is locked
 *   429 otherwise                           | throttled
 *   a code of the table                     | as the table says
 *   a code that says something is in use    | conflict
 *   412                                     | conflict
 *   502, 504 to a write, and no code        | ambiguous: a proxy on the way lost the answer
 *   408, 5xx                                | retryable: a write is known by its name, and may be sent again
 *   another code, or none                   | terminal
 */
export function failureOfAnswer({ status, headers, body }: HttpAnswer, mutating = false): Failure {
  const { code = `Http${status}`, message = body } = errorIn(body);
  const requestId = requestIdIn(headers);
  const about = { code, message: brief(message), ...(requestId === undefined ? {} : { requestId }) };
  const kind = mutating && lostOnTheWay.has(code) ? 'ambiguous' : kindOf(code, status);
  if (kind === 'throttled') return withWait({ kind, ...about }, retryAfterOf(headers));
  return withWait({ kind, ...about, ...quotaIn(code, message) }, askedWait(headers));
}

/**
 * The request's id in the subscription's activity log and its events: their `correlationId`.
 * https://learn.microsoft.com/azure/azure-monitor/platform/activity-log-schema
 */
export const requestIdIn = (headers: HttpAnswer['headers']): string | undefined =>
  headers('x-ms-correlation-request-id') ?? headers('x-ms-request-id');

/** Of a gateway, which says nothing of what the cloud did: https://www.rfc-editor.org/rfc/rfc9110#section-15.6.3 */
const lostOnTheWay: ReadonlySet<string> = new Set(['Http502', 'Http504']);

/** A request without an answer. A write that was sent may have been done. */
export function failureOfThrown(error: unknown, mutating: boolean): Failure {
  const { code, name, message } = shapeOf(error);
  const known = typeof code === 'string' ? code : (name ?? 'Unknown');
  const kind = mutating && !neverSent.has(known) ? 'ambiguous' : 'retryable';
  return { kind, code: known, message: brief(message ?? String(error)) };
}

/** An operation that was accepted and then went wrong: `{"status":"Failed","error":{…}}`. */
export function failureOfOperation(body: string): Failure {
  const { code = 'OperationFailed', message = 'the operation failed, and Azure gave no reason' } = errorIn(body);
  const known = meaningOf(code) ?? 'terminal';
  return {
    kind: known === 'throttled' ? 'retryable' : known,
    code,
    message: brief(message),
    ...quotaIn(code, message),
  };
}

/** True if a resource reports that the last write to it failed: https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations#provisioningstate-values */
export function hasFailed(body: string): boolean {
  const state = asObject(objectIn(body)?.['properties'])?.['provisioningState'];
  return typeof state === 'string' && /^(?:failed|cancell?ed)$/i.test(state);
}

/** The wait that the cloud asks for. Without one: a second where Resource Manager's own bucket is empty, a minute where a provider's is. */
export function retryAfterOf(headers: HttpAnswer['headers']): number | undefined {
  const asked = askedWait(headers);
  if (asked !== undefined) return asked;
  if (/;0(?:,|$)/.test(headers('x-ms-ratelimit-remaining-resource') ?? '')) return 60_000;
  return frontBuckets.some((name) => headers(`x-ms-ratelimit-remaining-${name}`) === '0') ? 1000 : undefined;
}

/** The milliseconds are the more exact word: https://azure.github.io/azure-sdk/general_azurecore.html#retry-policy */
function askedWait(headers: HttpAnswer['headers']): number | undefined {
  const ms = headers('retry-after-ms') ?? headers('x-ms-retry-after-ms') ?? '';
  return /^\d+$/.test(ms) ? boundedWait(Number(ms)) : waitIn(headers('retry-after'), headers('date'));
}

const frontBuckets = ['subscription', 'tenant', 'subscription-global'].flatMap((scope) =>
  ['reads', 'writes', 'deletes'].map((what) => `${scope}-${what}`),
);

const meaningOf = (code: string): Failure['kind'] | undefined =>
  Object.hasOwn(meanings, code) ? meanings[code] : inUseOf(code);
const inUseOf = (code: string): 'conflict' | undefined => (inUse.test(code) ? 'conflict' : undefined);

function kindOf(code: string, status: number): Failure['kind'] {
  const known = meaningOf(code);
  if (status === 429) return known === 'retryable' ? known : 'throttled';
  if (known !== undefined) return known;
  if (status === 412) return 'conflict';
  return status >= 500 || status === 408 ? 'retryable' : 'terminal';
}

interface Said {
  readonly code?: string;
  readonly message?: string;
}

/** `{"error":{"code","message"}}`, or the two without a wrapping; what is no JSON says nothing. */
function errorIn(body: string): Said {
  const whole = objectIn(body);
  const error = asObject(whole?.['error']) ?? whole;
  const [code, message] = [error?.['code'], error?.['message']];
  return {
    ...(typeof code === 'string' && code !== '' ? { code } : {}),
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
  };
}

function objectIn(text: string): Fields | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Fields | undefined {
  // why: any object may be asked for any key, and says undefined where it has none
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const longestMessage = 600;

/** If the default chain has no credential, each of its sources reports that on its own line. */
const firstOfChain = (message: string): string =>
  message.startsWith('ChainedTokenCredential authentication failed')
    ? 'no token for Azure: no credential was found in the environment, a managed identity or a login (az login)'
    : message;

/** Nothing that a header could have held. */
const brief = (message: string): string =>
  firstOfChain(message)
    .replace(/\bBearer\s+\S+/gi, 'Bearer …')
    .slice(0, longestMessage);

interface Thrown {
  readonly name?: string;
  readonly code?: unknown;
  readonly message?: string;
}

// why: a thrown value has no type; every property is read as optional
const shapeOf = (error: unknown): Thrown => (typeof error === 'object' && error !== null ? (error as Thrown) : {});
