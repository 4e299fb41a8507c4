import { Refused } from '../protocol.ts';

/**
 * HTTP statuses by reason. https://docs.cloud.google.com/compute/docs/troubleshooting/troubleshooting-api-errors and
 * https://docs.cloud.google.com/compute/api-quota (403 with rateLimitExceeded).
 */
const STATUS: Readonly<Record<string, number>> = {
  required: 400,
  badRequest: 400,
  invalid: 400,
  resourceNotReady: 400,
  resourceInUseByAnotherResource: 400,
  forbidden: 403,
  quotaExceeded: 403,
  rateLimitExceeded: 403,
  notFound: 404,
  alreadyExists: 409,
  conditionNotMet: 412,
  backendError: 503,
};

/** An error answer of Compute Engine, to be thrown. `reason` is what `errors[].reason` says. */
export function refused(reason: string, message: string): Refused {
  return new Refused({ code: reason, status: STATUS[reason] ?? 400, message });
}

/** `field` from the body down: `resource.sourceRanges[0]`. */
export function invalid(field: string, value: unknown, why: string): Refused {
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  return refused('invalid', `Invalid value for field '${field}': '${shown}'. ${why}`);
}

export function required(field: string): Refused {
  return refused('required', `Required field '${field}' not specified`);
}

/** `path` as in `projects/acme/global/networks/core`. */
export function notFound(path: string): Refused {
  return refused('notFound', `The resource '${path}' was not found`);
}

export function conditionNotMet(
  message = 'Supplied fingerprint does not match current metadata fingerprint.',
): Refused {
  return refused('conditionNotMet', message);
}

/** `path` as in `projects/acme/global/networks/core`. */
export function alreadyExists(path: string): Refused {
  return refused('alreadyExists', `The resource '${path}' already exists`);
}

export function notReady(path: string): Refused {
  return refused('resourceNotReady', `The resource '${path}' is not ready`);
}

/** `kind` as the message says it: `network`, `subnetwork`. */
export function inUse(kind: string, path: string, by: string): Refused {
  return refused('resourceInUseByAnotherResource', `The ${kind} resource '${path}' is already being used by '${by}'`);
}
