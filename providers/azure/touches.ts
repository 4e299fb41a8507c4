import type { Touch } from '../../src/core/last-modified.ts';
import { type Fields, fieldsOf, given, textOf, timeOf } from '../shared/event-fields.ts';
import { canonicalId } from './ids.ts';

/**
 * A resource event of a subscription or a resource group, in Event Grid's schema or that of CloudEvents:
 * https://learn.microsoft.com/azure/event-grid/event-schema-subscriptions
 *
 * It does not tell the location, so its scope is the subscription; nor the program. An object is called by its ARM id in lower
 * case, without the number that our ids end in: see `told` in dialect.ts.
 */
export function touches(event: unknown): readonly Touch[] {
  const envelope = fieldsOf(event);
  const data = fieldsOf(envelope['data']);
  const type = textOf(envelope['eventType']) ?? textOf(envelope['type']) ?? '';
  if (!/^Microsoft\.Resources\.Resource(Write|Delete|Action)Success$/.test(type)) return [];
  const object = canonicalId(textOf(data['resourceUri']) ?? textOf(envelope['subject']) ?? '');
  const subscription = ofOurs.exec(object)?.[1];
  const action = textOf(data['operationName']);
  const name = textOf(envelope['id']);
  const at = timeOf(envelope['eventTime']) ?? timeOf(envelope['time']);
  if (subscription === undefined || action === undefined || name === undefined || at === undefined) return [];
  const requestId = textOf(data['correlationId']);
  const actor = actorOf(data, action);
  return [{ scope: `azure/${subscription}`, event: name, at, actor, objects: [object], ...given({ requestId }) }];
}

/** Of the providers of our kinds and their parts. */
const ofOurs =
  /^\/subscriptions\/([^/]+)\/resourcegroups\/[^/]+\/providers\/microsoft\.(?:network|compute)\/[^/]+\/[^/]+/;

/** People have a name for signing in, applications an id: https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference */
const names = [
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn',
  'upn',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
  'unique_name',
  'email',
  'appid',
  'http://schemas.microsoft.com/identity/claims/objectidentifier',
  'oid',
];

function actorOf(data: Fields, action: string): Touch['actor'] {
  const claims = fieldsOf(data['claims']);
  const who = names.map((name) => textOf(claims[name])).find((one) => one !== undefined) ?? 'unknown';
  const from = textOf(fieldsOf(data['httpRequest'])['clientIpAddress']) ?? textOf(claims['ipaddr']);
  return { who, action, ...given({ from }) };
}
