import { type Refusal, Refused } from '../protocol.ts';

/** ARM's error: https://github.com/microsoft/api-guidelines/blob/vNext/azure/Guidelines.md#handling-errors */
export interface ArmRefusal extends Refusal {
  readonly target?: string;
  readonly details?: readonly { readonly code: string; readonly message: string; readonly target?: string }[];
  /** Seconds, sent as `Retry-After`. */
  readonly retryAfter?: number;
}

/** HTTP statuses of the codes that are not 400. */
const STATUS: Readonly<Record<string, number>> = {
  AuthenticationFailed: 401,
  AuthorizationFailed: 403,
  SubscriptionNotFound: 404,
  ResourceGroupNotFound: 404,
  ResourceNotFound: 404,
  NotFound: 404,
  ParentResourceNotFound: 404,
  InvalidResourceType: 404,
  InvalidResourceNamespace: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  AnotherOperationInProgress: 409,
  ResourceGroupBeingDeleted: 409,
  OperationNotAllowed: 409,
  PreconditionFailed: 412,
  RetryableErrorDueToAnotherOperation: 429,
  TooManyRequests: 429,
  SubscriptionRequestsThrottled: 429,
};

/** An error answer of ARM, to be thrown. */
export function refused(code: string, message: string, more: Partial<ArmRefusal> = {}): Refused {
  const refusal: ArmRefusal = { code, status: STATUS[code] ?? 400, message, ...more };
  return new Refused(refusal);
}

export function errorBody({ code, message, ...rest }: ArmRefusal): object {
  const target = rest.target === undefined ? {} : { target: rest.target };
  const details = rest.details === undefined ? {} : { details: rest.details };
  return { error: { code, message, ...target, ...details } };
}
