import { atomAddress } from '../compile/atom-address.ts';
import type { Dialect, Numbering } from '../compile/dialect.ts';
import { type Desired, type DocumentRef, isAdoptedRule, isStatedRule } from '../desired.ts';
import { firewallRule } from '../kinds/firewall-rule.ts';
import type { Observed } from '../observed.ts';
import { coversPorts, formatPort, mergePorts, type PortRange, parsePorts, subtractPorts } from '../port-set.ts';
import { type Address, isAddress } from '../resource.ts';
import { compareText } from '../text.ts';
import { withRecords } from './adopted-groups.ts';
import type { Claimed } from './claim.ts';
import type { World } from './world.ts';

/** The desired resources, in the words and with the numbers of their cloud: ready to compare with the observed ones. */
export const alignDesired = (world: World): readonly Desired[] => {
  const { wanted, dialect } = world.input;
  const named = withAddresses(wanted.desired, world);
  const aligned = assignPriorities(respell(alignPorts(named, world.claimed, dialect), world), world);
  return withRecords(aligned, world);
};

/** A group that a rule names by id is known by its address once it is ours, in what is wanted as in what was observed. */
function withAddresses(
  desired: readonly Desired[],
  { claimed, adopted, input: { dialect } }: World,
): readonly Desired[] {
  const isByContent = dialect.rules.contentName !== undefined;
  if (!isByContent || !desired.some((one) => isRule(one) && one.attributes.match.peers.some(isGroupId))) return desired;
  const addresses = new Map([
    ...adopted,
    ...claimed.flatMap(({ observed, claim }) => (claim.by === 'us' ? [[observed.id, claim.address] as const] : [])),
  ]);
  const mapped = desired.map((one): Desired => {
    if (!isRule(one) || !one.attributes.match.peers.some(isGroupId)) return one;
    const attributes = firewallRule.mapRefs(one.attributes, (ref) => addresses.get(ref) ?? ref);
    const address = atomAddress(dialect, attributes.group ?? attributes.network, { name: '', attributes });
    return { ...one, address, attributes };
  });
  return [...new Map(mapped.map((one) => [one.address, one])).values()];
}

const isGroupId = (peer: string): boolean => peer.startsWith('group:') && !isAddress(peer.slice('group:'.length));

type Rule = Desired<'firewall-rule'>;
const everyPort: PortRange = { from: 0, to: 65535 };

/**
 * Takes the cloud's words where it says the same as we do: ports compare as sets, so 80-81 equals 80 and 81.
 *
 * In each cell (atoms that differ in their ports only) observed atoms inside the wanted set are kept as they are spelled,
 * and only what they leave open is asked for. What is partly outside counts as absent: its successor is made whole first.
 * Rules that are known by their names hold whole sets of ports: there is nothing to align.
 */
function alignPorts(desired: readonly Desired[], claimed: readonly Claimed[], dialect: Dialect): readonly Desired[] {
  if (dialect.rules.contentName === undefined) return desired;
  const present = observedByCell(claimed);
  if (present.size === 0) return desired;
  const wanted = Map.groupBy(desired.filter(isRule), (rule) => cellOf(rule));
  const replaced = new Map<string, readonly Rule[]>();
  for (const [cell, rules] of wanted) {
    const atoms = present.get(cell);
    if (cell !== '' && atoms !== undefined && !sameAddresses(rules, atoms))
      replaced.set(cell, alignCell(rules, atoms, dialect));
  }
  if (replaced.size === 0) return desired;
  return [...desired.filter((d) => !isRule(d) || !replaced.has(cellOf(d))), ...[...replaced.values()].flat()];
}

interface Atom {
  readonly address: Address;
  readonly text: string;
  readonly ports: readonly PortRange[];
}

function observedByCell(claimed: readonly Claimed[]): ReadonlyMap<string, readonly Atom[]> {
  const cells = new Map<string, Atom[]>();
  for (const { observed, claim } of claimed) {
    if (observed.kind !== 'firewall-rule' || observed.signs.container === undefined || claim.by !== 'us') continue;
    // why: `kind` was just checked
    const { attributes } = observed as typeof observed & Rule;
    const cell = cellOf({ attributes });
    if (cell === '') continue;
    const atoms = cells.get(cell) ?? [];
    atoms.push({ address: claim.address, text: attributes.match.ports, ports: portsOf(attributes.match.ports) });
    cells.set(cell, atoms);
  }
  return cells;
}

/** All that tells two atoms apart but their ports; '' where ports are no set of numbers. */
function cellOf({ attributes }: Pick<Rule, 'attributes'>): string {
  const { direction, action, protocol, peers } = attributes.match;
  if (protocol !== 'tcp' && protocol !== 'udp') return '';
  return [attributes.group, direction, action, protocol, ...peers].join('|');
}

