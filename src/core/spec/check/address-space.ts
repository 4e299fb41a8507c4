import { type Cidr, containsCidr, overlapsCidr, parseCidr } from '../../cidr.ts';
import type { NetworkDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { placeOf, scopeOf, subnetPlaceOf, targetsOf } from '../placement.ts';
import type { Path } from '../position.ts';
import { error, type Problem, warning } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

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

function* outside(network: Located<NetworkDoc>, blocks: readonly Block[]): Iterable<Problem> {
  const whole = parseCidr(network.value.spec.cidr);
  for (const { name, text, cidr, path } of blocks) {
    if (whole && containsCidr(whole, cidr)) continue;
    const message = `subnet ${name} (${text}) is not inside its network`;
    yield error('outside-network', network.at(path), message, { expected: `a part of ${network.value.spec.cidr}` });
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
  const told = new Set<Block>();
  for (const [place, placed] of blocksByPlace(set, network, blocks)) {
    for (const { outer, inner } of overlappingPairs(placed)) {
      const same = outer.block === inner.block;
      const [first, second] = [outer.block, inner.block].toSorted((a, b) => blocks.indexOf(a) - blocks.indexOf(b));
      if (!first || !second || told.has(second)) continue;
      told.add(second);
      const message = same
        ? `subnet ${first.name} would stand twice in the one network of ${place}`
        : `subnets ${first.name} (${first.text}) and ${second.name} (${second.text}) overlap`;
      const expected = same ? 'target: with the one it is for' : 'blocks that lie apart';
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
  const told = new Set<string>();
  for (const [scope, networks] of Map.groupBy(standing, (one) => one.scope)) {
    for (const { outer, inner } of overlappingPairs(networks)) {
      const { metadata, spec } = outer.network.value;
      const pair = `${metadata.name} ${inner.network.value.metadata.name}`;
      if (told.has(pair)) continue;
      told.add(pair);
      const other = `${metadata.name} (${spec.cidr}, ${place(outer.network.at())})`;
      const message = `this network overlaps ${other} in ${scope}: the two can never be peered`;
      yield warning('overlap', inner.network.at(['spec', 'cidr']), message);
    }
  }
}
