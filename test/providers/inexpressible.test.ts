import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Instance, Subnet, Vpc } from '@aws-sdk/client-ec2';
import type { VirtualMachine } from '@azure/arm-compute';
import type { Subnet as AzureSubnet, NetworkInterface, VirtualNetwork } from '@azure/arm-network';
import { inexpressibleOf as aws } from '../../providers/aws/inexpressible.ts';
import { inexpressibleOf as azure } from '../../providers/azure/inexpressible.ts';
import { inexpressibleOf as gcp } from '../../providers/gcp/inexpressible.ts';
import type { Firewall, Instance as GcpInstance, Network, Subnetwork } from '../../providers/gcp/messages.ts';
import type { Condition } from '../../src/core/observed.ts';

type Told = Pick<Condition, 'inexpressible'>;
type Row<T> = readonly [given: T, want: readonly string[]];

const detailsOf = ({ inexpressible = [] }: Told): readonly string[] => inexpressible.map(({ detail }) => detail);

function tells<T>(what: string, told: (object: T) => Told, rows: readonly Row<T>[]): void {
  for (const [given, want] of rows)
    test(`${what} ${JSON.stringify(given)}`, () => assert.deepEqual(detailsOf(told(given)), want));
}

const ARM = '/subscriptions/1/resourceGroups/acme/providers';

describe('AWS: settings that no document can state are told where they differ from the default', () => {
  tells<Instance>('AWS machine', aws.instance, [
    [{}, []],
    [
      {
        Placement: { Tenancy: 'default', GroupName: '' },
        Monitoring: { State: 'disabled' },
        MetadataOptions: { HttpEndpoint: 'enabled', InstanceMetadataTags: 'disabled' },
        MaintenanceOptions: { AutoRecovery: 'default' },
        NetworkInterfaces: [
          { Attachment: { DeviceIndex: 0 }, PrivateIpAddresses: [{ Primary: true, PrivateIpAddress: '10.0.0.4' }] },
          { Attachment: { DeviceIndex: 1 }, PrivateIpAddresses: [{ Primary: false, PrivateIpAddress: '10.0.0.5' }] },
        ],
      },
      [],
    ],
    [
      { Placement: { Tenancy: 'dedicated', GroupName: 'fast' }, Monitoring: { State: 'enabled' } },
      ['has the tenancy dedicated', 'is in the placement group fast', 'has detailed monitoring'],
    ],
    [
      {
        NetworkInterfaces: [
          {
            Attachment: { DeviceIndex: 0 },
            Ipv6Addresses: [{ Ipv6Address: '2001:db8::5' }],
            PrivateIpAddresses: [
              { Primary: true, PrivateIpAddress: '10.0.0.4' },
              { Primary: false, PrivateIpAddress: '10.0.0.9' },
              { Primary: false, PrivateIpAddress: '10.0.0.8' },
            ],
          },
        ],
      },
      ['has the IPv6 addresses 2001:db8::5', 'has the secondary private addresses 10.0.0.8, 10.0.0.9'],
    ],
  ]);
  tells<Vpc>('VPC', aws.network, [
    [{ InstanceTenancy: 'default', BlockPublicAccessStates: { InternetGatewayBlockMode: 'off' } }, []],
    [{ InstanceTenancy: 'dedicated' }, ['has the tenancy dedicated']],
  ]);
  tells<Subnet>('AWS subnet', aws.subnet, [
    [
      {
        AssignIpv6AddressOnCreation: false,
        EnableDns64: false,
        PrivateDnsNameOptionsOnLaunch: { HostnameType: 'ip-name' },
      },
      [],
    ],
    [{ EnableDns64: true, Ipv6Native: true }, ['answers DNS64', 'has IPv6 only']],
  ]);
});