const isRule = (desired: Desired): desired is Rule => desired.kind === 'firewall-rule';
const portsOf = (text: string): readonly PortRange[] =>
  text === 'all' ? [everyPort] : (parsePorts(text.split(',')) ?? []);

function sameAddresses(rules: readonly Rule[], atoms: readonly Atom[]): boolean {
  if (rules.length !== atoms.length) return false;
  const addresses = new Set(atoms.map(({ address }) => address));
  return rules.every(({ address }) => addresses.has(address));
}

function alignCell(rules: readonly Rule[], atoms: readonly Atom[], dialect: Dialect): readonly Rule[] {
  const wanted = mergePorts(rules.flatMap(rangesOf));
  const kept = atoms.filter(({ ports }) => coversPorts(wanted, ports));
  const open = subtractPorts(
    wanted,
    kept.flatMap(({ ports }) => ports),
  );
  const spelled = kept.map(({ text, ports }) => spell(rules, text, ports, dialect));
  return uniqueByAddress([...spelled, ...open.flatMap((range) => fill(rules, range, dialect))]);
}

const rangesOf = (rule: Rule): readonly PortRange[] => portsOf(rule.attributes.match.ports);

/** The open ports as the documents spell them: whole atoms where nothing of them stands yet. */
function fill(rules: readonly Rule[], open: PortRange, dialect: Dialect): readonly Rule[] {
  const whole = rules.filter((rule) => coversPorts([open], rangesOf(rule)));
  const rest = subtractPorts([open], whole.flatMap(rangesOf));
  return [...whole, ...rest.map((range) => spell(rules, textOf(range), [range], dialect))];
}

const textOf = (range: PortRange): string => (range.from === 0 && range.to === 65535 ? 'all' : formatPort(range));

/** One atom, in these words, on behalf of every rule that wants some of its ports. The description is the first one's. */
function spell(rules: readonly Rule[], text: string, ports: readonly PortRange[], dialect: Dialect): Rule {
  const behind = rules.filter((rule) => overlap(ports, rangesOf(rule)));
  const model = behind[0] ?? rules[0];
  if (model === undefined) throw new Error('a cell has at least one rule');
  const attributes = { ...model.attributes, match: { ...model.attributes.match, ports: text } };
  const address = atomAddress(dialect, attributes.group ?? attributes.network, { name: '', attributes });
  return { ...model, address, attributes, documents: uniqueDocuments(behind.flatMap(({ documents }) => documents)) };
}

const overlap = (some: readonly PortRange[], others: readonly PortRange[]): boolean =>
  some.some((a) => others.some((b) => a.from <= b.to && b.from <= a.to));

const uniqueByAddress = (rules: readonly Rule[]): readonly Rule[] => [
  ...new Map(rules.map((rule) => [rule.address, rule])).values(),
];
const uniqueDocuments = (documents: readonly DocumentRef[]): readonly DocumentRef[] => [
  ...new Map(documents.map((document) => [document.address, document])).values(),
];

/**
 * Gives rules their numbers where a cloud wants one for each (Azure): by priority of the document, deny before allow, then
 * address; per network and direction. The network's defaults have fixed ones.
 */
export function assignPriorities(desired: readonly Desired[], world: World): readonly Desired[] {
  const { numbering } = world.input.dialect.rules;
  if (numbering === undefined) return desired;
  const held = heldNumbers(world);
  const numbered = new Map<Desired, Rule>();
  for (const [place, rules] of Map.groupBy(
    desired.filter(isStatedRule).filter((rule) => !isAdoptedRule(rule)),
    placeOf,
  )) {
    const inOrder = rules.toSorted(byWantedOrder);
    const current = inOrder.map(({ address }) => currentNumber(address, world));
    const numbers = prioritiesFor(current, held.get(place) ?? new Set(), numbering);
    for (const [at, rule] of inOrder.entries()) numbered.set(rule, withNumber(rule, numbers[at]));
  }
  return desired.map((one) => numbered.get(one) ?? one);
}

const placeOf = ({ attributes: { network, match } }: Pick<Rule, 'attributes'>): string =>
  `${network} ${match.direction}`;

function byWantedOrder(a: Rule, b: Rule): number {
  const [first, second] = [a.attributes, b.attributes];
  return (
    (first.order?.priority ?? 0) - (second.order?.priority ?? 0) ||
    // why: "deny" comes after "allow" in the alphabet; where two say one priority the clouds that allow it let deny win
    compareText(second.match.action, first.match.action) ||
    compareText(a.address, b.address)
  );
}

function currentNumber(address: string, { ours }: World): number | undefined {
  const observed = ours.get(address)?.[0]?.observed;
  return observed === undefined || !isObservedRule(observed) ? undefined : observed.attributes.order?.priority;
}

const isObservedRule = (one: Observed): one is Observed<'firewall-rule'> => one.kind === 'firewall-rule';

