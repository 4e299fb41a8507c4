import { listOf, mapOf, object, optional } from '../json.ts';
import { pattern, scalar } from '../json-scalar.ts';

/**
 * What subscriptions hold, as a file says it: resources as ARM itself takes them, in the order in which they are put.
 *
 * ```json
 * { "subscriptions": [{
 *   "id": "11112222-…",                                        left out: the sandbox's first
 *   "groups": [{ "name": "Rg", "location": "westeurope", "tags": {} }],
 *   "outside": ["/subscriptions/…/routeTables/x"],             known, and no more: resources may refer to them
 *   "resources": [{
 *     "type": "Microsoft.Network/virtualNetworks", "group": "Rg", "name": "core",     required; a child is "core/app"
 *     "location": "westeurope",                                left out: its group's
 *     "tags": {},
 *     "properties": { "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] }, "subnets": [ … ] },
 *     "body": { "sku": { "name": "Standard" } }                whatever else the type's PUT takes at its top
 *   }]
 * }] }
 * ```
 *
 * What ARM would refuse is refused here, with its place in the document. References are ids, written out.
 */
const text = scalar('string');

const tags = optional(mapOf(text));

const group = object({ name: text, location: text, tags });

const resource = object({
  type: pattern(/^Microsoft\.\w+(?:\/\w+)+$/, 'a type such as Microsoft.Network/virtualNetworks'),
  group: text,
  name: text,
  location: optional(text),
  tags,
  properties: (value: unknown) => value,
  body: optional(mapOf((value: unknown) => value)),
});

const subscription = object({
  id: optional(text),
  groups: optional(listOf(group)),
  outside: optional(listOf(text)),
  resources: optional(listOf(resource)),
});

export const readEstate = object({ subscriptions: listOf(subscription) });

export type SubscriptionForm = ReturnType<typeof subscription>;

export type ResourceForm = ReturnType<typeof resource>;
