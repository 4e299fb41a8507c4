import type { Sandbox } from '../../sandbox/index.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import { askAsColleague, project, region, zone } from '../support/gcp-session.ts';
import type { Beside, ByHand, Home, Spelling } from './harness.ts';

/** A colleague with a client of his own: plain requests. `pass` lets the cloud finish its work. */
export function gcpByHand(url: string, reconcile: () => void): ByHand {
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const { status, body: answer } = await askAsColleague<T>(url, method, path, body);
    if (status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    if (method !== 'GET') reconcile();
    return answer;
  };
  const desk: Desk = {
    ask,
    idOf: async (path) => `projects/${project}/${path}#${(await ask<{ id: string }>('GET', path)).id}`,
  };
  return {
    make: (kind, network) => makers[kind](desk, network ?? ''),
    remove: async (_kind, id) => {
      await ask('DELETE', pathOf(id).replace(`projects/${project}/`, ''));
    },
    parts: () => parts(desk),
    spellings: spellings(desk),
  };
}

const requests = {
  read: ['compute.firewalls.get'],
  write: ['compute.firewalls.patch', 'compute.firewalls.update'],
} as const;

/** As `gcloud compute firewall-rules update --source-ranges` does it: a PATCH of the whole list. */
export function gcpBeside({ url, control }: Sandbox): Beside {
  const edit = (rule: CloudId, block: string, peers: readonly string[]) => {
    const sourceRanges = [...peers.filter((peer) => !peer.startsWith('tag:')), block];
    return { method: 'PATCH', path: `/compute/v1/${pathOf(rule)}`, body: { sourceRanges } };
  };
  return {
    addNow: async (...args) => {
      const { method, path, body } = edit(...args);
      const headers = { authorization: 'Bearer colleague', 'content-type': 'application/json' };
      const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
      control.clock.advance(60_000);
    },
    addBefore: async (request, ...args) => {
      control.faults.add({
        match: { action: requests[request], times: 1 },
        effect: { kind: 'edit', ...edit(...args) },
      });
    },
  };
}

interface Desk {
  ask<T>(method: string, path: string, body?: object): Promise<T>;
  /** The provider's id of the existing object. */
  idOf(path: string): Promise<CloudId>;
}

const pathOf = (id: CloudId): string => id.split('#')[0] ?? '';

let made = 0;

const makers: Readonly<Record<Kind, (desk: Desk, network: CloudId) => Promise<CloudId>>> = {
  network: async ({ ask, idOf }) => {
    const name = `lab-${++made}`;
    await ask('POST', 'global/networks', { name, autoCreateSubnetworks: false });
    return idOf(`global/networks/${name}`);
  },
  subnet: async ({ ask, idOf }, network) => {
    const name = `lab-${++made}`;
    const ipCidrRange = `10.1.${200 + (made % 50)}.0/24`;
    await ask('POST', `regions/${region}/subnetworks`, { name, network: pathOf(network), ipCidrRange });
    return idOf(`regions/${region}/subnetworks/${name}`);
  },
  group: async () => Promise.reject(new Error('groups are no objects here')),
  'firewall-rule': (desk, network) =>
    firewall(desk, { network: pathOf(network), allowed: [{ IPProtocol: 'tcp', ports: ['22'] }] }),
  instance: async (desk, network) => {
    const name = `lab-${++made}`;
    const subnetwork = pathOf(await makers.subnet(desk, network));
    await desk.ask('POST', `zones/${zone}/instances`, {
      name,
      machineType: `zones/${zone}/machineTypes/e2-small`,
      disks: [
        {
          boot: true,
          autoDelete: true,
          initializeParams: { sourceImage: 'projects/debian-cloud/global/images/family/debian-12' },
        },
      ],
      networkInterfaces: [{ subnetwork }],
    });
    return desk.idOf(`zones/${zone}/instances/${name}`);
  },
};

async function firewall({ ask, idOf }: Desk, resource: object): Promise<CloudId> {
  const name = `lab-${++made}`;
  await ask('POST', 'global/firewalls', { name, ...resource });
  return idOf(`global/firewalls/${name}`);
}

interface Listed {
  readonly items?: readonly { readonly name: string; readonly id: string; readonly nextHopGateway?: string }[];
}

/** Disks, and routes to the internet: those to subnets come and go with them. */
async function parts({ ask }: Desk): Promise<readonly CloudId[]> {
  const routes = await ask<Listed>('GET', 'global/routes');
  const disks = await ask<Listed>('GET', `zones/${zone}/disks`);
  return [
    ...(routes.items ?? [])
      .filter(({ nextHopGateway }) => nextHopGateway)
      .map(({ name, id }) => `routes/${name}#${id}`),
    ...(disks.items ?? []).map(({ name, id }) => `disks/${name}#${id}`),
  ];
}

function spellings(desk: Desk): readonly Spelling[] {
  const spelling = (name: string, match: Spelling['match'], resource: object): Spelling => ({
    name,
    match,
    add: ({ network }: Home) => firewall(desk, { network: pathOf(network), ...resource }),
  });
  return [
    spelling(
      'tcp by number',
      { protocol: 'tcp', ports: '22', peers: ['10.0.0.0/8'] },
      { allowed: [{ IPProtocol: '6', ports: ['22'] }], sourceRanges: ['10.0.0.0/8'] },
    ),
    spelling(
      'ports twice, out of order and touching',
      { protocol: 'udp', ports: '53-55', peers: ['10.0.0.0/8'] },
      { allowed: [{ IPProtocol: 'udp', ports: ['54-55', '53', '54'] }], sourceRanges: ['10.0.0.0/8'] },
    ),
    spelling(
      'one protocol in two entries',
      { protocol: 'tcp', ports: '80,443', peers: ['10.0.0.0/8'] },
      {
        allowed: [
          { IPProtocol: 'tcp', ports: ['443'] },
          { IPProtocol: 'TCP', ports: ['80'] },
        ],
        sourceRanges: ['10.0.0.0/8'],
      },
    ),
    spelling(
      'every port',
      { protocol: 'tcp', ports: 'all', peers: ['10.1.0.0/16'] },
      { allowed: [{ IPProtocol: 'tcp', ports: ['0-65535'] }], sourceRanges: ['10.1.0.0/16'] },
    ),
    spelling(
      'no source',
      { protocol: 'tcp', ports: '22', peers: ['0.0.0.0/0'] },
      { allowed: [{ IPProtocol: 'tcp', ports: ['22'] }] },
    ),
    spelling(
      'icmpv6 by number, an IPv6 block with zeros and capitals',
      { protocol: 'icmpv6', ports: 'all', peers: ['2001:db8::/32'] },
      { allowed: [{ IPProtocol: '58' }], sourceRanges: ['2001:DB8:0:0::/32'] },
    ),
  ];
}
