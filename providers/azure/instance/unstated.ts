import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import type { Setting } from '../../../src/core/observed.ts';
import { canonicalId, partsOfId } from '../ids.ts';

/**
 * Settings of a machine that no spec states and that open it to others, as `VirtualMachines_ListAll` and
 * `NetworkInterfaces_ListAll` have them.
 *
 *   setting                  | told where
 *   -------------------------+------------------------------------------------------------------------------------------------
 *   further interfaces       | there is one besides the primary
 *   NSG on the interface     | there is one: it decides with that of the subnet,
 *                            | https://learn.microsoft.com/azure/virtual-network/network-security-group-how-it-works
 *   IP forwarding            | it is on, https://learn.microsoft.com/azure/virtual-network/virtual-network-network-interface
 *   identity of Azure's own  | it has a system-assigned one
 */
export function unstatedOf(vm: VirtualMachine, nic: NetworkInterface | undefined): readonly Setting[] {
  const interfaces = vm.networkProfile?.networkInterfaces ?? [];
  const primary = canonicalId(nic?.id ?? interfaces.find(({ primary }) => primary)?.id ?? interfaces[0]?.id ?? '');
  const further = interfaces.flatMap(({ id = '' }) => (canonicalId(id) === primary ? [] : [partsOfId(id).name]));
  const filter = nic?.networkSecurityGroup?.id;
  return [
    ...further
      .toSorted()
      .map((name) => ({ field: `interface ${name}`, detail: `has the further network interface ${name}` })),
    ...(filter === undefined
      ? []
      : [{ field: 'networkSecurityGroup', detail: `has the NSG ${partsOfId(filter).name} on its network interface` }]),
    ...(nic?.enableIPForwarding ? [{ field: 'enableIPForwarding', detail: 'may forward packets of others' }] : []),
    ...(/systemassigned/i.test(vm.identity?.type ?? '')
      ? [{ field: 'system identity', detail: 'has a system-assigned identity' }]
      : []),
  ];
}
