import { Refused } from '../protocol.ts';

/**
 * HTTP statuses of the codes that are not 400.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html; RequestLimitExceeded as seen in
 * https://github.com/kubernetes/kubernetes/issues/76079, DryRunOperation as answered by the service.
 */
const STATUS: Readonly<Record<string, number>> = {
  AuthFailure: 401,
  UnauthorizedOperation: 403,
  DryRunOperation: 412,
  RequestLimitExceeded: 503,
  Unavailable: 503,
  ServiceUnavailable: 503,
  InsufficientInstanceCapacity: 500,
  InternalError: 500,
};

/** An error answer of EC2, to be thrown. */
export function refused(code: string, message: string): Refused {
  return new Refused({ code, status: STATUS[code] ?? 400, message });
}

export function missing(parameter: string): Refused {
  return refused('MissingParameter', `The request must contain the parameter ${parameter}`);
}

export function required<T>(value: T | undefined, parameter: string): T {
  if (value === undefined || value === '') throw missing(parameter);
  return value;
}
