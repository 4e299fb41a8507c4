import type { PublicAddress } from './machine-records.ts';
import { nameOf } from './resource-id.ts';
import { tagsBody } from './tags.ts';

/** https://learn.microsoft.com/rest/api/virtualnetwork/public-ip-addresses/get */
export function publicAddressBody(record: PublicAddress): object {
  const { path, version, sku, kept, address, usedBy, deleteOption } = record;
  return {
    name: nameOf(path),
    id: path,
    etag: version.etag,
    type: 'Microsoft.Network/publicIPAddresses',
    location: record.location,
    ...tagsBody(record.tags),
    ...(kept.zones === undefined ? {} : { zones: kept.zones }),
    sku: { name: sku.name, tier: sku.tier },
    properties: {
      provisioningState: version.state,
      resourceGuid: record.guid,
      publicIPAddressVersion: 'IPv4',
      idleTimeoutInMinutes: 4,
      ipTags: [],
      ...kept.properties,
      publicIPAllocationMethod: record.allocation,
      ...(address === undefined ? {} : { ipAddress: address }),
      ...(usedBy === undefined ? {} : { ipConfiguration: { id: usedBy } }),
      ...(deleteOption === undefined ? {} : { deleteOption }),
    },
  };
}
