import { loadProvider } from '../providers/index.ts';
import { startSandbox } from '../sandbox/index.ts';
import type { GracePeriods } from '../src/core/grace.ts';
import { type Asked, words } from '../test/conformance/reachability/cloud-words.ts';
import { type Applied, type EngineWorld, engineWorld } from '../test/support/engine-world/engine-world.ts';
import type { Figure } from './figure.ts';
import { type Random, randomFrom } from './world/random.ts';

/** Random merges on a cloud, and all that differs once each is reverted. `removed`: objects whose grace began. */
interface Counted {
  readonly removed: number;
  readonly packets: number;
  readonly differences: readonly string[];
}

/** Milliseconds of the cloud's time in one of ours. */
const rate = 5000;
const hour = 3_600_000;
/** The cloud's time flies here: no merge may outlast its grace. */
const longGrace: GracePeriods = {
  ...{ network: 10_000 * hour, subnet: 10_000 * hour, group: 10_000 * hour },
  ...{ 'firewall-rule': 0, instance: 1000 * hour },
};

/** Merges random changes, most of which remove something, and reverts each before its grace is over. */
export async function revertMerges(
  cloud: Asked,
  merges: number,
  random: Random,
  grace: GracePeriods = longGrace,
): Promise<Counted> {
  const differences: string[] = [];
  const counted = { removed: 0, packets: 0, differences };
  await using world = await worldOf(cloud);
  const base = documentsOf(cloud);
  const apply = async (documents: readonly object[]): Promise<Applied> => {
    const applied = await world.apply(documents, { grace, unattended: true, share: '100%' });
    if (applied.outcome !== 'done') throw new Error(`${cloud} ended ${applied.outcome}: ${applied.left.join(', ')}`);
    return applied;
  };
  const before = stateOf(cloud, world, await apply(base));
  for (let merge = 0; merge < merges; merge += 1) {
    const { name, documents, isWhole = false } = randomMerge(base, random);
    const merged = await apply(documents);
    counted.removed += (await world.knowledge()).tombstones?.size ?? 0;
    // why: nothing else holds traffic of a network that is removed as a whole
    if (isWhole) differences.push(...differ(before, stateOf(cloud, world, merged), `${name}, in the grace`));
    const after = stateOf(cloud, world, await apply(base));
    counted.packets += after.packets.size;
    differences.push(...differ(before, after, `${cloud} ${merge}: ${name}`));
  }
  return counted;
}

async function worldOf(cloud: Asked): Promise<EngineWorld> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';
  const sandbox = await startSandbox({ clock: { rate } });
  const { clock } = sandbox.control;
  const here = { metadata: { name: 'here' }, spec: { provider: cloud, ...words[cloud].target } };
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    await clock.sleep(ms);
  };
  const stage = { sandbox, clock: { now: () => clock.now(), sleep }, close: () => sandbox.close() };
  return engineWorld({ provider: await loadProvider(cloud), here, quietMs: 0 }, stage);
}

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

function documentsOf(cloud: Asked): readonly Document[] {
  const network = (name: string, block: number): Document => ({
    kind: 'Network',
    metadata: { name },
    spec: {
      ...{ targets: ['here'], cidr: `10.${block}.0.0/16`, internet: true, deletionPolicy: 'delete' },
      subnets: [{ name: 'app', cidr: `10.${block}.1.0/24` }],
    },
  });
  const machine = (name: string, of: string, groups: readonly string[], replicas = 1): Document => ({
    kind: 'Instance',
    metadata: { name },
    spec: {
      ...{ targets: ['here'], network: of, subnet: 'app', groups, replicas, deletionPolicy: 'delete' },
      ...words[cloud].machine,
    },
  });
  const rule = (name: string, spec: Document['spec']): Document => ({
    kind: 'FirewallRule',
    metadata: { name },
    spec: { protocol: 'tcp', ...spec },
  });
  const world = { cidrs: ['0.0.0.0/0'] };
  return [
    network('core', 20),
    network('edge', 30),
    machine('web', 'core', ['web'], 3),
    machine('db', 'core', ['db']),
    machine('lone', 'core', ['web', 'lone']),
    machine('proxy', 'edge', ['proxy'], 2),
    rule('https', { network: 'core', ports: [443], group: 'web', peers: world }),
    rule('to-db', { network: 'core', ports: [5432], group: 'db', peers: { groups: ['web'] } }),
    rule('ssh', { network: 'core', ports: [22], group: 'lone', peers: { cidrs: ['198.51.100.0/24'] } }),
    rule('proxied', { network: 'edge', ports: [443, 80], group: 'proxy', peers: world }),
  ];
}

interface Merge {
  readonly name: string;
  readonly documents: readonly Document[];
  /** Networks go with all that is in them. */
  readonly isWhole?: boolean;
}

