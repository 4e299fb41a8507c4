import { parseCidr } from '../../cidr.ts';
import { formatPort } from '../../port-set.ts';
import type { FirewallRuleDoc, NetworkDoc, TargetDoc } from '../document.ts';
import { ownGroups, type Service, servicesOf } from '../firewall-rule.ts';
import { error, type Problem, warning } from '../problem.ts';
import { groupsIn, placeOf, type SpecSet, targetsIn, targetsOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';
import { place } from './names.ts';

/** Fields of a rule that contradict one another, on every cloud. */
export function* ruleFields(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules) {
    yield* size(rule);
    yield* oneForm(rule);
    for (const placed of placedServices(rule)) {
      yield* portsWithProtocol(set, rule, placed);
      yield* icmpWithProtocol(rule, placed);
      yield* icmpWithFamily(rule, placed);
    }
    if (rule.value.spec.priority > LAST_PRIORITY && rule.value.metadata.adopt === undefined) {
      const expected = `0 to ${LAST_PRIORITY}: the network's default has the last ones`;
      const message = 'only a rule that adopts has such a priority';
      yield error('bad-value', rule.at(['spec', 'priority']), message, { expected });
    }
  }
}

/** The network's `default` stands behind every rule of a document. */
const LAST_PRIORITY = 65_533;

/** One protocol of a rule, and its place in the document. */
interface PlacedService {
  readonly service: Service;
  readonly path: Path;
}

const placedServices = ({ value: { spec } }: Located<FirewallRuleDoc>): readonly PlacedService[] =>
  servicesOf(spec).map((service, index) => ({
    service,
    path: spec.protocols === undefined ? ['spec'] : ['spec', 'protocols', index],
  }));

/** Fields that say the same in two ways, and that a document has one of. */
function* oneForm(rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { protocol, protocols, ports, icmp, group, appliesTo } = rule.value.spec;
  if (protocol === undefined && protocols === undefined) {
    const expected = 'protocol, or protocols for several';
    yield error('missing-field', rule.at(['spec']), '`protocol` is missing', { expected });
  }
  const own = (['protocol', 'ports', 'icmp'] as const).find((name) => ({ protocol, ports, icmp })[name] !== undefined);
  if (protocols !== undefined && own !== undefined) {
    const message = `\`${own}\` and \`protocols\` both name protocols`;
    yield error('two-forms', rule.at(['spec', own]), message, { expected: 'one of the two' });
  }
  if (protocol === undefined && protocols === undefined) return;
  if (group !== undefined && appliesTo !== undefined) {
    const message = '`group` and `appliesTo` both name the machines of the rule';
    yield error('two-forms', rule.at(['spec', 'group']), message, { expected: 'one of the two' });
  }
  const names = servicesOf(rule.value.spec).map((service) => String(service.protocol));
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue;
    const message = `protocol ${name} is already in this list`;
    const expected = 'one entry for each protocol, with all of its ports';
    yield error('repeated', rule.at(['spec', 'protocols', index]), message, { expected });
  }
}

function* size(rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const count = atomCount(rule.value);
  if (count <= MOST_ATOMS) return;
  const message = `this rule is ${count} rules: each port range with each peer`;
  yield error('too-many-rules', rule.at(['spec', 'peers']), message, { expected: `at most ${MOST_ATOMS}` });
}

/**
 * Clouds accept ports where they mean nothing and drop them, so the rule would be wider than it reads. GCP alone knows those
 * of SCTP: https://cloud.google.com/firewall/docs/firewalls#protocols_and_ports
 */
function* portsWithProtocol(
  set: SpecSet,
  rule: Located<FirewallRuleDoc>,
  { service: { protocol, ports }, path }: PlacedService,
): Iterable<Problem> {
  if (ports === undefined || protocol === 'tcp' || protocol === 'udp') return;
  const at = rule.at([...path, 'ports']);
  const isOnly = (cloud: Provider): boolean =>
    targetsIn(set, rule.value).every(({ value }) => value.spec.provider === cloud);
  if ((protocol === SCTP && isOnly('gcp')) || (protocol === 'all' && isOnly('azure'))) return;
  if (typeof protocol === 'number') {
    const message = `ports have no effect with protocol ${protocol}: the rule covers all of it`;
    yield warning('ports-without-meaning', at, message, { expected: 'no ports' });
  } else {
    const expected =
      protocol === 'all'
        ? 'protocol tcp or udp, or no ports; only Azure knows ports of all protocols'
        : 'icmp: { type, code } instead of ports';
    yield error('ports-without-meaning', at, `protocol ${protocol} has no ports`, { expected });
  }
}

