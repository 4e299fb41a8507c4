import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface, Subnet, VirtualNetwork } from '@azure/arm-network';
import { type Inexpressible, inexpressibleIn, listed } from '../shared/inexpressible.ts';
import { partsOfId } from './ids.ts';

/*
 * Settings that no document can state, where they differ from their default:
 * https://learn.microsoft.com/rest/api/compute/virtual-machines/get, and of virtual networks, subnets and network interfaces
 * https://learn.microsoft.com/rest/api/virtualnetwork/virtual-networks/get
 */

interface Machine {
  readonly vm: VirtualMachine;
  readonly nic: NetworkInterface | undefined;
}

const ofMachine: readonly Inexpressible<Machine>[] = [
  ['extensions', ({ vm }) => named('has the extensions', vm.resources)],
  ['licenseType', ({ vm }) => listed('has the licence', [vm.licenseType])],
  ['plan', ({ vm }) => listed('has the purchase plan', [vm.plan?.name])],
  ['proximityPlacementGroup', ({ vm }) => named('is in the proximity placement group', [vm.proximityPlacementGroup])],
  ['host', ({ vm }) => named('is on the dedicated host', [vm.host])],
  ['hostGroup', ({ vm }) => named('is in the host group', [vm.hostGroup])],
  [
    'capacityReservation',
    ({ vm }) => named('uses the capacity reservation', [vm.capacityReservation?.capacityReservationGroup]),
  ],
  ['securityProfile.securityType', ({ vm }) => listed('has the security type', [vm.securityProfile?.securityType])],
  [
    'securityProfile.encryptionAtHost',
    ({ vm }) => (vm.securityProfile?.encryptionAtHost ? 'encrypts its disks on the host' : undefined),
  ],
  [
    'additionalCapabilities.ultraSSDEnabled',
    ({ vm }) => (vm.additionalCapabilities?.ultraSSDEnabled ? 'may attach ultra disks' : undefined),
  ],
  [
    'additionalCapabilities.hibernationEnabled',
    ({ vm }) => (vm.additionalCapabilities?.hibernationEnabled ? 'can hibernate' : undefined),
  ],
  [
    'enableAcceleratedNetworking',
    ({ nic }) => (nic?.enableAcceleratedNetworking ? 'has accelerated networking' : undefined),
  ],
  ['dnsSettings.dnsServers', ({ nic }) => listed('has the DNS servers', nic?.dnsSettings?.dnsServers)],
  [
    'ipConfigurations',
    ({ nic }) =>
      listed(
        'has the secondary private addresses',
        nic?.ipConfigurations?.filter(({ primary }) => primary === false).map((one) => one.privateIPAddress),
      ),
  ],
  ['loadBalancerBackendAddressPools', ({ nic }) => named('is behind the load balancer pools', poolsOf(nic))],
];

const poolsOf = (nic: NetworkInterface | undefined): readonly Linked[] =>
  (nic?.ipConfigurations ?? []).flatMap((one) => [
    ...(one.loadBalancerBackendAddressPools ?? []),
    ...(one.applicationGatewayBackendAddressPools ?? []),
  ]);

type Linked = { readonly id?: string | undefined } | undefined;

const named = (words: string, links: readonly Linked[] | undefined): string | undefined =>
  listed(
    words,
    links?.map((link) => lastName(link?.id)),
  );

/** Of a child the last name: `…/virtualMachines/web/extensions/Monitor` → `monitor`. Azure spells ids in several cases. */
function lastName(id = ''): string {
  const { name, child } = partsOfId(id);
  return (child === '' ? name : child).toLowerCase();
}

const ofVnet: readonly Inexpressible<VirtualNetwork>[] = [
  ['dhcpOptions.dnsServers', ({ dhcpOptions }) => listed('has the DNS servers', dhcpOptions?.dnsServers)],
  ['enableDdosProtection', ({ enableDdosProtection }) => (enableDdosProtection ? 'has DDoS protection' : undefined)],
  ['encryption', ({ encryption }) => (encryption?.enabled ? 'encrypts its traffic' : undefined)],
  [
    'flowTimeoutInMinutes',
    ({ flowTimeoutInMinutes: minutes }) => (minutes ? `ends flows after ${minutes} min` : undefined),
  ],
];

const ofSubnet: readonly Inexpressible<Subnet>[] = [
  [
    'serviceEndpoints',
    ({ serviceEndpoints }) =>
      listed(
        'has the service endpoints',
        serviceEndpoints?.map(({ service }) => service),
      ),
  ],
  [
    'delegations',
    ({ delegations }) =>
      listed(
        'is delegated to',
        delegations?.map(({ serviceName }) => serviceName),
      ),
  ],
  [
    'serviceEndpointPolicies',
    ({ serviceEndpointPolicies }) => named('has the endpoint policies', serviceEndpointPolicies),
  ],
  ['privateEndpoints', ({ privateEndpoints }) => named('has the private endpoints', privateEndpoints)],
];

export const inexpressibleOf = {
  instance: (vm: VirtualMachine, nic: NetworkInterface | undefined) => inexpressibleIn(ofMachine, { vm, nic }),
  network: (vnet: VirtualNetwork) => inexpressibleIn(ofVnet, vnet),
  subnet: (subnet: Subnet) => inexpressibleIn(ofSubnet, subnet),
};
