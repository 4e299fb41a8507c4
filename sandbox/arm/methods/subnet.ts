import { readBody } from '../body.ts';
import { childMethods } from '../child-methods.ts';
import type { Method } from '../method.ts';
import type { Subnet, VirtualNetwork } from '../records.ts';
import { configurationsIn } from '../references.ts';
import { checkSubnets, readSubnet, subnetBody, subnetForm, virtualNetworkKind } from '../virtual-network.ts';

/** https://learn.microsoft.com/rest/api/virtualnetwork/subnets */
export const subnetMethods: readonly Method[] = childMethods<VirtualNetwork, Subnet>({
  parent: virtualNetworkKind,
  name: 'subnets',
  body:
    ({ subscription }, network) =>
    (subnet) =>
      subnetBody(network, subnet, configurationsIn(subscription, subnet.id)),
  read: (asked, network, name) => readSubnet(asked, network, name, readBody(asked.request.body, subnetForm)),
  set: {
    of: ({ subnets }) => subnets,
    with: (network, subnets) => ({ ...network, subnets }),
    check: (asked, network, after) => {
      checkSubnets(asked, { network, before: network.subnets, after });
    },
  },
});
