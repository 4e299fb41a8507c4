import { listOf, optional } from '../json.ts';
import { oneOf, scalar } from '../json-scalar.ts';
import { anything, fields, readOnly } from './body.ts';
import { tagsField } from './tags.ts';

const text = optional(scalar('string'));

/** What is kept and given back, and changes nothing in the sandbox. */
const KEPT = {
  idleTimeoutInMinutes: optional(scalar('number')),
  dnsSettings: anything,
  ddosSettings: anything,
  ipTags: anything,
} as const;

/** https://learn.microsoft.com/rest/api/virtualnetwork/public-ip-addresses/create-or-update, as far as the sandbox models it. */
export const publicAddressForm = fields({
  location: text,
  tags: tagsField,
  zones: optional(listOf(scalar('string'))),
  sku: optional(fields({ name: optional(oneOf('Basic', 'Standard')), tier: text })),
  properties: fields({
    ...KEPT,
    publicIPAllocationMethod: optional(oneOf('Dynamic', 'Static')),
    publicIPAddressVersion: optional(oneOf('IPv4')),
    deleteOption: optional(oneOf('Delete', 'Detach')),
    ipAddress: readOnly,
    ipConfiguration: readOnly,
    resourceGuid: readOnly,
    provisioningState: readOnly,
    natGateway: readOnly,
    migrationPhase: readOnly,
    upgradedToV2: readOnly,
  }),
  id: readOnly,
  name: readOnly,
  type: readOnly,
  etag: readOnly,
});

export type PublicAddressForm = ReturnType<typeof publicAddressForm>;

export const PUBLIC_ADDRESS_KEPT = Object.keys(KEPT);
