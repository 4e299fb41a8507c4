/** The size of a subscription: each network has so many subnets and rules, and machines in its first subnet. */
export interface SubscriptionShape {
  readonly networks: number;
  /** At most 256, as each is a /24 of its network's /16. */
  readonly subnets: number;
  readonly rules: number;
  readonly groups: number;
  /** Each with an interface, an address and a disk. At most 251, as many as a /24 has addresses. */
  readonly machines: number;
}

export interface ArmPlace {
  readonly subscription: string;
  readonly location: string;
}

const group = 'rg-app';

const resource = (type: string, name: string, properties: object, body?: object) => ({
  type: `Microsoft.${type}`,
  group,
  name,
  properties,
  ...(body === undefined ? {} : { body }),
});

type IdOf = (type: string, name: string) => { readonly id: string };

const idsIn =
  (subscription: string): IdOf =>
  (type, name) => ({
    id: `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Network/${type}/${name}`,
  });

/** An estate that a sandbox loads (`sandbox/arm/estate.ts`). */
export function armEstate({ subscription, location }: ArmPlace, shape: SubscriptionShape): object {
  const idOf = idsIn(subscription);
  return {
    subscriptions: [
      {
        id: subscription,
        groups: [{ name: group, location }],
        resources: list(shape.networks, (n) => [
          ...list(shape.groups, (g) => resource('Network/applicationSecurityGroups', `net-${n}-g${g}`, {})),
          resource('Network/networkSecurityGroups', `net-${n}-nsg`, { securityRules: list(shape.rules, rule) }),
          network(n, shape.subnets, idOf),
          ...list(shape.machines, (m) => machine(n, m, idOf)).flat(),
        ]).flat(),
      },
    ],
  };
}

const rule = (r: number) => ({
  name: `rule-${r}`,
  properties: {
    priority: 100 + r,
    direction: 'Inbound',
    access: 'Allow',
    protocol: 'Tcp',
    sourceAddressPrefix: `192.168.${r % 256}.0/24`,
    sourcePortRange: '*',
    destinationAddressPrefix: '*',
    destinationPortRange: `${8000 + r}`,
  },
});

const network = (n: number, subnets: number, idOf: IdOf) =>
  resource('Network/virtualNetworks', `net-${n}`, {
    addressSpace: { addressPrefixes: [`10.${n}.0.0/16`] },
    subnets: list(subnets, (s) => ({
      name: `s${s}`,
      properties: {
        addressPrefix: `10.${n}.${s}.0/24`,
        networkSecurityGroup: idOf('networkSecurityGroups', `net-${n}-nsg`),
        defaultOutboundAccess: false,
      },
    })),
  });

const fixed = { publicIPAllocationMethod: 'Static' };
const standard = { sku: { name: 'Standard' } };

function machine(n: number, m: number, idOf: IdOf) {
  const name = `web-${n}-${m}`;
  return [
    resource('Network/publicIPAddresses', `${name}-ip`, fixed, standard),
    resource('Network/networkInterfaces', `${name}-nic`, {
      ipConfigurations: [
        {
          name: 'ipconfig1',
          properties: {
            subnet: idOf('virtualNetworks', `net-${n}/subnets/s0`),
            publicIPAddress: idOf('publicIPAddresses', `${name}-ip`),
            applicationSecurityGroups: [idOf('applicationSecurityGroups', `net-${n}-g0`)],
          },
        },
      ],
    }),
    resource('Compute/virtualMachines', name, {
      hardwareProfile: { vmSize: 'Standard_B1s' },
      storageProfile: { imageReference, osDisk: { createOption: 'FromImage', deleteOption: 'Delete' } },
      osProfile: { computerName: name, adminUsername: 'ops', linuxConfiguration },
      networkProfile: {
        networkInterfaces: [{ ...idOf('networkInterfaces', `${name}-nic`), properties: { deleteOption: 'Delete' } }],
      },
    }),
  ];
}

const imageReference = { publisher: 'Debian', offer: 'debian-12', sku: '12-gen2', version: 'latest' };

const keyData = `ssh-ed25519 ${Buffer.from('not a key, but as long as one is').toString('base64')} ops`;

const linuxConfiguration = {
  disablePasswordAuthentication: true,
  ssh: { publicKeys: [{ path: '/home/ops/.ssh/authorized_keys', keyData }] },
};

const list = <T>(length: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length }, (_, index) => make(index));
