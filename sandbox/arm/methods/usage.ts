import { seenRecord } from '../kind.ts';
import { usagesOf } from '../machine-sizes.ts';
import { type Method, method } from '../method.ts';
import { roomIn } from '../network-interface.ts';
import { configurationsIn } from '../references.ts';
import { pathOf } from '../tracked-methods.ts';
import { virtualNetworkKind } from '../virtual-network.ts';

/** The usage of quotas, per location and per virtual network. */
export const usageMethods: readonly Method[] = [
  method({
    verb: 'GET',
    path: '/providers/Microsoft.Compute/locations/{location}/usages',
    action: 'usage.list',
    answer: ({ subscription, parameters }) => ({
      status: 200,
      body: { value: usagesOf(subscription, parameters.location) },
    }),
  }),
  method({
    verb: 'GET',
    path: '/resourceGroups/{group}/providers/Microsoft.Network/virtualNetworks/{name}/usages',
    action: 'virtualNetworks.listUsage',
    answer: (asked) => {
      const { subnets } = seenRecord(asked, virtualNetworkKind, pathOf(asked, virtualNetworkKind));
      const value = subnets.map((subnet) => ({
        currentValue: configurationsIn(asked.subscription, subnet.id).length,
        id: subnet.path,
        limit: roomIn(subnet),
        name: { localizedValue: 'Subnet size and usage', value: 'SubnetSpace' },
        unit: 'Count',
      }));
      return { status: 200, body: { value } };
    },
  }),
];
