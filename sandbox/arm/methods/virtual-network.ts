import { readBody } from '../body.ts';
import { checkWritable, identity, written } from '../lifecycle.ts';
import { checkCount, placeOf } from '../location.ts';
import type { Asked, Method, Reply } from '../method.ts';
import { checkPeerings, connect, readPeering } from '../peering.ts';
import type { VirtualNetwork } from '../records.ts';
import { checkedName, keyOf, nameOf, refuseTwins } from '../resource-id.ts';
import { checkedTags } from '../tags.ts';
import { trackedMethods } from '../tracked-methods.ts';
import { checkSubnets, keptOf, networkForm, readSubnet, virtualNetworkKind } from '../virtual-network.ts';

/** https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules#microsoftnetwork */
const LONGEST_NAME = 64;

/** https://learn.microsoft.com/rest/api/virtualnetwork/virtual-networks */
export const virtualNetworkMethods: readonly Method[] = trackedMethods<VirtualNetwork>({
  kind: virtualNetworkKind,
  name: 'virtualNetworks',
  pages: 'networks',
  put,
  refuseRemoval: (asked, network) => {
    checkSubnets(asked, { network, before: network.subnets, after: [] });
  },
});

/** Replaces the whole, subnets and peerings too: those left out are deleted. */
function put(asked: Asked, path: string): Reply {
  const { subscription, request } = asked;
  checkedName(nameOf(path), LONGEST_NAME);
  const known = subscription.networks.get(keyOf(path));
  const { location, tags, properties } = readBody(request.body, networkForm);
  const place = placeOf({ location, known, path });
  checkWritable(asked, known, path);
  const { networks: most } = subscription.quotas;
  checkCount('VirtualNetwork', { known, others: subscription.networks.values(), location: place, most });
  const forms = properties?.subnets ?? [];
  const before = known?.subnets ?? [];
  const addressPrefixes = properties?.addressSpace?.addressPrefixes ?? [];
  const space = { path: known?.path ?? path, addressPrefixes, peerings: known?.peerings ?? [] };
  const network: VirtualNetwork = {
    ...identity(asked, known, path),
    location: place,
    tags: checkedTags(tags),
    addressPrefixes,
    subnets: forms.map((form) =>
      readSubnet(asked, { path: known?.path ?? path, location: place, subnets: before }, form.name ?? '', form),
    ),
    peerings: (properties?.virtualNetworkPeerings ?? []).map((form) =>
      readPeering(asked, space, form.name ?? '', form),
    ),
    kept: keptOf(properties, 'network'),
  };
  refuseTwins(
    network.path,
    network.subnets.map((subnet) => nameOf(subnet.path)),
  );
  refuseTwins(
    network.path,
    network.peerings.map((peering) => nameOf(peering.path)),
  );
  checkPeerings(network.peerings);
  checkSubnets(asked, { network, before, after: network.subnets });
  const reply = written(asked, virtualNetworkKind, network);
  connect(asked, network);
  return reply;
}