const SCTP = 132;

function* icmpWithProtocol(
  rule: Located<FirewallRuleDoc>,
  { service: { protocol, icmp }, path }: PlacedService,
): Iterable<Problem> {
  if (icmp === undefined || protocol === 'icmp' || protocol === 'icmpv6') return;
  const message = `\`spec.icmp\` has no effect with protocol ${protocol}`;
  yield error('icmp-without-meaning', rule.at([...path, 'icmp']), message, { expected: 'protocol icmp or icmpv6' });
}

/** Two protocols: the one never travels over the other's addresses. */
function* icmpWithFamily(rule: Located<FirewallRuleDoc>, { service: { protocol } }: PlacedService): Iterable<Problem> {
  const { peers } = rule.value.spec;
  if (protocol !== 'icmp' && protocol !== 'icmpv6') return;
  const family = protocol === 'icmp' ? 4 : 6;
  for (const [index, text] of peers.cidrs.entries()) {
    if (parseCidr(text)?.family === family) continue;
    const other = protocol === 'icmp' ? 'icmpv6' : 'icmp';
    const message = `${protocol} does not travel over IPv${10 - family} (${text})`;
    const expected = `a rule of its own with protocol ${other}`;
    yield error('wrong-family', rule.at(['spec', 'peers', 'cidrs', index]), message, { expected });
  }
}

/**
 * Two rules that are one to the cloud. AWS knows a rule by its content, so two documents may share one, but then must
 * describe it alike (it refuses the second as InvalidPermission.Duplicate). Elsewhere saying everything twice is only
 * superfluous. Ports compare as sets: 80 and 81 is 80-81.
 */
export function* oneRule(set: SpecSet): Iterable<Problem> {
  const seen: Seen = { atoms: new Map(), wholes: new Map() };
  for (const rule of set.rules) {
    if (atomCount(rule.value) > MOST_ATOMS) continue;
    const found = targetsIn(set, rule.value).map((target) => compare(seen, rule, target.value));
    const problem = found.find((one) => one?.severity === 'error') ?? found.find((one) => one);
    if (problem) yield problem;
  }
}

/** The first rule that holds an atom, and the first that is made of exactly these atoms. */
interface Seen {
  readonly atoms: Map<string, Rule>;
  readonly wholes: Map<string, Rule>;
}

function compare({ atoms, wholes }: Seen, rule: Rule, target: TargetDoc): Problem | undefined {
  const keys = atomKeys(rule.value, target);
  const all = keys.join('\n');
  const same = wholes.get(all);
  const clash = byContent(target) ? keys.map((key) => atoms.get(key)).find((other) => differs(other, rule)) : undefined;
  wholes.set(all, same ?? rule);
  for (const key of keys) atoms.set(key, atoms.get(key) ?? rule);
  if (clash) return describedTwice(rule, clash);
  return same && same !== rule ? saidTwice(rule, same) : undefined;
}

type Rule = Located<FirewallRuleDoc>;
export type Provider = TargetDoc['spec']['provider'];

const byContent = ({ spec }: TargetDoc): boolean => spec.provider === 'aws' || spec.provider === 'memory';

const differs = (other: Rule | undefined, rule: Rule): other is Rule =>
  other !== undefined && other.value.spec.description !== rule.value.spec.description;

function describedTwice(rule: Rule, other: Rule): Problem {
  const at = rule.at(rule.wrote(['spec', 'description']) ? ['spec', 'description'] : ['metadata', 'name']);
  const message = `${rule.value.metadata.name} and ${other.value.metadata.name} (${place(other.at())}) hold the same rule with two descriptions`;
  return error('one-rule', at, message, { expected: 'the same description in both, or one rule' });
}

