import { readBody } from '../body.ts';
import type { Kind } from '../kind.ts';
import { checkWritable, written } from '../lifecycle.ts';
import { placeOf } from '../location.ts';
import type { Asked, Method, Reply } from '../method.ts';
import {
  type InterfaceOrder,
  interfaceBody,
  interfaceForm,
  markAddresses,
  plannedInterface,
  refuseUsedInterface,
  tieAddresses,
} from '../network-interface.ts';
import type { NetworkInterface } from '../records.ts';
import { checkedName, keyOf, nameOf } from '../resource-id.ts';
import { checkedTags } from '../tags.ts';
import { trackedMethods } from '../tracked-methods.ts';

const kind: Kind<NetworkInterface> = {
  type: 'Microsoft.Network/networkInterfaces',
  table: ({ subscription }) => subscription.interfaces,
  renderer:
    ({ subscription }) =>
    (nic) =>
      interfaceBody(subscription, nic),
};

/** https://learn.microsoft.com/rest/api/virtualnetwork/network-interfaces */
export const networkInterfaceMethods: readonly Method[] = trackedMethods<NetworkInterface>({
  kind,
  name: 'networkInterfaces',
  pages: 'interfaces',
  put,
  refuseRemoval: (_, nic) => refuseUsedInterface(nic),
  onRemoved: ({ subscription }, nic) => tieAddresses(subscription, nic, undefined),
});

function put(asked: Asked, path: string): Reply {
  const { subscription, request } = asked;
  checkedName(nameOf(path));
  const known = subscription.interfaces.get(keyOf(path));
  const { location, tags, properties } = readBody(request.body, interfaceForm);
  const place = placeOf({ location, known, path });
  checkWritable(asked, known, path);
  const order: InterfaceOrder = { path, location: place, tags: checkedTags(tags), properties, known };
  const nic = plannedInterface(asked, order);
  markAddresses(subscription, order);
  tieAddresses(subscription, known, nic);
  return written(asked, kind, nic, () => {
    if (known) tieAddresses(subscription, nic, known);
  });
}
