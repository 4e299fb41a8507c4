import type { FirewallRuleDoc, GroupDoc, InstanceDoc, NetworkDoc } from '../document.ts';
import { holds, type ResourceDoc } from '../effective-terms.ts';
import { error, type Problem, suggest, warning } from '../problem.ts';
import { type DocumentKind, fieldsAt } from '../read-document.ts';
import { declaredGroups, type GroupUse, groupsIn, ofKind, type SpecSet, subnetPlaceOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';
import { place } from './names.ts';

/** Every name that a document uses is one that the specs have, and is there where the document stands. */
export function* references(set: SpecSet): Iterable<Problem> {
  for (const network of set.networks.values()) yield* inNetwork(set, network);
  for (const group of set.groups.values()) yield* inGroup(set, group);
  for (const rule of set.rules) yield* inRule(set, rule);
  for (const instance of set.instances) yield* inInstance(set, instance);
  for (const policy of ofKind(set.documents, 'Policy')) {
    const { targets = [] } = policy.value.spec;
    yield* declared(set, policy, { kind: 'Target', names: targets, path: ['spec', 'targets'] });
  }
}

function* inNetwork(set: SpecSet, network: Located<NetworkDoc>): Iterable<Problem> {
  const { metadata, spec } = network.value;
  const ask = asking(network);
  yield* declared(set, network, { kind: 'Target', names: spec.targets, path: ['spec', 'targets'] });
  yield* ask(keysOf(metadata.adopt), spec.targets, ['metadata', 'adopt'], 'target of this network');
  for (const [index, subnet] of spec.subnets.entries()) {
    const path = ['spec', 'subnets', index];
    const own = subnet.target === undefined ? [] : [{ name: subnet.target, path: [...path, 'target'] }];
    yield* ask(own, spec.targets, path, 'target of this network');
    yield* ask(keysOf(subnet.adopt), spec.targets, [...path, 'adopt'], 'target of this network');
  }
  const named = [...groupsIn(set), ...declaredGroups(set)].flatMap((use) =>
    use.network === metadata.name ? use.name : [],
  );
  for (const [index, group] of spec.groups.entries()) {
    const path = ['spec', 'groups', index];
    // why: an adopted object is there, whether or not anything names it
    const own = group.adopt === undefined ? [{ name: group.name, path: [...path, 'name'] }] : [];
    const known = [...(spec.allGroup ? ['all'] : []), ...new Set(named)];
    yield* ask(own, known, path, 'group that a rule or an instance of this network names');
    if (group.adopt !== undefined && !known.includes(group.name)) yield unnamed(network, group.name, path, known);
    yield* ask(keysOf(group.adopt), spec.targets, [...path, 'adopt'], 'target of this network');
  }
}

function unnamed(network: Located<NetworkDoc>, name: string, path: Path, known: readonly string[]): Problem {
  const at = network.at([...path, 'name']);
  const message = `no rule and no instance of this network names the group \`${name}\``;
  return warning('empty-group', at, message, { didYouMean: suggest(name, known) });
}

function* inGroup(set: SpecSet, group: Located<GroupDoc>): Iterable<Problem> {
  const { metadata, spec } = group.value;
  yield* declared(set, group, { kind: 'Network', names: [spec.network], path: ['spec', 'network'] });
  const network = set.networks.get(spec.network)?.value.spec;
  if (!network) return;
  const ask = asking(group);
  const what = `target of the network ${spec.network}`;
  yield* ask(listed(spec.targets, ['spec', 'targets']), network.targets, ['spec', 'targets'], what);
  const here = spec.targets ?? network.targets;
  yield* ask(keysOf(metadata.adopt), here, ['metadata', 'adopt'], 'target of this group');
  yield* ask(keysOf(spec.names), here, ['spec', 'names'], 'target of this group');
}

function* inRule(set: SpecSet, rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { metadata, spec } = rule.value;
  if (spec.network === undefined) {
    yield* withoutNetwork(set, rule);
    return;
  }
  yield* declared(set, rule, { kind: 'Network', names: [spec.network], path: ['spec', 'network'] });
  const network = set.networks.get(spec.network);
  if (!network) return;
  const there = network.value.spec.targets;
  const ask = asking(rule);
  if (!network.value.spec.allGroup && spec.group === undefined && spec.appliesTo === undefined) {
    const expected = `the group of the rule, as the network ${spec.network} has no group \`all\``;
    yield error('missing-field', rule.at(['spec']), '`group` is missing', { expected });
  }
  const what = `target of the network ${spec.network}`;
  yield* ask(listed(spec.targets, ['spec', 'targets']), there, ['spec', 'targets'], what);
  yield* ask(keysOf(metadata.adopt), spec.targets ?? there, ['metadata', 'adopt'], 'target of this rule');
  const subnets = ['spec', 'appliesTo', 'subnets'];
  const known = network.value.spec.subnets.map(({ name }) => name);
  yield* ask(listed(spec.appliesTo?.subnets, subnets), known, subnets, `subnet of the network ${spec.network}`);
}

/** Groups and subnets are of a network, and a rule that Setpoint makes is in one. */
function* withoutNetwork(set: SpecSet, rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { metadata, spec } = rule.value;
  const { targets = [], appliesTo, peers } = spec;
  const missing = (why: string, expected: string): Problem =>
    error('missing-field', rule.at(['spec']), why, { expected });
  yield* declared(set, rule, { kind: 'Target', names: targets, path: ['spec', 'targets'] });
  yield* asking(rule)(keysOf(metadata.adopt), targets, ['metadata', 'adopt'], 'target of this rule');
  if (metadata.adopt === undefined) {
    yield missing('`network` is missing', 'the network of the rule; only a rule that adopts may omit it');
    return;
  }
  if (targets.length === 0) yield missing('`targets` is missing', 'targets, or a network');
  const other = targets.find((target) => metadata.adopt?.[target] === undefined);
  if (other !== undefined) yield missing('`network` is missing', `a network, or an id to adopt on ${other}`);
  const named = [spec.group, ...(appliesTo?.groups ?? []), ...(appliesTo?.subnets ?? []), ...peers.groups];
  const [first] = named.filter((name) => name !== undefined);
  if (first !== undefined) yield missing('`network` is missing', `the network of \`${first}\``);
  else if (appliesTo === undefined)
    yield missing('`appliesTo` is missing', 'appliesTo, as a rule without network has no group');
}

function* inInstance(set: SpecSet, instance: Located<InstanceDoc>): Iterable<Problem> {
  const { metadata, spec } = instance.value;
  const ask = asking(instance);
  yield* declared(set, instance, { kind: 'Network', names: [spec.network], path: ['spec', 'network'] });
  yield* ask(keysOf(spec.on), spec.targets, ['spec', 'on'], 'target of this instance');
  yield* ask(keysOf(spec.names), spec.targets, ['spec', 'names'], 'target of this instance');
  yield* ask(keysOf(metadata.adopt), spec.targets, ['metadata', 'adopt'], 'target of this instance');
  const network = set.networks.get(spec.network)?.value.spec;
  if (!network) {
    yield* declared(set, instance, { kind: 'Target', names: spec.targets, path: ['spec', 'targets'] });
    return;
  }
  const what = `target of the network ${spec.network}`;
  yield* ask(listed(spec.targets, ['spec', 'targets']), network.targets, ['spec', 'targets'], what);
  for (const target of spec.targets) {
    const own = Object.hasOwn(spec.on, target) ? spec.on[target]?.subnet : undefined;
    const subnet = own ?? spec.subnet;
    const path = own === undefined ? ['spec', 'subnet'] : ['spec', 'on', target, 'subnet'];
    if (subnet === undefined || !network.targets.includes(target)) continue;
    const there = network.subnets.filter((one) => one.target === undefined || servesAlike(set, one.target, target));
    const names = there.map((one) => one.name);
    yield* ask([{ name: subnet, path }], names, path, `subnet of ${spec.network} on ${target}`);
  }
}

/** On GCP a subnet is one in all zones of its region, whatever the target that it names. */
function servesAlike(set: SpecSet, one: string, other: string): boolean {
  const [a, b] = [set.targets.get(one)?.value, set.targets.get(other)?.value];
  return one === other || (a?.spec.provider === 'gcp' && b !== undefined && subnetPlaceOf(a) === subnetPlaceOf(b));
}

interface Use {
  readonly name: string;
  readonly path: Path;
}

const listed = (names: readonly string[] | undefined, path: Path): readonly Use[] =>
  (names ?? []).map((name, index) => ({ name, path: [...path, index] }));

const keysOf = (map: Readonly<Record<string, unknown>> | undefined): readonly Use[] =>
  Object.keys(map ?? {}).map((name) => ({ name, path: [name] }));

/** Names that must be among those at hand. */
function asking(document: Located<unknown>) {
  return function* (uses: readonly Use[], known: readonly string[], holder: Path, what: string): Iterable<Problem> {
    const there = new Set(known);
    for (const { name, path } of uses) {
      if (there.has(name)) continue;
      const at = document.at(path.length > 1 ? path : [...holder, ...path]);
      const expected = known.length > 0 ? known.slice(0, MOST).join(', ') : 'there is none';
      yield error('unknown-reference', at, `\`${name}\` is no ${what}`, { expected, didYouMean: suggest(name, known) });
    }
  };
}

/** Names listed in a hint; more would bury the rest. */
const MOST = 12;

interface Reference {
  readonly kind: DocumentKind;
  readonly names: readonly string[];
  readonly path: Path;
}

/** Names of documents: one that has errors of its own is there all the same. */
function* declared(set: SpecSet, document: Located<unknown>, { kind, names, path }: Reference): Iterable<Problem> {
  const known = set.declared.get(kind) ?? new Set<string>();
  const list =
    names.length === 1 && !path.at(-1)?.toString().endsWith('s') ? [path] : names.map((_, i) => [...path, i]);
  for (const [index, name] of names.entries()) {
    if (known.has(name)) continue;
    const expected = known.size > 0 ? [...known].slice(0, MOST).join(', ') : `there is no document of kind ${kind}`;
    const message = `there is no ${kind} named \`${name}\``;
    yield error('unknown-reference', document.at(list[index] ?? path), message, {
      expected,
      didYouMean: suggest(name, known),
    });
  }
}

/**
 * Groups need no document, so a misspelt one is a new one. A rule for, or a peer of, a group that no instance of the
 * network is in does nothing: a warning, as the instances may come later. `all` is ours.
 */
export function* groups(set: SpecSet): Iterable<Problem> {
  const uses = groupsIn(set);
  const filled = new Map<string, Set<string>>();
  for (const { network, name } of uses.filter((use) => use.fills)) {
    filled.set(network, (filled.get(network) ?? new Set()).add(name));
  }
  for (const { document, network, name, path, fills } of uses) {
    const at = document.at(path);
    if (name.toLowerCase() === 'all') {
      const expected = 'another name; omit group for every instance of the network';
      yield error('reserved-group', at, '`all` is the group of every instance', { expected });
    }
    const members = filled.get(network) ?? new Set<string>();
    if (fills || name.toLowerCase() === 'all' || members.has(name)) continue;
    const didYouMean = suggest(name, members);
    yield warning('empty-group', at, `no instance of ${network} is in the group \`${name}\``, { didYouMean });
  }
  yield* alike([...uses, ...declaredGroups(set)]);
}

/**
 * Azure takes names in any case for one, and so do people:
 * https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules
 */
function* alike(uses: readonly GroupUse[]): Iterable<Problem> {
  for (const same of Map.groupBy(uses, ({ network, name }) => `${network} ${name.toLowerCase()}`).values()) {
    const first = same.find(({ fills }) => fills) ?? same[0];
    for (const { document, name, path } of same) {
      if (!first || name === first.name || name.toLowerCase() === 'all') continue;
      const message = `the group \`${name}\` differs in case only from ${first.name} (${place(first.document.at(first.path))})`;
      yield error('group-case', document.at(path), message, { expected: first.name });
    }
  }
}

/** An `ignore` names a field that exists, and is over after its last day. */
export function* ignores(set: SpecSet, today: string): Iterable<Problem> {
  for (const document of [...set.networks.values(), ...set.groups.values(), ...set.rules, ...set.instances]) {
    for (const [index, entry] of document.value.spec.ignore.entries()) {
      yield* unknownField(document, index, entry.field);
      yield* trafficField(document, index, entry.field);
      if (holds(entry, today)) continue;
      const message = `this ended on ${entry.until}: \`${entry.field}\` is no longer ignored`;
      const expected = `a later day, if ${entry.owner} still changes it; else remove the entry`;
      yield warning('ignore-ended', document.at(['spec', 'ignore', index, 'until']), message, { expected });
    }
  }
  for (const target of set.targets.values()) {
    for (const [index, entry] of (target.value.spec.ignoreUnmanaged ?? []).entries()) {
      if (holds(entry, today)) continue;
      const message = `this ended on ${entry.until}: plans report these unmanaged objects again`;
      const expected = `a later day, if ${entry.owner} still owns them; else remove the entry`;
      yield warning('ignore-ended', target.at(['spec', 'ignoreUnmanaged', index, 'until']), message, { expected });
    }
  }
}

/** Not what the cloud holds: what it is to be governed by, and where it is. */
const NOT_COMPARED: readonly string[] = [
  'targets',
  'network',
  'names',
  'replicas',
  'replace',
  'on',
  'mode',
  'criticality',
  'protect',
  'deletionPolicy',
  'ignore',
  'remediation',
  'rollout',
  'minReady',
];

const TRAFFIC: readonly string[] = [
  'direction',
  'action',
  'protocol',
  'protocols',
  'ports',
  'icmp',
  'peers',
  'group',
  'appliesTo',
];

/** A rule is its traffic: a plan compares all of it or has another rule. */
function* trafficField({ value, at }: Located<ResourceDoc>, index: number, field: string): Iterable<Problem> {
  if (value.kind !== 'FirewallRule' || !TRAFFIC.includes(field.split('.')[0] ?? '')) return;
  const message = `\`${field}\` of a rule cannot be ignored: this entry has no effect`;
  const expected = 'no entry; mode: observe on the rule reports every difference, and changes nothing';
  yield warning('not-here', at(['spec', 'ignore', index, 'field']), message, { expected });
}

function* unknownField(document: Located<ResourceDoc>, index: number, field: string): Iterable<Problem> {
  const { kind } = document.value;
  const [first = '', second, ...more] = field.split('.');
  if (first === 'labels') return;
  const fields = [...fieldsAt(kind, ['spec']).filter((name) => !NOT_COMPARED.includes(name)), 'labels'];
  const inner = fieldsAt(kind, ['spec', first]);
  const known = fields.includes(first) && (second === undefined || inner.includes(second)) && more.length === 0;
  if (known) return;
  const candidates = [...fields, ...inner.map((name) => `${first}.${name}`)];
  yield error('unknown-field', document.at(['spec', 'ignore', index, 'field']), `${kind} has no field \`${field}\``, {
    expected: candidates.join(', '),
    didYouMean: suggest(field, candidates),
  });
}