function saidTwice(rule: Rule, other: Rule): Problem {
  const message = `${rule.value.metadata.name} is the same as ${other.value.metadata.name} (${place(other.at())})`;
  return warning('one-rule', rule.at(['metadata', 'name']), message, { expected: 'one of the two' });
}

/** The keys by which the cloud distinguishes rules, sorted. */
function atomKeys({ metadata, spec }: FirewallRuleDoc, target: TargetDoc): readonly string[] {
  const { network, direction, action } = spec;
  // why: two existing rules may say the same, and each has its document
  const adopted = metadata.adopt?.[target.metadata.name] ?? '';
  const peers = peersOf(spec, target);
  const order = byContent(target) ? '' : ` ${spec.priority}`;
  const all = machinesOf(spec).flatMap((machines) =>
    servicesOf(spec).flatMap(({ protocol, ports, icmp }) => {
      const fixed = [placeOf(target), adopted, network, machines, direction, action, protocol].join(' ');
      const ranges = icmp ? [`${icmp.type}/${icmp.code}`] : (ports?.map(formatPort) ?? ['all']);
      return ranges.flatMap((range) => peers.map((peer) => `${fixed} ${range} ${peer}${order}`));
    }),
  );
  return all.map((key) => key.replace(/ 0-65535 /, ' all ')).toSorted();
}

/** Each side that a rule applies to; '' is the group `all`. */
export function machinesOf(spec: FirewallRuleDoc['spec']): readonly string[] {
  const { appliesTo } = spec;
  if (appliesTo === undefined) return ownGroups(spec) ?? [''];
  const { groups, subnets, cidrs, serviceTags, serviceAccounts, network } = appliesTo;
  return [
    ...groups,
    ...subnets.map((name) => `subnet:${name}`),
    ...cidrs,
    ...serviceTags.map((tag) => `tag:${tag.toLowerCase()}`),
    ...serviceAccounts,
    ...(network ? ['network:'] : []),
  ];
}

/** On AWS anyone is everyone by address; elsewhere it is a word of its own (`*` is not 0.0.0.0/0). */
function peersOf({ peers }: FirewallRuleDoc['spec'], target: TargetDoc): readonly string[] {
  const anyone = byContent(target) ? ['0.0.0.0/0', '::/0'] : ['any'];
  return [
    ...(peers.any ? anyone : []),
    ...peers.cidrs,
    ...peers.groups.map((name) => `group:${name}`),
    ...peers.groupIds.map((id) => `group:${id}`),
    ...peers.prefixLists,
    ...peers.serviceTags.map((tag) => `tag:${tag.toLowerCase()}`),
    ...peers.serviceAccounts,
  ];
}

/**
 * One NSG holds all rules of a network on Azure, and has room for so many.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits#azure-resource-manager-virtual-networking-limits
 */
const LIMITS =
  'https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits#azure-resource-manager-virtual-networking-limits';
const MOST_RULES = 1000;
/** Application security groups in all rules of an NSG. */
const MOST_GROUPS = 100;

export function* mostRules(set: SpecSet): Iterable<Problem> {
  const named = Map.groupBy(groupsIn(set), ({ network }) => network);
  const written = Map.groupBy(
    // why: an adopted rule stands in a security group of its own
    set.rules.filter(({ value }) => value.metadata.adopt === undefined),
    ({ value }) => value.spec.network,
  );
  for (const network of set.networks.values()) {
    const { name } = network.value.metadata;
    const inRules = (named.get(name) ?? []).filter(({ fills }) => !fills);
    const groups = new Set([
      ...(network.value.spec.allGroup ? ['all'] : []),
      ...inRules.map((use) => use.name.toLowerCase()),
    ]).size;
    for (const { value: target } of targetsOf(set, network.value.spec.targets)) {
      if (target.spec.provider !== 'azure') continue;
      const rules = (written.get(name) ?? []).filter(({ value }) =>
        targetsIn(set, value).some((one) => one.value === target),
      );
      yield* tooMany(network, placeOf(target), { rules: ours(network.value) + rulesOf(rules), groups });
    }
  }
}

interface Count {
  readonly rules: number;
  readonly groups: number;
}

