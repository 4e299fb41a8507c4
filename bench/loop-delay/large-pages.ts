import type { Hostile } from './answering.ts';
import type { Answers } from './hostile-answers.ts';

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const compute = 'https://www.googleapis.com/compute/v1/projects/acme-prod';

const gceInstance = (i: number): object => ({
  kind: 'compute#instance',
  id: `${1_000_000 + i}`,
  creationTimestamp: '2026-02-02T22:40:35.427-08:00',
  name: `web-${i}`,
  description: '',
  tags: { items: times(5, (n) => `tag-${n}`), fingerprint: 'abc=' },
  machineType: `${compute}/zones/europe-west1-b/machineTypes/e2-small`,
  status: 'RUNNING',
  zone: `${compute}/zones/europe-west1-b`,
  canIpForward: false,
  networkInterfaces: [
    {
      kind: 'compute#networkInterface',
      network: `${compute}/global/networks/core`,
      subnetwork: `${compute}/regions/europe-west1/subnetworks/app`,
      networkIP: `10.0.${i >> 8}.${i & 255}`,
      name: 'nic0',
      accessConfigs: [
        {
          kind: 'compute#accessConfig',
          type: 'ONE_TO_ONE_NAT',
          name: 'External NAT',
          natIP: '203.0.113.1',
          networkTier: 'PREMIUM',
        },
      ],
      fingerprint: 'abc=',
      stackType: 'IPV4_ONLY',
    },
  ],
  disks: times(2, (n) => ({
    kind: 'compute#attachedDisk',
    type: 'PERSISTENT',
    mode: 'READ_WRITE',
    source: `${compute}/zones/europe-west1-b/disks/web-${i}-${n}`,
    deviceName: `disk-${n}`,
    index: n,
    boot: n === 0,
    autoDelete: true,
    licenses: ['https://www.googleapis.com/compute/v1/projects/debian-cloud/global/licenses/debian-12-bookworm'],
    interface: 'SCSI',
    guestOsFeatures: times(6, (f) => ({ type: `FEATURE_${f}` })),
    diskSizeGb: '10',
    architecture: 'X86_64',
  })),
  metadata: {
    kind: 'compute#metadata',
    fingerprint: 'abc=',
    items: [
      { key: 'startup-script', value: '#! /bin/bash\napt update\napt -y install nginx\n'.repeat(10) },
      ...times(6, (n) => ({ key: `key-${n}`, value: 'TRUE' })),
    ],
  },
  serviceAccounts: [
    {
      email: 'web@acme-prod.iam.gserviceaccount.com',
      scopes: times(6, (n) => `https://www.googleapis.com/auth/scope.${n}`),
    },
  ],
  selfLink: `${compute}/zones/europe-west1-b/instances/web-${i}`,
  scheduling: {
    onHostMaintenance: 'MIGRATE',
    automaticRestart: true,
    preemptible: false,
    provisioningModel: 'STANDARD',
  },
  cpuPlatform: 'Intel Broadwell',
  labels: Object.fromEntries(times(10, (n) => [`label-${n}`, `value-${n}`])),
  labelFingerprint: 'abc=',
  startRestricted: false,
  deletionProtection: false,
  reservationAffinity: { consumeReservationType: 'ANY_RESERVATION' },
  displayDevice: { enableDisplay: false },
  shieldedInstanceConfig: { enableSecureBoot: false, enableVtpm: true, enableIntegrityMonitoring: true },
  shieldedInstanceIntegrityPolicy: { updateAutoLearnPolicy: true },
  confidentialInstanceConfig: { enableConfidentialCompute: false },
  fingerprint: 'abc=',
  lastStartTimestamp: '2026-09-10T01:48:58.304-07:00',
  satisfiesPzi: true,
  resourceStatus: { scheduling: {}, physicalHost: '/a/b/c' },
});

const gce = (listing: string, body: string): Hostile => ({ listing: new RegExp(`/compute/v1/.*/${listing}\\b`), body });
const gceInstances = (items: readonly object[]): Hostile =>
  gce(
    'aggregated/instances',
    JSON.stringify({ kind: 'compute#instanceAggregatedList', items: { 'zones/europe-west1-b': { instances: items } } }),
  );

const firewall = (i: number, ranges = 5): object => ({
  kind: 'compute#firewall',
  id: `${2_000_000 + i}`,
  creationTimestamp: '2026-02-02T22:40:35.427-08:00',
  name: `rule-${i}`,
  description: 'made by somebody',
  network: `${compute}/global/networks/core`,
  priority: 1000,
  sourceRanges: times(ranges, (n) => `10.${n >> 8}.${n & 255}.0/24`),
  targetTags: ['web'],
  allowed: [{ IPProtocol: 'tcp', ports: ['80', '443', '8000-8100'] }],
  direction: 'INGRESS',
  logConfig: { enable: false },
  disabled: false,
  selfLink: `${compute}/global/firewalls/rule-${i}`,
});

