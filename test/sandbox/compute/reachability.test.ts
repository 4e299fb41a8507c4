import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { given } from '../bench.ts';
import { type Machines, machines, PROJECT, pass, ZONE } from './instance-bench.ts';

const tcp = (ports: readonly string[]) => [{ IPProtocol: 'tcp', ports }];

/** Two networks with the internet, and one without. */
const estate = {
  projects: [
    {
      project: PROJECT,
      networks: [
        {
          name: 'core',
          subnetworks: [
            { name: 'app', region: 'europe-west1', cidr: '10.20.1.0/24' },
            { name: 'us', region: 'us-central1', cidr: '10.20.3.0/24' },
          ],
          firewalls: [
            { name: 'web-in', allowed: tcp(['443']), sourceRanges: ['0.0.0.0/0'], targetTags: ['web'] },
            { name: 'db-in', allowed: tcp(['5432']), sourceTags: ['web'], targetTags: ['db'] },
            { name: 'ssh-range', allowed: tcp(['22']), sourceRanges: ['10.20.3.0/24'] },
            { name: 'tie-allow', priority: 700, allowed: tcp(['8080']), sourceRanges: ['0.0.0.0/0'] },
            { name: 'tie-deny', priority: 700, denied: tcp(['8080']), sourceRanges: ['0.0.0.0/0'] },
            { name: 'low-deny', priority: 900, denied: tcp(['9090']), sourceRanges: ['0.0.0.0/0'] },
            { name: 'high-allow', priority: 800, allowed: tcp(['9090']), sourceRanges: ['0.0.0.0/0'] },
            { name: 'off', disabled: true, allowed: tcp(['7070']), sourceRanges: ['0.0.0.0/0'] },
            {
              name: 'db-out',
              direction: 'EGRESS',
              denied: [{ IPProtocol: 'all' }],
              destinationRanges: ['0.0.0.0/0'],
              targetTags: ['db'],
            },
          ],
        },
        {
          name: 'peer',
          subnetworks: [{ name: 'out', region: 'europe-west1', cidr: '10.30.1.0/24' }],
          firewalls: [
            { name: 'tagged', allowed: tcp(['22']), sourceTags: ['web'] },
            { name: 'open', allowed: tcp(['443']), sourceRanges: ['0.0.0.0/0'] },
          ],
        },
        {
          name: 'closed',
          internet: false,
          subnetworks: [{ name: 'in', region: 'europe-west1', cidr: '10.40.1.0/24' }],
          firewalls: [{ name: 'all-in', allowed: [{ IPProtocol: 'all' }], sourceRanges: ['0.0.0.0/0'] }],
        },
      ],
      instances: [
        { name: 'web', zone: ZONE, subnetwork: 'app', tags: ['web'], externalIp: true },
        { name: 'hidden', zone: ZONE, subnetwork: 'app', tags: ['web'] },
        { name: 'off', zone: ZONE, subnetwork: 'app', tags: ['web'], externalIp: true, status: 'TERMINATED' },
        { name: 'db', zone: ZONE, subnetwork: 'app', tags: ['db'] },
        { name: 'us', zone: 'us-central1-a', subnetwork: 'us' },
        { name: 'peer', zone: ZONE, subnetwork: 'out', externalIp: true },
        { name: 'shut', zone: ZONE, subnetwork: 'in', externalIp: true },
      ],
    },
  ],
};

const id = (name: string): string => {
  if (/^(?:internet|[\d.]+)$/.test(name)) return name;
  return `zones/${name === 'us' ? 'us-central1-a' : ZONE}/instances/${name}`;
};

interface Row {
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly protocol?: string;
  /** The reason why the packet is stopped; undefined when it arrives. */
  readonly stop: RegExp | undefined;
}

