import { atomAddress } from '../compile/atom-address.ts';
import type { Dialect } from '../compile/dialect.ts';
import type { Desired, DocumentRef } from '../desired.ts';
import { coversPorts, mergePorts, type PortRange, parsePorts, subtractPorts } from '../port-set.ts';
import { formatPort } from '../port-text.ts';
import type { Address } from '../resource.ts';
import type { Claimed } from './claim.ts';

type Rule = Desired<'firewall-rule'>;
const everyPort: PortRange = { from: 0, to: 65535 };

/**
 * Takes the cloud's words where it says the same as we do: ports compare as sets, so 80-81 equals 80 and 81.
 *
 * In each cell (atoms that differ in their ports only) observed atoms inside the wanted set are kept as they are spelled,
 * and only what they leave open is asked for. What is partly outside counts as absent: its successor is made whole first.
 * Where rules are known by their names they hold whole sets of ports, and there is nothing to align.
 */
export function align(desired: readonly Desired[], claimed: readonly Claimed[], dialect: Dialect): readonly Desired[] {
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
