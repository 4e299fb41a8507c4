import { ComputeManagementClient, type VirtualMachine } from '@azure/arm-compute';
import type { SandboxOptions } from '../../../sandbox/index.ts';
import { type Bench, bench, LOCATION, NETWORK, QUICK, SUBSCRIPTION } from './bench.ts';

export const GROUP = 'Rg';
export const COMPUTE = NETWORK.replace('Microsoft.Network', 'Microsoft.Compute');
export const KEY = `ssh-ed25519 ${Buffer.from('not a key, but as long as one is').toString('base64')} ops`;

export interface MachineBench extends Bench {
  readonly compute: ComputeManagementClient;
}

/** The bench with a client for machines, and land for them to stand on. */
export async function machineBench(options: SandboxOptions = {}): Promise<MachineBench> {
  const base = await bench(options);
  const made = { ...base, compute: computeClient(base.sandbox.url) };
  given(made, ...LAND);
  made.sandbox.control.log.clear();
  return made;
}

export function computeClient(endpoint: string): ComputeManagementClient {
  const credential = { getToken: async () => ({ token: 'dummy', expiresOnTimestamp: Date.now() + 3_600_000 }) };
  const client = new ComputeManagementClient(credential, SUBSCRIPTION, {
    endpoint,
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
  });
  client.pipeline.removePolicy({ name: 'bearerTokenAuthenticationPolicy' });
  client.pipeline.addPolicy({
    name: 'plainBearer',
    sendRequest: (request, next) => {
      request.headers.set('authorization', 'Bearer dummy');
      return next(request);
    },
  });
  return client;
}

export const ID = {
  subnet: (name = 'app', network = 'core') => `${NETWORK}/virtualNetworks/${network}/subnets/${name}`,
  nic: (name: string) => `${NETWORK}/networkInterfaces/${name}`,
  address: (name: string) => `${NETWORK}/publicIPAddresses/${name}`,
  group: (name: string) => `${NETWORK}/applicationSecurityGroups/${name}`,
  security: (name: string) => `${NETWORK}/networkSecurityGroups/${name}`,
  machine: (name: string) => `${COMPUTE}/virtualMachines/${name}`,
  disk: (name: string) => `${COMPUTE}/disks/${name}`,
} as const;

const subnet = (name: string, addressPrefix: string, more: object = { defaultOutboundAccess: false }): object => ({
  name,
  properties: { addressPrefix, ...more },
});

const network = (name: string, prefix: string, subnets: readonly object[]): object => ({
  type: 'Microsoft.Network/virtualNetworks',
  group: GROUP,
  name,
  properties: { addressSpace: { addressPrefixes: [prefix] }, subnets },
});

/** Two networks: `core` with the subnets app, db, tiny and open, and `other` with the subnet app. */
export const LAND: readonly object[] = [
  network('core', '10.20.0.0/16', [
    subnet('app', '10.20.1.0/24'),
    subnet('db', '10.20.2.0/24'),
    subnet('tiny', '10.20.3.0/29'),
    subnet('open', '10.20.4.0/24', {}),
  ]),
  network('other', '10.30.0.0/16', [subnet('app', '10.30.1.0/24')]),
];

/** Puts resources there at once, however long operations take. */
export function given({ sandbox }: Bench, ...resources: readonly object[]): void {
  sandbox.control.arm.load({ subscriptions: [{ resources }] });
}

/** A machine and its network interface, as an estate has them. */
export function standing(name: string, more: Partial<VirtualMachine> = {}, subnetId = ID.subnet()): readonly object[] {
  const { location: _, tags, ...properties } = order(name, ID.nic(`${name}-nic`), more);
  const ipConfigurations = [{ name: 'ipconfig1', properties: { subnet: { id: subnetId } } }];
  const wire = {
    ...properties,
    networkProfile: {
      networkInterfaces: [{ id: ID.nic(`${name}-nic`), properties: { primary: true, deleteOption: 'Delete' } }],
    },
  };
  return [
    {
      type: 'Microsoft.Network/networkInterfaces',
      group: GROUP,
      name: `${name}-nic`,
      properties: { ipConfigurations },
    },
    { type: 'Microsoft.Compute/virtualMachines', group: GROUP, name, tags, properties: wire },
  ];
}

interface NicOptions {
  readonly subnet?: string;
  readonly address?: string;
  readonly groups?: readonly string[];
  readonly security?: string;
}

export async function nic({ network: client }: Bench, name: string, options: NicOptions = {}): Promise<string> {
  const { subnet: subnetId = ID.subnet(), address, groups, security } = options;
  const made = await client.networkInterfaces.createOrUpdate(
    GROUP,
    name,
    {
      location: LOCATION,
      ...(security === undefined ? {} : { networkSecurityGroup: { id: security } }),
      ipConfigurations: [
        {
          name: 'ipconfig1',
          subnet: { id: subnetId },
          ...(address === undefined ? {} : { publicIPAddress: { id: address } }),
          ...(groups === undefined ? {} : { applicationSecurityGroups: groups.map((id) => ({ id })) }),
        },
      ],
    },
    QUICK,
  );
  return made.id ?? '';
}

export async function address({ network: client }: Bench, name: string, basic = false): Promise<string> {
  const made = await client.publicIPAddresses.createOrUpdate(
    GROUP,
    name,
    {
      location: LOCATION,
      sku: { name: basic ? 'Basic' : 'Standard' },
      publicIPAllocationMethod: basic ? 'Dynamic' : 'Static',
    },
    QUICK,
  );
  return made.id ?? '';
}

/** The order for a small Linux machine on one network interface. */
export function order(name: string, nicId: string, more: Partial<VirtualMachine> = {}): VirtualMachine {
  return {
    location: LOCATION,
    hardwareProfile: { vmSize: 'Standard_D2s_v5' },
    storageProfile: {
      imageReference: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
      osDisk: { createOption: 'FromImage', managedDisk: { storageAccountType: 'Premium_LRS' }, deleteOption: 'Delete' },
    },
    osProfile: {
      computerName: name,
      adminUsername: 'ops',
      linuxConfiguration: {
        disablePasswordAuthentication: true,
        ssh: { publicKeys: [{ path: '/home/ops/.ssh/authorized_keys', keyData: KEY }] },
      },
    },
    networkProfile: { networkInterfaces: [{ id: nicId, primary: true, deleteOption: 'Delete' }] },
    ...more,
  };
}

/** A machine on a fresh network interface of its own. */
export async function machine(
  at: MachineBench,
  name: string,
  more: Partial<VirtualMachine> = {},
): Promise<VirtualMachine> {
  const nicId = await nic(at, `${name}-nic`);
  return at.compute.virtualMachines.createOrUpdate(GROUP, name, order(name, nicId, more), QUICK);
}

/** Codes of the instance view: provisioning, and then power. */
export async function statuses(at: MachineBench, name: string): Promise<readonly (string | undefined)[]> {
  return ((await at.compute.virtualMachines.instanceView(GROUP, name)).statuses ?? []).map(({ code }) => code);
}