const rows: readonly Row[] = [
  { from: 'internet', to: 'web', port: 443, stop: undefined },
  { from: '198.51.100.7', to: 'web', port: 443, stop: undefined },
  { from: 'internet', to: 'web', port: 80, stop: /^firewalls of web, ingress/ },
  { from: 'internet', to: 'web', port: 443, protocol: 'udp', stop: /^firewalls of web, ingress/ },
  { from: 'internet', to: 'hidden', port: 443, stop: /^external address of hidden/ },
  { from: 'internet', to: 'off', port: 443, stop: /^receiver runs/ },
  { from: 'internet', to: 'shut', port: 443, stop: /^route back/ },
  { from: 'shut', to: 'internet', port: 443, stop: /^route to/ },
  { from: 'web', to: 'db', port: 5432, stop: undefined },
  { from: 'hidden', to: 'db', port: 5432, stop: undefined },
  { from: 'us', to: 'db', port: 5432, stop: /^firewalls of db, ingress/ },
  { from: 'us', to: 'db', port: 22, stop: undefined },
  { from: 'web', to: 'db', port: 22, stop: /^firewalls of db, ingress/ },
  { from: 'db', to: 'web', port: 443, stop: /^firewalls of db, egress/ },
  { from: 'off', to: 'db', port: 5432, stop: /^sender runs/ },
  { from: 'web', to: 'internet', port: 443, stop: undefined },
  { from: 'hidden', to: 'internet', port: 443, stop: /^external address of hidden/ },
  { from: 'us', to: 'web', port: 8080, stop: /^firewalls of web, ingress/ },
  { from: 'us', to: 'web', port: 9090, stop: undefined },
  { from: 'us', to: 'web', port: 7070, stop: /^firewalls of web, ingress/ },
  { from: 'web', to: 'peer', port: 443, stop: undefined },
  { from: 'web', to: 'peer', port: 22, stop: /^firewalls of peer, ingress/ },
  { from: 'hidden', to: 'peer', port: 443, stop: /^external address of hidden/ },
  { from: 'internet', to: 'nobody', port: 443, stop: /^ends/ },
];

const packet = ({ sandbox }: Machines, { from, to, protocol = 'tcp', port }: Omit<Row, 'stop'>) =>
  sandbox.control.compute.packet(PROJECT, { from: id(from), to: id(to), protocol, port });

async function loaded(): Promise<Machines> {
  const made = await machines();
  made.sandbox.control.compute.load(estate);
  return made;
}

describe('the packet check of Compute Engine', () => {
  for (const { stop, ...ask } of rows) {
    it(`${ask.from} → ${ask.to} ${ask.protocol ?? 'tcp'}/${ask.port}: ${stop ? `stopped at ${stop}` : 'arrives'}`, async () => {
      await using made = await loaded();
      const { allowed, steps } = packet(made, ask);
      assert.equal(allowed, stop === undefined, JSON.stringify(steps));
      if (stop) assert.match(given(steps.at(-1)).gate, stop);
    });
  }

  it('says which rule decided', async () => {
    await using made = await loaded();
    const decided = (port: number) => given(packet(made, { from: 'us', to: 'web', port }).steps.at(-1)).reason;
    assert.match(decided(8080), /^tie-deny/);
    assert.match(decided(9090), /^high-allow/);
    assert.match(decided(1), /implied/);
  });

  it('follows what clients change', async () => {
    await using made = await loaded();
    const ask = { from: 'internet', to: 'web', port: 443 };
    const instance = { project: PROJECT, zone: ZONE, instance: 'web' };
    assert.equal(packet(made, ask).allowed, true);
    const [web] = await made.instances.get(instance);
    await made.instances.setTags({
      ...instance,
      tagsResource: { items: ['other'], fingerprint: given(web.tags?.fingerprint ?? undefined) },
    });
    pass(made);
    assert.match(given(packet(made, ask).steps.at(-1)).gate, /ingress/);
    await made.instances.stop(instance);
    pass(made);
    assert.match(given(packet(made, ask).steps.at(-1)).gate, /^receiver runs/);
  });

  it('knows an instance by its link too', async () => {
    await using made = await loaded();
    const [web] = await made.instances.get({ project: PROJECT, zone: ZONE, instance: 'web' });
    const question = { from: 'internet', to: given(web.selfLink ?? undefined), protocol: 'tcp', port: 443 };
    assert.equal(made.sandbox.control.compute.packet(PROJECT, question).allowed, true);
  });
});
