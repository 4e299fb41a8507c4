import { readBody } from '../body.ts';
import { childMethods } from '../child-methods.ts';
import type { Method } from '../method.ts';
import { checkPeerings, connect, peeringBody, peeringForm, readPeering } from '../peering.ts';
import type { Peering, VirtualNetwork } from '../records.ts';
import { virtualNetworkKind } from '../virtual-network.ts';

/** https://learn.microsoft.com/rest/api/virtualnetwork/virtual-network-peerings */
export const virtualNetworkPeeringMethods: readonly Method[] = childMethods<VirtualNetwork, Peering>({
  parent: virtualNetworkKind,
  name: 'virtualNetworkPeerings',
  body:
    ({ subscription }, network) =>
    (peering) =>
      peeringBody(subscription, network, peering),
  read: (asked, network, name) => readPeering(asked, network, name, readBody(asked.request.body, peeringForm)),
  set: {
    of: ({ peerings }) => peerings,
    with: (network, peerings) => ({ ...network, peerings }),
    check: (_, __, after) => checkPeerings(after),
  },
  onWritten: connect,
});
