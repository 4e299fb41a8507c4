import { createHash } from 'node:crypto';
import { TENANT } from '../../arm/methods/subscription.ts';
import { principalOf } from '../../arm/principal.ts';
import type { WireRequest } from '../../protocol.ts';
import { bearerClaims } from '../bearer-claims.ts';
import { requesterOf } from '../requester.ts';

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
export function claimsOf(request: WireRequest): Readonly<Record<string, string>> {
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
