import type { Kind } from './kind.ts';
import type { VirtualNetwork } from './records.ts';
import { nameOf } from './resource-id.ts';
import { subnetBody } from './subnet.ts';
import { tagsBody } from './tags.ts';
import { configurationsIn } from './usage.ts';

export const virtualNetworkKind: Kind<VirtualNetwork> = {
  table: ({ subscription }) => subscription.networks,
  type: 'Microsoft.Network/virtualNetworks',
  renderer:
    ({ subscription }) =>
    (network) => ({
      name: nameOf(network.path),
      id: network.path,
      etag: network.version.etag,
      type: virtualNetworkKind.type,
      location: network.location,
      ...tagsBody(network.tags),
      properties: {
        provisioningState: network.version.state,
        resourceGuid: network.guid,
        addressSpace: { addressPrefixes: network.addressPrefixes },
        subnets: network.subnets.map((subnet) =>
          subnetBody(network, subnet, configurationsIn(subscription, subnet.id)),
        ),
        virtualNetworkPeerings: [],
        enableDdosProtection: false,
        ...network.kept,
      },
    }),
};