const ofGoogle: Answers = {
  '500 instances of Google': () => gceInstances(times(500, gceInstance)),
  '500 firewalls': () =>
    gce('global/firewalls', JSON.stringify({ kind: 'compute#firewallList', items: times(500, (i) => firewall(i)) })),
  'a firewall of 5,000 ranges': () =>
    gce('global/firewalls', JSON.stringify({ kind: 'compute#firewallList', items: [firewall(1, 5_000)] })),
  '500 disks': () =>
    gce(
      'aggregated/disks',
      JSON.stringify({
        kind: 'compute#diskAggregatedList',
        items: {
          'zones/europe-west1-b': {
            disks: times(500, (i) => ({
              kind: 'compute#disk',
              id: `${3_000_000 + i}`,
              name: `web-${i}-0`,
              sizeGb: '10',
              zone: `${compute}/zones/europe-west1-b`,
              status: 'READY',
              selfLink: `${compute}/zones/europe-west1-b/disks/web-${i}-0`,
              type: `${compute}/zones/europe-west1-b/diskTypes/pd-balanced`,
              labels: Object.fromEntries(times(10, (n) => [`label-${n}`, `value-${n}`])),
            })),
          },
        },
      }),
    ),
  '500 nodes of GKE, with 60 KB of metadata each': () =>
    gceInstances(
      times(500, (i) => ({
        ...gceInstance(i),
        metadata: { items: times(6, (n) => ({ key: `kube-${n}`, value: 'KUBE_ENV: "a value"\n'.repeat(500) })) },
      })),
    ),
  'an instance with 10,000 labels': () =>
    gceInstances([
      { ...gceInstance(1), labels: Object.fromEntries(times(10_000, (n) => [`label-${n}`, `value-${n}`])) },
    ]),
  'an instance with 512 KiB of metadata': () =>
    gceInstances([
      { ...gceInstance(1), metadata: { items: [{ key: 'startup-script', value: 'a\n'.repeat(256 * 1024) }] } },
    ]),
};

const subscription = '/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590';
const inGroup = `${subscription}/resourceGroups/rg-app/providers`;

const vm = (i: number): object => ({
  name: `web-${i}`,
  id: `${inGroup}/Microsoft.Compute/virtualMachines/web-${i}`,
  type: 'Microsoft.Compute/virtualMachines',
  location: 'westeurope',
  tags: Object.fromEntries(times(15, (n) => [`tag-${n}`, `value ${n}`])),
  etag: `"${i}"`,
  properties: {
    hardwareProfile: { vmSize: 'Standard_D2_v2' },
    provisioningState: 'Succeeded',
    vmId: `05cdf281-8281-4faf-8cad-${i.toString(16).padStart(12, '0')}`,
    availabilitySet: { id: `${inGroup}/Microsoft.Compute/availabilitySets/web` },
    storageProfile: {
      imageReference: {
        publisher: 'Canonical',
        offer: 'UbuntuServer',
        sku: '22.04-LTS',
        version: 'latest',
        exactVersion: '22.04.2026',
      },
      osDisk: {
        osType: 'Linux',
        name: `web-${i}-os`,
        createOption: 'FromImage',
        caching: 'ReadWrite',
        managedDisk: { storageAccountType: 'Premium_LRS', id: `${inGroup}/Microsoft.Compute/disks/web-${i}-os` },
        deleteOption: 'Delete',
        diskSizeGB: 30,
      },
      dataDisks: times(2, (n) => ({
        lun: n,
        name: `web-${i}-${n}`,
        createOption: 'Attach',
        caching: 'None',
        diskSizeGB: 8,
      })),
    },
    osProfile: {
      computerName: `web-${i}`,
      adminUsername: 'azureuser',
      linuxConfiguration: {
        disablePasswordAuthentication: true,
        ssh: { publicKeys: [{ path: '/home/azureuser/.ssh/authorized_keys', keyData: `ssh-rsa ${'A'.repeat(372)}` }] },
        provisionVMAgent: true,
      },
      secrets: [],
    },
    networkProfile: {
      networkInterfaces: [
        { id: `${inGroup}/Microsoft.Network/networkInterfaces/web-${i}`, properties: { primary: true } },
      ],
    },
    timeCreated: '2026-01-02T03:04:05.0000000+00:00',
  },
});

