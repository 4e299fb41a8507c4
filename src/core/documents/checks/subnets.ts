import { type Cidr, containsCidr, overlapsCidr, parseCidr } from '../../cidr.ts';
import { type InstanceDoc, instanceOn, type NetworkDoc, type TargetDoc } from '../document.ts';
import { error, type Problem, warning } from '../problem.ts';
import { placeOf, type SpecSet, scopeOf, subnetPlaceOf, targetsOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';
import { place } from './names.ts';

type Subnet = NetworkDoc['spec']['subnets'][number];

/** A subnet lies in a zone only where subnets do, and has an address for each machine that is to be in it. */
export function* subnetFields(set: SpecSet): Iterable<Problem> {
  const machines = machinesBySubnet(set);
  for (const network of set.networks.values()) {
    for (const [index, subnet] of network.value.spec.subnets.entries()) {
      const targets = targetsOf(set, subnet.target === undefined ? network.value.spec.targets : [subnet.target]);
      const path = ['spec', 'subnets', index];
      yield* zone(network, [...path, 'zone'], subnet, targets);
      yield* room(network, [...path, 'cidr'], { subnet, targets, machines });
    }
  }
}

/** https://cloud.google.com/vpc/docs/subnets and https://learn.microsoft.com/azure/reliability/reliability-virtual-network */
function* zone(
  network: Located<NetworkDoc>,
  path: Path,
  { zone: given }: Subnet,
  targets: readonly Located<TargetDoc>[],
): Iterable<Problem> {
  if (given === undefined) return;
  const aws = targets.filter(({ value }) => value.spec.provider === 'aws' || value.spec.provider === 'memory');
  if (aws.length === 0 && targets.length > 0) {
    const message = 'GCP and Azure subnets span all zones: `zone` has no effect here';
    yield warning('not-here', network.at(path), message, { expected: "no zone; that of a machine is its target's" });
  }
  for (const { value } of aws) {
    const { provider, region } = value.spec;
    const within = given.startsWith(region) && /^[a-z-]/.test(given.slice(region.length));
    if (provider !== 'aws' || within) continue;
    const message = `the zone \`${given}\` is not in ${region} (${value.metadata.name})`;
    yield error('bad-value', network.at(path), message, { expected: `a zone of it, such as ${region}a` });
  }
}

/**
 * Addresses that a cloud keeps of every subnet:
 * https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html (the first four and the last),
 * https://cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet (the first two and the last two),
 * https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq (the first four and the last)
 */
const KEPT: Readonly<Record<TargetDoc['spec']['provider'], number>> = { aws: 5, gcp: 4, azure: 5, memory: 0 };

interface Room {
  readonly subnet: Subnet;
  readonly targets: readonly Located<TargetDoc>[];
  readonly machines: ReadonlyMap<string, Crowd>;
}

/** The machines of one subnet. `most`: the document with the most of them. */
interface Crowd {
  readonly total: number;
  readonly most: { readonly document: Located<InstanceDoc>; readonly replicas: number };
}

function* room(network: Located<NetworkDoc>, path: Path, { subnet, targets, machines }: Room): Iterable<Problem> {
  const cidr = parseCidr(subnet.cidr);
  if (!cidr || cidr.family === 6) return;
  const reported = new Set<string>();
  for (const { value } of targets) {
    const kept = KEPT[value.spec.provider];
    const here = subnetKey(network.value.metadata.name, subnet.name, value);
    const crowd = machines.get(here);
    if (crowd === undefined) continue;
    const free = Math.max(2 ** (32 - cidr.prefix) - kept, 0);
    if (crowd.total <= free || reported.has(here)) continue;
    reported.add(here);
    const message = `${crowd.total} machines belong to this subnet on ${value.metadata.name}, and it has ${free} addresses: ${value.spec.provider} keeps ${kept}`;
    const expected = `a larger block, or fewer replicas: ${mostText(crowd)}`;
    yield error('subnet-full', network.at(path), message, { expected });
  }
}

/** `web (instances.yaml:9) has 300 of them` */
function mostText({ most: { document, replicas } }: Crowd): string {
  const { file, line } = document.at(['spec', 'replicas']);
  return `${document.value.metadata.name} (${file}:${line}) has ${replicas} of them`;
}

function machinesBySubnet(set: SpecSet): ReadonlyMap<string, Crowd> {
  const machines = new Map<string, Crowd>();
  for (const document of set.instances) {
    const { value } = document;
    for (const { value: target } of targetsOf(set, value.spec.targets)) {
      const made = instanceOn(value, target.metadata.name);
      if (!made) continue;
      const key = subnetKey(value.spec.network, made.subnet, target);
      const own = { document, replicas: made.replicas };
      const { total = 0, most = own } = machines.get(key) ?? {};
      machines.set(key, { total: total + made.replicas, most: most.replicas < made.replicas ? own : most });
    }
  }
  return machines;
}

/** One for all zones of a GCP region. */
const subnetKey = (network: string, subnet: string, target: TargetDoc): string =>
  `${target.spec.provider === 'gcp' ? subnetPlaceOf(target) : target.metadata.name} ${network}.${subnet}`;

/** Subnets lie in their network and apart, networks of one scope lie apart. */
export function* addressSpace(set: SpecSet): Iterable<Problem> {
  for (const network of set.networks.values()) {
    const blocks = blocksOf(network);
    yield* outside(network, blocks);
    yield* overlaps(set, network, blocks);
  }
  yield* overlappingNetworks(set);
}

interface Block {
  readonly name: string;
  readonly text: string;
  readonly cidr: Cidr;
  readonly path: Path;
  readonly target?: string | undefined;
}

function blocksOf({ value }: Located<NetworkDoc>): readonly Block[] {
  return value.spec.subnets.flatMap(({ name, cidr: text, target }, index) => {
    const cidr = parseCidr(text);
    return cidr ? [{ name, text, cidr, target, path: ['spec', 'subnets', index, 'cidr'] }] : [];
  });
}

/** A network may have further blocks, which its settings state. */
function* outside(network: Located<NetworkDoc>, blocks: readonly Block[]): Iterable<Problem> {
  const { cidr: first, settings } = network.value.spec;
  const texts = [first, ...(settings?.secondaryCidrs ?? [])];
  const wholes = texts.flatMap((text) => parseCidr(text) ?? []);
  for (const { name, text, cidr, path } of blocks) {
    if (wholes.some((whole) => containsCidr(whole, cidr))) continue;
    const message = `subnet ${name} (${text}) is not inside its network`;
    yield error('outside-network', network.at(path), message, { expected: `a part of ${texts.join(' or ')}` });
  }
}

interface Placed {
  readonly block: Block;
  readonly cidr: Cidr;
  /** Two targets of one region mean one subnet on GCP: it serves all zones. */
  readonly standsIn: string;
}

/** Of each place the network stands in. On GCP all targets of a project share the network, so one place holds all of them. */
function* overlaps(set: SpecSet, network: Located<NetworkDoc>, blocks: readonly Block[]): Iterable<Problem> {
  const reported = new Set<Block>();
  for (const [place, placed] of blocksByPlace(set, network, blocks)) {
    for (const { outer, inner } of overlappingPairs(placed)) {
      const same = outer.block === inner.block;
      const [first, second] = [outer.block, inner.block].toSorted((a, b) => blocks.indexOf(a) - blocks.indexOf(b));
      if (!first || !second || reported.has(second)) continue;
      reported.add(second);
      const message = same
        ? `subnet ${first.name} would exist twice in the single network of ${place}`
        : `subnets ${first.name} (${first.text}) and ${second.name} (${second.text}) overlap`;
      const expected = same ? 'target: with the one it is for' : 'blocks that do not overlap';
      yield error('overlap', network.at(second.path), message, { expected });
    }
  }
}

function blocksByPlace(
  set: SpecSet,
  network: Located<NetworkDoc>,
  blocks: readonly Block[],
): ReadonlyMap<string, Placed[]> {
  const places = new Map<string, Placed[]>();
  for (const name of network.value.spec.targets) {
    const target = set.targets.get(name)?.value;
    const place = target ? placeOf(target) : name;
    const standsIn = target ? subnetPlaceOf(target) : name;
    const placed = places.get(place) ?? [];
    const here = blocks
      .filter((block) => block.target === undefined || block.target === name)
      .filter((block) => !placed.some((one) => one.block === block && one.standsIn === standsIn));
    places.set(place, [...placed, ...here.map((block) => ({ block, cidr: block.cidr, standsIn }))]);
  }
  return places;
}

/**
 * Each block that overlaps an earlier one, with the smallest that contains it. Blocks lie in one another or apart, so
 * of those sorted by where they begin only the last ones still open can contain the next: O(n log n).
 */
function* overlappingPairs<T extends { readonly cidr: Cidr }>(
  all: readonly T[],
): Iterable<{ readonly outer: T; readonly inner: T }> {
  const open: T[] = [];
  for (const inner of all.toSorted((x, y) => compare(x.cidr, y.cidr))) {
    let outer = open.at(-1);
    while (outer && !overlapsCidr(outer.cidr, inner.cidr)) {
      open.pop();
      outer = open.at(-1);
    }
    if (outer) yield { outer, inner };
    open.push(inner);
  }
}

const compare = (a: Cidr, b: Cidr): number =>
  a.family - b.family || Number(a.base > b.base) - Number(a.base < b.base) || a.prefix - b.prefix;

function* overlappingNetworks(set: SpecSet): Iterable<Problem> {
  const standing = [...set.networks.values()].flatMap((network) => {
    const cidr = parseCidr(network.value.spec.cidr);
    const scopes = new Set(targetsOf(set, network.value.spec.targets).map((target) => scopeOf(target.value)));
    return cidr ? [...scopes].map((scope) => ({ network, cidr, scope })) : [];
  });
  const reported = new Set<string>();
  for (const [scope, networks] of Map.groupBy(standing, (one) => one.scope)) {
    for (const { outer, inner } of overlappingPairs(networks)) {
      const { metadata, spec } = outer.network.value;
      const pair = `${metadata.name} ${inner.network.value.metadata.name}`;
      if (reported.has(pair)) continue;
      reported.add(pair);
      const other = `${metadata.name} (${spec.cidr}, ${place(outer.network.at())})`;
      const message = `this network overlaps ${other} in ${scope}: the two can never be peered`;
      yield warning('overlap', inner.network.at(['spec', 'cidr']), message);
    }
  }
}

/** Blocks are such as each cloud takes: of a size it knows, and of addresses that it does not keep for itself. */
export function* cloudBlocks(set: SpecSet): Iterable<Problem> {
  for (const network of set.networks.values()) {
    const targets = targetsOf(set, network.value.spec.targets).map(({ value }) => value);
    for (const [provider, here] of Map.groupBy(targets, ({ spec }) => spec.provider)) {
      if (provider === 'memory') continue;
      for (const block of blocksOn(network.value, new Set(here.map(({ metadata }) => metadata.name)))) {
        const problem = wrongSize(network, block, provider) ?? reserved(network, block, provider);
        if (problem) yield problem;
      }
    }
  }
}

interface PlacedBlock {
  readonly of: 'network' | 'subnet';
  readonly text: string;
  readonly cidr: Cidr;
  readonly path: Path;
}

function blocksOn({ spec }: NetworkDoc, targets: ReadonlySet<string>): readonly PlacedBlock[] {
  const texts = [
    { of: 'network' as const, text: spec.cidr, path: ['spec', 'cidr'] },
    ...spec.subnets.flatMap(({ cidr, target }, index) =>
      target === undefined || targets.has(target)
        ? [{ of: 'subnet' as const, text: cidr, path: ['spec', 'subnets', index, 'cidr'] }]
        : [],
    ),
  ];
  return texts.flatMap((one) => {
    const cidr = parseCidr(one.text);
    return cidr ? [{ ...one, cidr }] : [];
  });
}

type Provider = Exclude<TargetDoc['spec']['provider'], 'memory'>;
type Range = readonly [largest: number, smallest: number];

interface Limits {
  /** Prefix lengths from the largest block to the smallest. A GCP network has no addresses of its own. */
  readonly network?: Range;
  readonly subnet: Range;
  readonly link: string;
  readonly kept?: readonly string[];
}

const LIMITS: Readonly<Record<Provider, Limits>> = {
  aws: {
    network: [16, 28],
    subnet: [16, 28],
    link: 'https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html',
  },
  // "Prohibited IPv4 subnet ranges"
  gcp: {
    subnet: [4, 29],
    link: 'https://cloud.google.com/vpc/docs/subnets#ipv4-ranges',
    kept: [
      '0.0.0.0/8',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '199.36.153.4/30',
      '199.36.153.8/30',
      '224.0.0.0/4',
      '255.255.255.255/32',
    ],
  },
  // "What address ranges can I use", "How small and how large can virtual networks and subnets be"
  azure: {
    network: [2, 29],
    subnet: [2, 29],
    link: 'https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq',
    kept: ['127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32'],
  },
};

function wrongSize(network: Located<NetworkDoc>, block: PlacedBlock, provider: Provider): Problem | undefined {
  const { cidr, path, of } = block;
  const { [of]: range, link } = LIMITS[provider];
  const hint = { expected: range ? `IPv4, /${range[0]} to /${range[1]} (${link})` : 'IPv4' };
  if (cidr.family === 6) return error('bad-size', network.at(path), `${provider} networks begin with IPv4`, hint);
  const fits = range === undefined || (cidr.prefix >= range[0] && cidr.prefix <= range[1]);
  return fits ? undefined : error('bad-size', network.at(path), `${provider} takes no /${cidr.prefix} here`, hint);
}

function reserved(network: Located<NetworkDoc>, block: PlacedBlock, provider: Provider): Problem | undefined {
  const { kept = [], link, network: held } = LIMITS[provider];
  // A network that has addresses bounds its subnets.
  if ((block.of === 'network') !== (held !== undefined)) return undefined;
  const hit = kept.find((text) => {
    const cidr = parseCidr(text);
    return cidr !== undefined && overlapsCidr(cidr, block.cidr);
  });
  if (hit === undefined) return undefined;
  const message = `${provider} keeps ${hit} for itself, and ${block.text} reaches into it`;
  return error('reserved-range', network.at(block.path), message, { expected: `other addresses (${link})` });
}