function* tooMany(network: Located<NetworkDoc>, where: string, { rules, groups }: Count): Iterable<Problem> {
  const at = network.at(['metadata', 'name']);
  if (rules > MOST_RULES) {
    const message = `the rules of this network are ${rules} in its NSG in ${where}, with those for \`default\``;
    const expected = `at most ${MOST_RULES}: one for all IPv4 and one for all IPv6 blocks of a rule, one for each group and service tag (${LIMITS})`;
    yield error('too-many-rules', at, message, { expected });
  }
  if (groups > MOST_GROUPS) {
    const message = `the rules of this network name ${groups} groups, with that of all instances, in ${where}`;
    yield error('too-many-groups', at, message, { expected: `at most ${MOST_GROUPS} in all rules (${LIMITS})` });
  }
}

/** The network's `default`: what comes in always, what goes out where it is denied. */
const ours = ({ spec }: NetworkDoc): number => (spec.default.egress === 'deny' ? 2 : 1);

const rulesOf = (rules: readonly Located<FirewallRuleDoc>[]): number =>
  rules.reduce((sum, { value }) => sum + count(value), 0);

/** A side of an Azure rule is a list of blocks of one family, a service tag, or a group. */
function count({ spec }: FirewallRuleDoc): number {
  const { any, cidrs, groups, serviceTags } = spec.peers;
  const named = new Set([...groups, ...serviceTags.map((tag) => `tag:${tag.toLowerCase()}`)]);
  return ((any ? 1 : 0) + families(cidrs) + named.size) * machinesOf(spec).length * servicesOf(spec).length;
}

/**
 * Where Azure's security groups are somebody else's, nothing says which of them would hold a new rule, and a new subnet would have
 * none: everything in its virtual network could reach it.
 */
export function* unmanagedFilters(set: SpecSet): Iterable<Problem> {
  for (const network of set.networks.values()) {
    const { filter, targets } = network.value.spec;
    if (filter !== 'unmanaged') continue;
    for (const { value: target } of targetsOf(set, targets)) {
      if (target.spec.provider !== 'azure') continue;
      yield* subnetsWithoutFilter(network, target.metadata.name);
      for (const rule of set.rules) yield* ruleWithoutFilter(rule, network.value, target.metadata.name);
    }
  }
}

function* subnetsWithoutFilter(network: Located<NetworkDoc>, here: string): Iterable<Problem> {
  for (const [index, subnet] of network.value.spec.subnets.entries()) {
    if ((subnet.target ?? here) !== here || subnet.adopt?.[here] !== undefined) continue;
    const message = `the new subnet ${subnet.name} would have no network security group on ${here}`;
    const expected = `adopt: { ${here}: <id> }, or filter: managed`;
    yield error('unmanaged-filter', network.at(['spec', 'subnets', index]), message, { expected });
  }
}

function* ruleWithoutFilter(rule: Located<FirewallRuleDoc>, network: NetworkDoc, here: string): Iterable<Problem> {
  const { metadata, spec } = rule.value;
  if (spec.network !== network.metadata.name || !(spec.targets ?? network.spec.targets).includes(here)) return;
  if (metadata.adopt?.[here] !== undefined) return;
  const message = `${spec.network} has filter: unmanaged, so no network security group holds a new rule on ${here}`;
  const expected = `adopt: { ${here}: <id of the rule> }, or other targets`;
  yield error('unmanaged-filter', rule.at(['metadata', 'name']), message, { expected });
}

export const families = (cidrs: readonly string[]): number =>
  new Set(cidrs.map((text) => parseCidr(text)?.family)).size;

/**
 * The most atoms of one rule. More than any cloud holds in one place (AWS: 1000 a group,
 * https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html; Azure: 1000 an NSG, with 4000 prefixes).
 */
const MOST_ATOMS = 4000;

/** Each port range with each peer, for each side: a short document can mean millions. */
function atomCount({ spec }: FirewallRuleDoc): number {
  const { cidrs, groups, groupIds, prefixLists, serviceTags, serviceAccounts } = spec.peers;
  const peers = [cidrs, groups, groupIds, prefixLists, serviceTags, serviceAccounts].flat();
  const ports = servicesOf(spec).reduce((sum, service) => sum + (service.ports?.length ?? 1), 0);
  return Math.max(ports, 1) * Math.max(peers.length, 1) * machinesOf(spec).length;
}
