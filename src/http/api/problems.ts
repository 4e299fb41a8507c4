import type { Permission } from '../../core/access/grant.ts';
import type { InputError, Problem } from '../problem.ts';

/** Of what is missing and of what somebody may not see, always the same: nobody learns which of the two it was. */
export const notFound: Problem = {
  status: 404,
  title: 'Not Found',
  detail: 'There is nothing here that you may see.',
};

/** Always the same, whatever is wrong with a credential: who guesses learns nothing. */
export const unauthorized: Problem = {
  status: 401,
  title: 'Unauthorized',
  detail: 'Send Authorization: Bearer with a token of Setpoint, or of an issuer that it trusts, that is still valid.',
  headers: { 'www-authenticate': 'Bearer realm="setpoint"' },
};

/** To whoever may see what they ask for and not do this to it, or may do it nowhere. */
export const forbidden = (permission: Permission): Problem => ({
  status: 403,
  title: 'Forbidden',
  detail: `This needs the permission ${permission} there: ask an administrator of Setpoint for it.`,
  more: { permission },
});

export const badInput = (errors: readonly InputError[]): Problem => ({
  status: 400,
  title: 'Bad Request',
  detail: 'The request does not fit what this address takes: `errors` says where. See /docs.',
  errors,
});