/** Every number in use, whoever's it is. */
function heldNumbers({ claimed }: World): ReadonlyMap<string, ReadonlySet<number>> {
  const held = new Map<string, Set<number>>();
  for (const { observed } of claimed) {
    const priority = isObservedRule(observed) ? observed.attributes.order?.priority : undefined;
    if (!isObservedRule(observed) || priority === undefined) continue;
    const numbers = held.get(placeOf(observed)) ?? new Set();
    held.set(placeOf(observed), numbers.add(priority));
  }
  return held;
}

function withNumber(rule: Rule, priority: number | undefined): Rule {
  if (priority === undefined) return rule;
  return { ...rule, attributes: { ...rule.attributes, order: { ...rule.attributes.order, priority } } };
}

/**
 * Rising numbers for things in a row. `current`: what each has now; `held`: all numbers in use, by these or by others.
 *
 * As many as can keep theirs do; the others take numbers that nothing holds now, not even what is about to go, so that no
 * step on the way meets a number twice. Where there is no room between two that stay, all move to free numbers. Undefined
 * for those beyond what there is room for.
 */
export function prioritiesFor(
  current: readonly (number | undefined)[],
  held: ReadonlySet<number>,
  numbering: Numbering,
): readonly (number | undefined)[] {
  const kept = keepers(current, numbering);
  const numbers: (number | undefined)[] = [];
  for (let at = 0; at < current.length; ) {
    const own = kept.has(at) ? current[at] : undefined;
    if (own !== undefined) {
      numbers.push(own);
      at += 1;
      continue;
    }
    let end = at;
    while (end < current.length && !kept.has(end)) end += 1;
    const span = { after: numbers.at(-1), before: end < current.length ? current[end] : undefined };
    const filled = fillGaps(end - at, span, held, numbering);
    if (filled.length < end - at) return spread(current.length, freeIn(numbering.first, numbering.last, held));
    numbers.push(...filled);
    at = end;
  }
  return numbers;
}

/**
 * Positions of the longest rising run of numbers in range: patience sorting from the right, n log n. Of equally long ones
 * that with the higher numbers, as there is more room below them.
 */
function keepers(current: readonly (number | undefined)[], { first, last }: Numbering): ReadonlySet<number> {
  const tails: number[] = [];
  const before = new Map<number, number | undefined>();
  for (const [at, value] of [...current.entries()].reverse()) {
    if (value === undefined || value < first || value > last) continue;
    const pile = pileFor(value, tails, current);
    before.set(at, tails[pile - 1]);
    tails[pile] = at;
  }
  const kept = new Set<number>();
  for (let at = tails.at(-1); at !== undefined; at = before.get(at)) kept.add(at);
  return kept;
}

function pileFor(value: number, tails: readonly number[], current: readonly (number | undefined)[]): number {
  let [low, high] = [0, tails.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((current[tails[middle] ?? 0] ?? 0) > value) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Span {
  readonly after: number | undefined;
  readonly before: number | undefined;
}

/** Fewer than `count` where there is no room. At the open end they stand `gap` apart as long as that fits. */
function fillGaps(
  count: number,
  { after, before }: Span,
  held: ReadonlySet<number>,
  { first, last, gap }: Numbering,
): readonly number[] {
  if (before === undefined) {
    const apart: number[] = [];
    for (let next = (after ?? first - 1) + gap; apart.length < count && next <= last; next += 1) {
      if (held.has(next)) continue;
      apart.push(next);
      next += gap - 1;
    }
    if (apart.length === count) return apart;
  }
  const free = freeIn((after ?? first - 1) + 1, (before ?? last + 1) - 1, held);
  return free.length < count ? [] : spread(count, free);
}

function freeIn(from: number, to: number, held: ReadonlySet<number>): readonly number[] {
  const free: number[] = [];
  for (let number = from; number <= to; number += 1) if (!held.has(number)) free.push(number);
  return free;
}

/** So many of them, as far apart as they lie. */
const spread = (count: number, free: readonly number[]): readonly number[] =>
  Array.from({ length: Math.min(count, free.length) }, (_, at) =>
    count > free.length ? at : Math.floor(((at + 1) * free.length) / (count + 1)),
  ).flatMap((at) => free.slice(at, at + 1));

/** Every wish in the words that its cloud used for what stands there, wherever they say the same. */
function respell(desired: readonly Desired[], world: World): readonly Desired[] {
  const { dialect } = world.input;
  if (dialect.matchSpelling === undefined) return desired;
  return desired.map((one) => {
    const present = presentFor(one, world);
    return present === undefined || dialect.matchSpelling === undefined ? one : dialect.matchSpelling(one, present);
  });
}

/** The resource of ours at that address, or the one to be adopted there. */
function presentFor({ address, kind, terms }: Desired, { ours, byId }: World): Observed | undefined {
  const [present] = ours.get(address) ?? [];
  const found = present ?? byId.get(terms.claim?.adopt ?? '');
  return found?.observed.kind === kind ? found.observed : undefined;
}
