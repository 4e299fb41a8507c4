import { type Failure, withWait } from '../../src/core/failure.ts';
import type { Operation } from './messages.ts';

/**
 * The failure class of Compute Engine's codes: the `reason` of a refused request and, in capitals, the code of a failed operation.
 * https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-api-errors, https://cloud.google.com/apis/design/errors
 * A code that is not here is terminal: a wrong retry can do harm, a wrong stop only makes a page.
 */
const meanings: Readonly<Record<string, Failure['kind']>> = {
  rateLimitExceeded: 'throttled',
  userRateLimitExceeded: 'throttled',
  RATE_LIMIT_EXCEEDED: 'throttled',
  concurrentLimitExceeded: 'throttled',
  CONCURRENT_OPERATIONS_QUOTA_EXCEEDED: 'throttled',

  backendError: 'retryable',
  internalError: 'retryable',
  INTERNAL_ERROR: 'retryable',
  serviceUnavailable: 'retryable',
  SERVICE_UNAVAILABLE: 'retryable',
  badGateway: 'retryable',
  gatewayTimeout: 'retryable',
  resourceNotReady: 'retryable',
  RESOURCE_NOT_READY: 'retryable',
  resourceOperationRateExceeded: 'retryable',
  RESOURCE_OPERATION_RATE_EXCEEDED: 'retryable',
  // https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-resource-availability
  ZONE_RESOURCE_POOL_EXHAUSTED: 'retryable',
  ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS: 'retryable',

  alreadyExists: 'conflict',
  duplicate: 'conflict',
  RESOURCE_ALREADY_EXISTS: 'conflict',
  conditionNotMet: 'conflict',
  CONDITION_NOT_MET: 'conflict',
  fingerprintMismatch: 'conflict',
  resourceInUseByAnotherResource: 'conflict',
  RESOURCE_IN_USE_BY_ANOTHER_RESOURCE: 'conflict',
  resourceInUse: 'conflict',
  RESOURCE_IN_USE: 'conflict',
  ipRangeConflict: 'conflict',
  INVALID_STATE: 'conflict',
  preconditionFailed: 'conflict',

  notFound: 'not-found',
  RESOURCE_NOT_FOUND: 'not-found',

  forbidden: 'terminal',
  insufficientPermissions: 'terminal',
  PERMISSIONS_ERROR: 'terminal',
  authError: 'terminal',
  required: 'terminal',
  invalid: 'terminal',
  badRequest: 'terminal',
  INVALID_FIELD_VALUE: 'terminal',
  INVALID_USAGE: 'terminal',
  invalidParameter: 'terminal',
  UNSUPPORTED_OPERATION: 'terminal',
  IP_SPACE_EXHAUSTED: 'terminal',
  quotaExceeded: 'terminal',
  QUOTA_EXCEEDED: 'terminal',
  limitExceeded: 'terminal',
  LIMIT_EXCEEDED: 'terminal',
  dailyLimitExceeded: 'terminal',
  accessNotConfigured: 'terminal',
  SERVICE_DISABLED: 'terminal',
  billingNotEnabled: 'terminal',
  credentials: 'terminal',
};

/** Of how many there may be. */
const quotas: ReadonlySet<string> = new Set([
  'quotaExceeded',
  'QUOTA_EXCEEDED',
  'limitExceeded',
  'LIMIT_EXCEEDED',
  'IP_SPACE_EXHAUSTED',
]);
const quotaIn = (code: string): { readonly quota?: true } => (quotas.has(code) ? { quota: true } : {});

/** Without a known code in the body, the status decides: https://cloud.google.com/apis/design/errors#http_mapping */
const statuses: Readonly<Record<number, Failure['kind']>> = {
  404: 'not-found',
  409: 'conflict',
  412: 'conflict',
  429: 'throttled',
};

/** Node's codes for a request that never left: https://nodejs.org/api/errors.html#common-system-errors */
const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** The answer, as the transport saw it. `status` undefined: no answer. */
export interface Refusal {
  readonly status?: number;
  readonly body?: string;
  readonly error?: unknown;
  /** As long as the cloud asks us to wait. */
  readonly retryAfterMs?: number | undefined;
  /** Until its window of quotas ends: so long a throttle lasts that names no wait. */
  readonly windowMs?: number;
}

/**
 *   what came back                   | read      | write
 *   ---------------------------------+-----------+-----------------------
 *   a reason or code of the table    | as the table says
 *   404, 409, 412, 429               | as the table of statuses says
 *   invalid: its network or subnet   | –         | not-found: it was made a moment ago and is
 *   cannot be found                  |           | not seen everywhere yet, or it is gone
 *   502, 504 with no word of Google's| retryable | ambiguous: a proxy on the way lost the answer
 *   another server error             | retryable | retryable: requestId and name find the result
 *   nothing, and it was never sent   | retryable | retryable
 *   nothing: reset, timeout, abort   | retryable | ambiguous
 *   an answer that cannot be read    | retryable | ambiguous
 *   another code                     | terminal  | terminal
 */