describe('Google Cloud: likewise', () => {
  tells<GcpInstance>('Google machine', gcp.instance, [
    [{}, []],
    [
      {
        scheduling: { automaticRestart: true, onHostMaintenance: 'MIGRATE' },
        networkInterfaces: [{ stackType: 'IPV4_ONLY', aliasIpRanges: [] }],
        metadata: {
          items: [
            { key: 'startup-script', value: 'x' },
            { key: 'ssh-keys', value: 'y' },
          ],
        },
      },
      [],
    ],
    [{ scheduling: { automaticRestart: false, onHostMaintenance: 'TERMINATE', preemptible: true } }, []],
    [
      { scheduling: { automaticRestart: false, onHostMaintenance: 'TERMINATE' } },
      ['does not restart after a failure', 'stops for maintenance'],
    ],
    [
      { guestAccelerators: [{ acceleratorCount: 2, acceleratorType: 'zones/a/acceleratorTypes/nvidia-l4' }] },
      ['has the accelerators 2 nvidia-l4'],
    ],
    [
      {
        metadata: {
          items: [
            { key: 'token', value: 'canary-secret' },
            { key: 'enable-oslogin', value: 'TRUE' },
          ],
        },
      },
      ['has the metadata keys enable-oslogin, token'],
    ],
  ]);
  tells<Network>('Google network', gcp.network, [
    [{ mtu: 1460, routingConfig: { routingMode: 'REGIONAL' }, autoCreateSubnetworks: false }, []],
    [{ mtu: 8896, autoCreateSubnetworks: true }, ['has an MTU of 8896', 'makes a subnet in every region']],
  ]);
  tells<Subnetwork>('Google subnet', gcp.subnet, [
    [{ purpose: 'PRIVATE', stackType: 'IPV4_ONLY', logConfig: { enable: false } }, []],
    [{ purpose: 'REGIONAL_MANAGED_PROXY' }, ['has the purpose REGIONAL_MANAGED_PROXY']],
    [{ logConfig: { enable: true } }, ['logs its flows']],
  ]);
  tells<Firewall>('Google firewall', gcp.rule, [
    [{ logConfig: { enable: true, metadata: 'INCLUDE_ALL_METADATA' } }, []],
    [{ logConfig: { enable: true, metadata: 'EXCLUDE_ALL_METADATA' } }, ['logs without metadata']],
  ]);
});

describe('Azure: likewise', () => {
  type Machine = readonly [VirtualMachine, NetworkInterface?];
  tells<Machine>('Azure machine', ([vm, nic]) => azure.instance(vm, nic), [
    [[{ location: 'westeurope' }, undefined], []],
    [[{ location: 'westeurope' }, { ipConfigurations: [{ primary: true, privateIPAddress: '10.0.0.4' }] }], []],
    [
      [
        {
          location: 'westeurope',
          resources: [
            { location: 'westeurope', id: `${ARM}/Microsoft.Compute/virtualMachines/web/extensions/monitor` },
          ],
          securityProfile: { securityType: 'TrustedLaunch' },
        },
        {
          enableAcceleratedNetworking: true,
          ipConfigurations: [
            {
              primary: true,
              loadBalancerBackendAddressPools: [
                { id: `${ARM}/Microsoft.Network/loadBalancers/front/backendAddressPools/web` },
              ],
            },
          ],
        },
      ],
      [
        'has the extensions monitor',
        'has the security type TrustedLaunch',
        'has accelerated networking',
        'is behind the load balancer pools web',
      ],
    ],
  ]);
  tells<VirtualNetwork>('VNet', azure.network, [
    [{ dhcpOptions: { dnsServers: [] }, enableDdosProtection: false }, []],
    [{ dhcpOptions: { dnsServers: ['10.0.0.10'] } }, ['has the DNS servers 10.0.0.10']],
  ]);
  tells<AzureSubnet>('Azure subnet', azure.subnet, [
    [{ serviceEndpoints: [], delegations: [] }, []],
    [
      {
        serviceEndpoints: [{ service: 'Microsoft.Sql' }, { service: 'Microsoft.KeyVault' }],
        delegations: [{ serviceName: 'Microsoft.Web/serverFarms' }],
      },
      ['has the service endpoints Microsoft.KeyVault, Microsoft.Sql', 'is delegated to Microsoft.Web/serverFarms'],
    ],
  ]);
});

test('values of metadata are never told', () => {
  const given = { metadata: { items: [{ key: 'token', value: 'canary-secret' }] } };
  assert.doesNotMatch(JSON.stringify(gcp.instance(given)), /canary/);
});