const securityRule =
  (group: string) =>
  (i: number): object => ({
    name: `rule-${i}`,
    id: `${inGroup}/Microsoft.Network/networkSecurityGroups/${group}/securityRules/rule-${i}`,
    etag: `W/"${i}"`,
    type: 'Microsoft.Network/networkSecurityGroups/securityRules',
    properties: {
      provisioningState: 'Succeeded',
      description: 'made by somebody',
      protocol: 'Tcp',
      sourcePortRange: '*',
      destinationPortRange: `${1 + i}`,
      sourceAddressPrefix: '10.0.0.0/8',
      destinationAddressPrefix: '*',
      access: 'Allow',
      priority: 100 + i,
      direction: 'Inbound',
      sourcePortRanges: [],
      destinationPortRanges: [],
      sourceAddressPrefixes: [],
      destinationAddressPrefixes: [],
    },
  });

const nsg = (i: number, rules: number): object => ({
  name: `nsg-${i}`,
  id: `${inGroup}/Microsoft.Network/networkSecurityGroups/nsg-${i}`,
  type: 'Microsoft.Network/networkSecurityGroups',
  location: 'westeurope',
  tags: { a: 'b' },
  properties: {
    provisioningState: 'Succeeded',
    resourceGuid: `05cdf281-8281-4faf-8cad-${i.toString(16).padStart(12, '0')}`,
    securityRules: times(rules, securityRule(`nsg-${i}`)),
    defaultSecurityRules: times(6, securityRule(`nsg-${i}`)),
  },
});

const arm = (type: string, value: string): Hostile => ({
  listing: new RegExp(`/providers/[^/]+/${type}\\?`, 'i'),
  body: `{"value":${value}}`,
});

const ofAzure: Answers = {
  '1,000 machines of Azure': () => arm('virtualMachines', JSON.stringify(times(1_000, vm))),
  '1,000 interfaces': () =>
    arm(
      'networkInterfaces',
      JSON.stringify(
        times(1_000, (i) => ({
          name: `web-${i}`,
          id: `${inGroup}/Microsoft.Network/networkInterfaces/web-${i}`,
          location: 'westeurope',
          properties: {
            ipConfigurations: times(2, (n) => ({
              name: `ip-${n}`,
              id: `${inGroup}/Microsoft.Network/networkInterfaces/web-${i}/ipConfigurations/ip-${n}`,
              properties: {
                privateIPAddress: '10.0.0.4',
                privateIPAllocationMethod: 'Dynamic',
                subnet: { id: `${inGroup}/Microsoft.Network/virtualNetworks/v/subnets/s` },
                primary: n === 0,
              },
            })),
            macAddress: '00-0D-3A-1B-C7-21',
          },
        })),
      ),
    ),
  '200 security groups of 20 rules': () => arm('networkSecurityGroups', JSON.stringify(times(200, (i) => nsg(i, 20)))),
  '400 security groups of 40 rules': () => arm('networkSecurityGroups', JSON.stringify(times(400, (i) => nsg(i, 40)))),
  'a security group of 1,000 rules': () => arm('networkSecurityGroups', JSON.stringify([nsg(1, 1_000)])),
  'a network of 3,000 subnets and 65,536 addresses': () =>
    arm(
      'virtualNetworks',
      JSON.stringify([
        {
          id: `${inGroup}/Microsoft.Network/virtualNetworks/v`,
          name: 'v',
          location: 'westeurope',
          properties: {
            addressSpace: { addressPrefixes: ['10.0.0.0/8'] },
            subnets: times(3_000, (i) => ({
              id: `${inGroup}/Microsoft.Network/virtualNetworks/v/subnets/s-${i}`,
              name: `s-${i}`,
              etag: `W/"${i}"`,
              type: 'Microsoft.Network/virtualNetworks/subnets',
              properties: {
                provisioningState: 'Succeeded',
                addressPrefix: `10.${i >> 8}.${i & 255}.0/24`,
                networkSecurityGroup: { id: `${inGroup}/Microsoft.Network/networkSecurityGroups/v-nsg` },
                ipConfigurations: times(22, (n) => ({
                  id: `${inGroup}/Microsoft.Network/networkInterfaces/web-${i}-${n}/ipConfigurations/ip`,
                })),
                delegations: [],
                privateEndpointNetworkPolicies: 'Disabled',
                privateLinkServiceNetworkPolicies: 'Enabled',
                defaultOutboundAccess: false,
              },
            })),
          },
        },
      ]),
    ),
  '10,000 tags of Azure': () =>
    arm(
      'virtualNetworks',
      JSON.stringify([
        {
          id: `${inGroup}/Microsoft.Network/virtualNetworks/v`,
          location: 'westeurope',
          tags: Object.fromEntries(times(10_000, (n) => [`tag-${n}`, `${n}`])),
          properties: {},
        },
      ]),
    ),
};

/** The largest pages that Google Cloud and Azure are known to answer with; those of EC2 are among its other answers. */
export const largePages: Readonly<Record<'gcp' | 'azure', Answers>> = { gcp: ofGoogle, azure: ofAzure };