export function toFailure(refusal: Refusal, sent: { readonly mutating: boolean }): Failure {
  const { code, message } = said(refusal);
  const kind = isUnseenParent(code, message)
    ? 'not-found'
    : kindOf(code, refusal, sent.mutating ? 'ambiguous' : 'retryable');
  if (kind === 'throttled') return withWait({ kind, code, message }, refusal.retryAfterMs ?? refusal.windowMs);
  return withWait({ kind, code, message, ...quotaIn(code) }, refusal.retryAfterMs);
}

/** Only these, for the ids that we name them by were seen; an image or a size that is not there is somebody's mistake. */
const isUnseenParent = (code: string, message: string): boolean =>
  code === 'invalid' && /'resource\.(?:network|networkInterfaces\[\d+\]\.\w+)'.* cannot be found/.test(message);

/**
 * An operation that ended in errors: its work failed, though the request succeeded. Each of the three fields is
 * there only "if the operation fails", and none needs another:
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/globalOperations
 */
export function failureOf({ name, error, httpErrorStatusCode, httpErrorMessage }: Operation): Failure | undefined {
  if (!error && !httpErrorStatusCode && !httpErrorMessage) return undefined;
  const [first] = error?.errors ?? [];
  const code = first?.code || (httpErrorStatusCode ? `Http${httpErrorStatusCode}` : 'OperationFailed');
  const texts = (error?.errors ?? []).flatMap(({ message }) => message || []);
  const message = (texts.join(' ') || httpErrorMessage || 'the operation failed').slice(0, longestMessage);
  const meaning = known(code) ?? statuses[httpErrorStatusCode ?? 0] ?? 'terminal';
  // why: no rate limit was slowed for it, as the request itself was taken; so it waits by itself
  const kind = meaning === 'throttled' ? 'retryable' : meaning;
  return { kind, code, message, ...(name ? { requestId: name } : {}), ...quotaIn(code) };
}

function kindOf(code: string, { status }: Refusal, unanswered: Failure['kind']): Failure['kind'] {
  const meaning = known(code);
  if (meaning !== undefined) return meaning;
  if (neverSent.has(code)) return 'retryable';
  if (status === undefined || status < 400) return unanswered;
  if (gatewayErrors.has(code)) return unanswered;
  if (status >= 500) return 'retryable';
  return statuses[status] ?? 'terminal';
}

/** A gateway's errors, which do not show the cloud's result: https://www.rfc-editor.org/rfc/rfc9110#section-15.6.3 */
const gatewayErrors: ReadonlySet<string> = new Set(['Http502', 'Http504']);

const known = (code: string): Failure['kind'] | undefined =>
  Object.hasOwn(meanings, code) ? meanings[code] : undefined;

const longestMessage = 600;

/** The reason that the body gives, else Node's code, else the status. */
function said({ status, body, error }: Refusal): { readonly code: string; readonly message: string } {
  const reported = errorBodyIn(body);
  const code = reported?.code ?? (status === undefined ? codeOf(error) : `Http${status}`);
  const message = reported?.message ?? messageOf(error) ?? `the cloud answered ${status} and no reason`;
  return { code, message: message.slice(0, longestMessage) };
}

/** `{"error":{"code":403,"message":"…","errors":[{"reason":"forbidden"}]}}`, or with `details` instead of `errors`. */
function errorBodyIn(
  body: string | undefined,
): { readonly code: string | undefined; readonly message: string } | undefined {
  const error = errorIn(body);
  if (!error) return undefined;
  const { message, errors, details, status } = error;
  const reasons = [...(errors ?? []), ...(details ?? [])].flatMap(({ reason }) => reason ?? []);
  return { code: reasons[0] ?? status, message: message ?? 'the cloud gave no message' };
}

interface ErrorBody {
  readonly message?: string;
  readonly status?: string;
  readonly errors?: readonly { readonly reason?: string }[];
  readonly details?: readonly { readonly reason?: string }[];
}

function errorIn(body: string | undefined): ErrorBody | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '');
    if (typeof value !== 'object' || value === null || !('error' in value)) return undefined;
    const { error } = value;
    // why: an answer of the cloud has no type; every property is read as optional
    return typeof error === 'object' && error !== null ? (error as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

/** Node puts the reason of a failed fetch under `cause`, the SDK that of a failed call too. */
function codeOf(error: unknown): string {
  let code = 'Unanswered';
  for (let each = error, depth = 0; each instanceof Error && depth < 4; each = each.cause, depth++) {
    if ('code' in each && typeof each.code === 'string') code = each.code;
  }
  return code;
}

const messageOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  const reason = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${reason}`;
};
