import type { Failure } from '../../src/core/failure.ts';

/** True if the cloud refused the call for its contents, so that a smaller one may pass. */
export const sinks = ({ kind, code }: Failure): boolean =>
  (kind === 'not-found' || kind === 'conflict' || kind === 'terminal') && !refusesAnySize.has(code);

const refusesAnySize: ReadonlySet<string> = new Set([
  'PreconditionFailed',
  'AuthorizationFailed',
  'LinkedAuthorizationFailed',
  'InvalidAuthenticationToken',
  'ExpiredAuthenticationToken',
  'RequestDisallowedByPolicy',
  'ScopeLocked',
  'ReadOnlyDisabledSubscription',
]);