function randomMerge(base: readonly Document[], random: Random): Merge {
  const without = (name: string, isGone: (one: Document) => boolean): Merge => ({
    name,
    documents: base.filter((one) => !isGone(one)),
  });
  const network = random.pick(['core', 'edge'], 'core');
  const isIn = ({ metadata, spec }: Document): boolean => metadata.name === network || spec['network'] === network;
  switch (random.whole(6)) {
    case 0:
      return { ...without('everything is removed', () => true), isWhole: true };
    case 1:
      return { ...without(`network ${network} is removed with all in it`, isIn), isWhole: true };
    case 2:
      return without(`all machines of ${network} are removed`, (one) => one.kind === 'Instance' && isIn(one));
    case 3: {
      const gone = new Set(base.filter(({ kind }) => kind !== 'Network' && random.whole(2) === 0));
      return without(`removed: ${[...gone].map(({ metadata }) => metadata.name).join(', ')}`, (one) => gone.has(one));
    }
    case 4:
      return {
        name: 'fewer replicas',
        documents: base.map((one) => {
          const { replicas } = one.spec;
          return typeof replicas === 'number'
            ? { ...one, spec: { ...one.spec, replicas: random.whole(replicas + 1) } }
            : one;
        }),
      };
    default: {
      const ports = [1000 + random.whole(1000)];
      const gone = random.pick(
        base.filter(({ kind }) => kind === 'Instance'),
        undefined,
      );
      return {
        name: `rules change, and ${gone?.metadata.name} is removed`,
        documents: base
          .filter((one) => one !== gone)
          .map((one) =>
            one.kind === 'FirewallRule' && random.whole(2) === 0 ? { ...one, spec: { ...one.spec, ports } } : one,
          ),
      };
    }
  }
}

interface State {
  readonly ids: ReadonlySet<string>;
  /** `from > to port`, and whether the cloud lets it pass. */
  readonly packets: ReadonlyMap<string, boolean>;
}

const outside = ['203.0.113.10', '198.51.100.7'];
const ports = [22, 80, 443, 5432];

function stateOf(cloud: Asked, { sandbox }: EngineWorld, { last }: Applied): State {
  const resources = (last?.observation.resources ?? []).filter(({ condition: { state } }) => state === 'ready');
  const kept = resources.filter(({ kind }) => kind === 'network' || kind === 'group' || kind === 'instance');
  const machines = resources.flatMap(({ kind, id }) => (kind === 'instance' ? [words[cloud].end(id)] : []));
  const { account, region } = words[cloud].target;
  const { ec2, compute, arm } = sandbox.control;
  const isAllowed = (from: string, to: string, port: number): boolean => {
    const question = { from, to, protocol: 'tcp', port };
    if (cloud === 'aws') return ec2.packet({ account, region }, question).allowed;
    return (cloud === 'gcp' ? compute : arm).packet(account, question).allowed;
  };
  const pairs = machines.flatMap((to) =>
    [...machines, ...outside].flatMap((from) => (from === to ? [] : [[from, to] as const])),
  );
  return {
    ids: new Set(kept.map(({ kind, id }) => `${kind} ${id}`)),
    packets: new Map(
      pairs.flatMap(([from, to]) =>
        ports.map((port) => [`${from} > ${to} ${port}`, isAllowed(from, to, port)] as const),
      ),
    ),
  };
}

function differ(before: State, after: State, name: string): readonly string[] {
  const lost = [...before.ids].filter((id) => !after.ids.has(id)).map((id) => `${name}: ${id} is gone`);
  const made = [...after.ids].filter((id) => !before.ids.has(id)).map((id) => `${name}: ${id} is new`);
  const packets = [...before.packets].flatMap(([packet, was]) => {
    const is = after.packets.get(packet);
    return is === was ? [] : [`${name}: ${packet} was ${was}, and is ${is}`];
  });
  return [...lost, ...made, ...packets];
}

/** Asked: 200 random merges that are reverted within the grace: the same ids of networks, groups and machines, and the same reach. */
export async function undo(): Promise<readonly Figure[]> {
  const shares = { aws: 80, gcp: 60, azure: 60 } as const;
  const differences: string[] = [];
  for (const cloud of ['aws', 'gcp', 'azure'] as const) {
    const counted = await revertMerges(cloud, shares[cloud], randomFrom(shares[cloud]));
    if (counted.removed < shares[cloud] || counted.packets < 1000)
      throw new Error(`not what was asked: ${cloud} began ${counted.removed} graces, asked ${counted.packets} packets`);
    differences.push(...counted.differences);
  }
  for (const text of differences.slice(0, 10)) process.stderr.write(`${text}\n`);
  return [{ name: 'undo', value: differences.length, unit: 'differences after 200 reverted merges' }];
}
