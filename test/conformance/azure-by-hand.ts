import { cloudIdOf } from '../../providers/azure/ids.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import { account, location, resourceGroup } from '../support/azure-session.ts';
import type { Beside, ByHand, Home, Spelling } from './harness.ts';

/** A colleague with a client of his own: plain requests. `pass` lets the cloud finish its work. */
export function azureByHand(url: string, reconcile: () => void): ByHand {
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const version = /\/microsoft\.compute\//i.test(path) ? compute(path) : '2026-01-01';
    const answer = await fetch(`${url}${path}?api-version=${version}`, {
      method,
      headers: { authorization: 'Bearer colleague', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
    if (method !== 'GET') reconcile();
    // why: the sandbox gives the answer that its path promises
    return (text === '' ? {} : JSON.parse(text)) as T;
  };
  return {
    make: (kind, network) => makers[kind](ask, network ?? ''),
    remove: async (_kind, id) => {
      await ask('DELETE', armPath(id));
    },
    parts: () => parts(ask),
    spellings: spellings(ask),
  };
}

/** An edit is a PUT of the whole rule, as it is when the colleague reads it, with one block more. */
export function azureBeside({ url, control }: Sandbox): Beside {
  const headers = { authorization: 'Bearer colleague', 'content-type': 'application/json' };
  const edit = async (rule: CloudId, block: string) => {
    const path = `${armPath(rule)}?api-version=2026-01-01`;
    // why: the sandbox gives the answer that its path promises
    const { properties } = (await (await fetch(url + path, { headers })).json()) as { properties: Sources };
    const { sourceAddressPrefix: one, sourceAddressPrefixes: many = [], ...rest } = properties;
    const blocks = [...(one ? [one] : []), ...many, block];
    return { method: 'PUT', path, body: { properties: { ...rest, sourceAddressPrefixes: blocks } } };
  };
  return {
    addNow: async (rule, block) => {
      const { method, path, body } = await edit(rule, block);
      const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
      control.clock.advance(60_000);
    },
    addBefore: async (request, rule, block) => {
      const action = request === 'read' ? 'networkSecurityGroups.get' : 'networkSecurityGroups.createOrUpdate';
      control.faults.add({ match: { action, times: 1 }, effect: { kind: 'edit', ...(await edit(rule, block)) } });
    },
  };
}

interface Sources {
  readonly sourceAddressPrefix?: string;
  readonly sourceAddressPrefixes?: readonly string[];
}

type Ask = <T>(method: string, path: string, body?: object) => Promise<T>;

/** Disks have an API of their own. */
const compute = (path: string): string => (/\/disks/i.test(path) ? '2026-03-02' : '2026-04-01');

interface Standing {
  readonly id: string;
  readonly properties?: { readonly resourceGuid?: string; readonly vmId?: string };
}

const idOf = ({ id, properties }: Standing): CloudId => cloudIdOf(id, properties?.resourceGuid ?? properties?.vmId);
const armPath = (id: CloudId): string => id.replace(/#.*$/, '');
const inGroup = (type: string, name: string): string =>
  `/subscriptions/${account}/resourceGroups/${resourceGroup}/providers/${type}/${name}`;

let made = 0;

const makers: Readonly<Record<Kind, (ask: Ask, network: CloudId) => Promise<CloudId>>> = {
  network: (ask) =>
    put(ask, 'Microsoft.Network/virtualNetworks', {
      properties: { addressSpace: { addressPrefixes: ['192.168.0.0/16'] } },
    }),
  subnet: async (ask, network) => {
    const path = `${armPath(network)}/subnets/lab-${++made}`;
    const body = { properties: { addressPrefix: `10.1.${200 + (made % 50)}.0/24` } };
    const { id } = await ask<Standing>('PUT', path, body);
    return cloudIdOf(id, idOf(await ask<Standing>('GET', armPath(network))).split('#')[1]);
  },
  group: (ask) => put(ask, 'Microsoft.Network/applicationSecurityGroups', {}),
  'firewall-rule': async (ask) => {
    const nsg = await put(ask, 'Microsoft.Network/networkSecurityGroups', { properties: {} });
    return addRule(ask, nsg, {});
  },
  instance: async (ask, network) => {
    const subnet = armPath(await makers.subnet(ask, network));
    const nic = await put(ask, 'Microsoft.Network/networkInterfaces', {
      properties: { ipConfigurations: [{ name: 'ip', properties: { subnet: { id: subnet } } }] },
    });
    return put(ask, 'Microsoft.Compute/virtualMachines', { properties: machineWith(armPath(nic)) });
  },
};

const machineWith = (nic: string): object => ({
  hardwareProfile: { vmSize: 'Standard_B2s' },
  storageProfile: {
    imageReference: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
    osDisk: { createOption: 'FromImage', deleteOption: 'Delete' },
  },
  osProfile: { computerName: 'lab', adminUsername: 'lab', adminPassword: 'not-a-Secret-1' },
  networkProfile: { networkInterfaces: [{ id: nic, properties: { deleteOption: 'Delete' } }] },
});

async function put(ask: Ask, type: string, body: object): Promise<CloudId> {
  const path = inGroup(type, `lab-${++made}`);
  await ask('PUT', path, { location, ...body });
  return idOf(await ask<Standing>('GET', path));
}

/** Parts of existing resources, and leftover parts of deleted ones. */
async function parts(ask: Ask): Promise<readonly CloudId[]> {
  const types = [
    'Microsoft.Network/networkSecurityGroups',
    'Microsoft.Network/networkInterfaces',
    'Microsoft.Network/publicIPAddresses',
    'Microsoft.Compute/disks',
  ];
  const found: CloudId[] = [];
  for (const type of types) {
    const { value } = await ask<{ readonly value: readonly Standing[] }>(
      'GET',
      `/subscriptions/${account}/providers/${type}`,
    );
    found.push(...value.map(idOf));
  }
  return found;
}

const plain = {
  direction: 'Inbound',
  access: 'Allow',
  protocol: 'Tcp',
  sourcePortRange: '*',
  sourceAddressPrefix: '10.0.0.0/8',
  destinationAddressPrefix: '*',
  destinationPortRange: '22',
};

/** `nsg`: its id with its number, which those of its rules end in. */
async function addRule(ask: Ask, nsg: CloudId, over: object): Promise<CloudId> {
  const path = `${armPath(nsg)}/securityRules/lab-${++made}`;
  const properties = Object.entries({ ...plain, priority: 3000 + made, ...over }).filter(([, value]) => value !== null);
  const { id } = await ask<Standing>('PUT', path, { properties: Object.fromEntries(properties) });
  return cloudIdOf(id, nsg.split('#')[1]);
}

function spellings(ask: Ask): readonly Spelling[] {
  const spelling = (name: string, match: Spelling['match'], over: object): Spelling => ({
    name,
    match,
    add: async ({ network }: Home) => {
      const nsg = `${armPath(network).replace('/virtualnetworks/', '/networksecuritygroups/')}-nsg`;
      return addRule(ask, idOf(await ask<Standing>('GET', nsg)), over);
    },
  });
  return [
    spelling('capitals', { protocol: 'tcp', ports: '22', peers: ['10.0.0.0/8'] }, { protocol: 'TCP', access: 'allow' }),
    spelling(
      'ports as a list, twice and touching',
      { protocol: 'udp', ports: '53-55,80', peers: ['10.0.0.0/8'] },
      { protocol: 'Udp', destinationPortRange: null, destinationPortRanges: ['80', '54-55', '53'] },
    ),
    spelling(
      'every port',
      { protocol: 'tcp', ports: 'all', peers: ['10.1.0.0/16'] },
      { destinationPortRange: '0-65535', sourceAddressPrefix: '10.1.0.0/16' },
    ),
    spelling(
      'a bare address in a list',
      { protocol: 'tcp', ports: '22', peers: ['38.122.226.210/32'] },
      { sourceAddressPrefix: null, sourceAddressPrefixes: ['38.122.226.210'] },
    ),
    spelling(
      'anyone',
      { protocol: 'all', ports: 'all', peers: ['any'] },
      {
        protocol: '*',
        sourceAddressPrefix: '*',
        destinationPortRange: '*',
      },
    ),
  ];
}
