import { type Cidr, containsCidr, formatCidr, parseCidr } from '../cidr.ts';
import type { Dialect } from '../compile/dialect.ts';
import type { Ownership } from '../inventory/ownership.ts';
import { groupsNamed } from '../kinds/firewall-rule.ts';
import type { Observed } from '../observed.ts';
import { ignoredText } from '../plan/ignored.ts';
import { type CloudId, documentOfReplica, type Labels, nameIn, type RuleAttributes } from '../resource.ts';
import { compareText } from '../text.ts';
import { adoptedRuleDocuments, tagGroups } from './adopted-rules.ts';
import { instanceDocuments } from './instances.ts';
import { NameRegister, orElse, slug } from './names.ts';
import { joinRules, type NamedPeer, type NamedRule, type RuleFields, serviceOf } from './rules.ts';
import {
  byIds,
  commentsOn,
  givenNames,
  type ImportedDocument,
  type ImportedKind,
  type ImportScope,
  type ImportTarget,
  isKind,
  labelsOf,
  type Names,
  nameOf,
  noTarget,
  type ScopeImport,
  stands,
  statedLabels,
  statedSettings,
  targetOf,
  type Uncovered,
} from './scope-import.ts';
import { chosenObjects, networkOf, type Objects, type Selection } from './selection.ts';
import type { GivenName } from './terraform/addresses.ts';

export interface ImportInput {
  readonly scopes: readonly ImportScope[];
  readonly selection: Selection;
  /** Names of documents in the specs, by kind. */
  readonly names: Readonly<Record<ImportedKind, readonly string[]>>;
  /** Objects that an earlier try could not say, and the reasons. */
  readonly excluded: ReadonlyMap<CloudId, string>;
  /** Names for documents of these objects, from a state of Terraform. */
  readonly given?: ReadonlyMap<CloudId, GivenName>;
}

export interface Imported {
  readonly documents: readonly ImportedDocument[];
  readonly covered: readonly Observed[];
  readonly uncovered: readonly Uncovered[];
}

/** Documents for the chosen objects that nobody claims. Pure: the same input gives the same documents in the same order. */
export function importDocuments(input: ImportInput): Imported {
  const names: Names = {
    Network: new NameRegister([...input.names.Network, ...namesInUse('network', input.scopes)]),
    FirewallRule: new NameRegister(input.names.FirewallRule),
    Instance: new NameRegister([...input.names.Instance, ...namesInUse('instance', input.scopes)]),
  };
  const parts = input.scopes.map((scope) => importScope(scope, input, names));
  return {
    documents: parts.flatMap(({ documents }) => documents),
    covered: parts.flatMap(({ covered }) => covered),
    uncovered: parts.flatMap(({ uncovered }) => uncovered),
  };
}

/** Names in the addresses of orphans and of other estates' objects: a document of that name would have their address. */
const namesInUse = (kind: 'network' | 'instance', scopes: readonly ImportScope[]): readonly string[] =>
  scopes
    .flatMap(({ objects }) => objects)
    .filter(({ observed }) => observed.kind === kind)
    .flatMap(({ address, observed }) => [address, observed.signs.mark?.address])
    .filter((address) => address !== undefined)
    .map((address) => nameIn(kind === 'instance' ? documentOfReplica(address) : address, kind));

function importScope(scope: ImportScope, input: ImportInput, names: Names): Imported {
  const { given = new Map() } = input;
  const objects: Objects = new Map(
    withNetworks(byIds(scope.objects.filter(({ observed }) => stands(observed)))).map((one) => [one.observed.id, one]),
  );
  const chosen = chosenObjects(objects, input.selection);
  const uncovered = new Map<CloudId, string>();
  const wanted = [...objects.values()]
    .filter(({ observed: { id } }) => chosen.has(id) && !scope.adopted.has(id))
    .filter((one) => {
      const reason = input.excluded.get(one.observed.id) ?? obstacleTo(one, scope, input.selection);
      if (reason !== undefined) uncovered.set(one.observed.id, reason);
      return reason === undefined && one.claim !== 'ours' && one.claim !== 'orphan';
    })
    .map(({ observed }) => observed)
    .toSorted((a, b) => compareText(nameOf(a, { given }), nameOf(b, { given })) || compareText(a.id, b.id));
  const state: ScopeImport = {
    scope,
    names,
    given,
    objects,
    wanted,
    uncovered,
    networks: new Map(),
    networkTargets: new Map(),
    inside: new Map(),
    tags: new Map(),
  };
  nameOwned(state);
  const networks = networkDocuments(state);
  const rules = [...ruleDocuments(state, networks), ...adoptedRuleDocuments(state)];
  const documents = [...networks, ...rules, ...instanceDocuments(state)];
  const coveredIds = new Set(documents.flatMap(({ objects: ids }) => ids));
  return {
    documents,
    covered: wanted.filter(({ id }) => coveredIds.has(id)),
    uncovered: [...uncovered].flatMap(([id, reason]) => {
      const found = objects.get(id)?.observed;
      return found === undefined ? [] : [{ scope: scope.scope, kind: found.kind, id, name: found.name, reason }];
    }),
  };
}

/**
 * A group of Azure is of no network until a machine is in it: it gets the network of its machines, or of the rules that name it.
 */
function withNetworks(objects: readonly Ownership[]): readonly Ownership[] {
  const byId = new Map(objects.map((one) => [one.observed.id, one]));
  const networks = new Map<CloudId, CloudId>();
  const members = objects.map(({ observed }) => observed);
  const note = (groups: readonly string[], network: CloudId | undefined): void => {
    for (const group of groups) if (network !== undefined && !networks.has(group)) networks.set(group, network);
  };
  for (const one of members.filter(isKind('instance'))) note(one.attributes.groups ?? [], networkOf(one, byId));
  for (const one of members.filter(isKind('firewall-rule')))
    if (byId.has(one.attributes.network)) note(groupsNamed(one.attributes), one.attributes.network);
  return objects.map((one) => {
    const { observed } = one;
    const network =
      isKind('group')(observed) && observed.attributes.network === '' ? networks.get(observed.id) : undefined;
    if (network === undefined) return one;
    return { ...one, observed: { ...observed, attributes: { ...observed.attributes, network } } as Observed }; // why: only a group got a network
  });
}

/** The reason that no document may adopt it; undefined where one may, and where it is ours already. */
function obstacleTo(
  { claim, why, ignored, observed: { kind, signs } }: Ownership,
  { gaps }: Pick<ImportScope, 'gaps'>,
  { ids }: Pick<Selection, 'ids'>,
): string | undefined {
  if (claim === 'ours' || claim === 'orphan') return undefined;
  // why: a person who names an id wants that object, and all that it needs
  if (ignored !== undefined && ids.length === 0) return ignoredText(ignored);
  // why: a group is adopted with its rules, and its network's default is read off them
  if (kind === 'group' && gaps.has('firewall-rule')) return 'Firewall rules were not listed completely.';
  if (claim !== 'unmanaged' && claim !== 'none') return `${why}.`;
  const { origin } = signs;
  if (origin?.why === 'shared') return `It belongs to another account: ${origin.detail}.`;
  return origin?.why === 'service-child' ? `A service owns it: ${origin.detail}.` : undefined;
}

/** Names of the objects that documents of the specs stand for. */
function nameOwned({ scope, objects, networks, networkTargets, inside }: ScopeImport): void {
  for (const { observed, claim, address = scope.adopted.get(observed.id) } of objects.values()) {
    if (address === undefined || (claim !== 'ours' && !scope.adopted.has(observed.id))) continue;
    const name = nameIn(address, observed.kind);
    if (observed.kind === 'network') {
      networks.set(observed.id, name);
      networkTargets.set(name, scope.documentTargets.get(address) ?? []);
    }
    if (observed.kind !== 'subnet' && observed.kind !== 'group') continue;
    const cut = name.indexOf('.');
    inside.set(observed.id, { network: name.slice(0, cut), name: name.slice(cut + 1) });
  }
}

function networkDocuments(state: ScopeImport): readonly ImportedDocument[] {
  const { wanted, uncovered, networks, objects, scope } = state;
  const members = Map.groupBy(
    wanted.filter(({ kind }) => kind !== 'network'),
    (one) => networkOf(one, objects),
  );
  const found = wanted.filter(isKind('network')).flatMap((network) => {
    const target = targetOf(network, scope);
    if (target === undefined) uncovered.set(network.id, noTarget(network, scope));
    return target === undefined ? [] : [{ network, target }];
  });
  for (const { network } of found)
    networks.set(network.id, state.names.Network.take([orElse(nameOf(network, state), network.id)]));
  const existing = Map.groupBy(
    [...objects.values()].map(({ observed }) => observed),
    (one) => networkOf(one, objects),
  );
  const documents = found.map(({ network, target }) => {
    const both = { chosen: members.get(network.id) ?? [], all: existing.get(network.id) ?? [] };
    return networkDocument(network, target, both, state);
  });
  for (const one of wanted) {
    if (!isKind('subnet')(one) && !isKind('group')(one)) continue;
    if (state.inside.has(one.id) || uncovered.has(one.id)) continue;
    uncovered.set(one.id, orphanReason(one, state));
  }
  return documents;
}

function orphanReason(one: Observed<'subnet' | 'group'>, state: ScopeImport): string {
  const { objects, networks, scope } = state;
  const network = networkOf(one, objects);
  if (network === undefined) return 'The cloud does not say its network.';
  const name = networks.get(network);
  if (name === undefined) return `Its network ${network} has no document.`;
  const target = targetOf(one, scope);
  if (target === undefined) return noTarget(one, scope);
  const entry = [
    `name: ${slug(orElse(nameOf(one, state), one.id))}`,
    ...('cidr' in one.attributes ? [`cidr: ${one.attributes.cidr}`] : []),
    `adopt: { ${target.name}: ${one.id} }`,
  ].join(', ');
  return `Its network has the document ${name}. Add to its ${one.kind}s: { ${entry} }`;
}

/** The objects in a network: those with documents, and all that exist. */
interface Members {
  readonly chosen: readonly Observed[];
  readonly all: readonly Observed[];
}

function networkDocument(
  network: Observed<'network'>,
  target: ImportTarget,
  { chosen: members, all }: Members,
  state: ScopeImport,
): ImportedDocument {
  const { scope, networks, uncovered } = state;
  const name = networks.get(network.id) ?? network.id;
  const subnets = members.filter(isKind('subnet')).flatMap((subnet) => {
    // why: a subnet of Azure lies where its network does, and has no place of its own
    const own = subnet.signs.parent === undefined ? targetOf(subnet, scope) : target;
    if (own === undefined) uncovered.set(subnet.id, noTarget(subnet, scope));
    return own === undefined ? [] : [{ subnet, target: own }];
  });
  const groups = members.filter(isKind('group'));
  const machines = members.filter(isKind('instance')).flatMap((machine) => targetOf(machine, scope) ?? []);
  const prefix = scope.dialect.names.prefix('network', target.place);
  const reached = [...subnets.map((one) => one.target), ...machines].filter(
    // why: elsewhere the document would stand for a second network
    ({ place }) => scope.dialect.names.prefix('network', place) === prefix,
  );
  const placed = new Set(reached.map((one) => one.name));
  const targets = placed.size === 0 ? [target.name] : [...placed].toSorted();
  state.networkTargets.set(name, targets);
  const inNetwork = new NameRegister();
  const subnetLines = subnets.map(({ subnet, target: own }) => {
    const entry = insideName(subnet, name, inNetwork, state);
    const { cidr, zone } = subnet.attributes;
    return {
      name: entry,
      cidr,
      ...(zone === undefined ? {} : { zone }),
      ...(targets.length > 1 ? { target: own.name } : {}),
      adopt: { [own.name]: subnet.id },
      ...statedSettings(subnet),
    };
  });
  // why: `all` is the group of every instance
  const inGroups = new NameRegister(['all']);
  const groupLines = groups.map((group) => ({
    name: insideName(group, name, inGroups, state),
    adopt: Object.fromEntries(targets.map((one) => [one, group.id])),
  }));
  const adoptOn = (id: string): Readonly<Record<string, string>> => Object.fromEntries(targets.map((one) => [one, id]));
  const tags = tagGroups({ id: network.id, name }, members, state);
  const allGroups = [...groupLines, ...tags.map((one) => ({ name: one.name, adopt: adoptOn(one.tag) }))];
  const hasFilter = scope.dialect.holds.network.includes('filter');
  const defaults = hasFilter ? { egress: 'allow', rules: [] } : egressOf(network, all, state);
  const labels = commonLabels([network, ...subnets.map(({ subnet }) => subnet), ...groups], scope.dialect);
  return {
    kind: 'Network',
    name,
    network: name,
    value: {
      apiVersion: 'setpoint.dev/v1',
      kind: 'Network',
      metadata: {
        name,
        ...statedLabels(labels),
        adopt: Object.fromEntries(targets.map((one) => [one, network.id])),
      },
      spec: {
        targets,
        cidr: network.attributes.cidr ?? coveringBlock(subnets.map(({ subnet }) => subnet.attributes.cidr)),
        internet: 'unmanaged',
        ...(hasFilter ? { filter: 'unmanaged' } : {}),
        allGroup: false,
        ...(defaults.egress === 'deny' ? { default: { ingress: 'deny', egress: 'deny' } } : {}),
        rules: 'additive',
        ...statedSettings(network),
        ...(subnetLines.length === 0 ? {} : { subnets: subnetLines }),
        ...(allGroups.length === 0 ? {} : { groups: allGroups }),
      },
    },
    objects: [network.id, ...subnets.map(({ subnet }) => subnet.id), ...groups.map(({ id }) => id), ...defaults.rules],
    comments: commentsOn(
      [network, ...subnets.map(({ subnet }) => subnet), ...groups].map((observed) => ({
        observed,
        stated: 'settings' in observed.attributes ? observed.attributes.settings : {},
      })),
    ),
  };
}

/** `core-app` of the network `core` is `app` there. */
function insideName(one: Observed, network: string, register: NameRegister, state: ScopeImport): string {
  const whole = nameOf(one, state);
  const own = whole.toLowerCase().startsWith(`${network.toLowerCase()}-`) ? whole.slice(network.length + 1) : '';
  const name = register.take([own, orElse(whole, one.id)]);
  state.inside.set(one.id, { network, name });
  return name;
}

/** Each tag that all of them have, where labels of a network are labels of its subnets and groups. */
function commonLabels(all: readonly Observed[], { holds }: Dialect): Labels {
  const labelled = all.filter(({ kind }) => {
    if (kind === 'network') return holds.network.includes('labels');
    return kind === 'subnet' ? holds.subnet.includes('labels') : holds.groups === 'objects';
  });
  const [first, ...others] = labelled.map((one) => labelsOf(one, holds));
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([key, value]) => others.every((labels) => labels[key] === value)),
  );
}

/** The smallest block that holds them all: Google's networks have none of their own. */
function coveringBlock(cidrs: readonly string[]): string {
  const blocks = cidrs.map(parseCidr).filter((block) => block?.family === 4);
  const [first] = blocks;
  if (first === undefined) return '10.0.0.0/8';
  let cover: Cidr = first;
  for (const block of blocks) {
    while (block !== undefined && !containsCidr(cover, block))
      cover = parseCidr(formatCidr({ ...cover, prefix: cover.prefix - 1 })) ?? cover;
  }
  return formatCidr(cover);
}

interface Defaults {
  readonly egress: 'allow' | 'deny';
  /** The rules that the network's default says. */
  readonly rules: readonly CloudId[];
}

/**
 * `allow`, where every group of the network has the rules that it stands for: else a plan would make them, also once a person adds a
 * group that was not chosen.
 */
function egressOf(
  network: Observed<'network'>,
  all: readonly Observed[],
  { scope: { dialect, gaps }, wanted }: ScopeImport,
): Defaults {
  const groups = all.filter(isKind('group')).map(({ id }) => id);
  const seen = new Map(all.filter(isKind('firewall-rule')).map((rule) => [contentOf(rule.attributes), rule]));
  const atoms = dialect.rules.defaults({ network: network.id, groups, default: { ingress: 'deny', egress: 'allow' } });
  const found = atoms.map(({ attributes, presence }) => ({ presence, rule: seen.get(contentOf(attributes)) }));
  const isUnknown = dialect.holds.groups === 'objects' && gaps.has('group');
  if (isUnknown || !found.every(({ presence, rule }) => presence === 'tolerated' || rule !== undefined))
    return { egress: 'deny', rules: [] };
  const chosen = new Set<Observed>(wanted);
  return {
    egress: 'allow',
    // why: a rule with a description has a document of its own, which outweighs the default
    rules: found.flatMap(({ rule }) =>
      rule !== undefined && chosen.has(rule) && rule.attributes.description === '' ? [rule.id] : [],
    ),
  };
}

const contentOf = ({ group, match: { direction, action, protocol, ports, peers } }: RuleAttributes): string =>
  JSON.stringify([group, direction, action, protocol, ports, peers]);

function ruleDocuments(state: ScopeImport, networks: readonly ImportedDocument[]): readonly ImportedDocument[] {
  const implied = new Set(networks.flatMap(({ objects }) => objects));
  const named = state.wanted.filter(isKind('firewall-rule')).flatMap((observed) => {
    if (implied.has(observed.id) || observed.attributes.group === undefined) return [];
    const found = namedRule(observed, state);
    if (typeof found !== 'string') return [found];
    state.uncovered.set(observed.id, found);
    return [];
  });
  const byNetwork = [...Map.groupBy(named, ({ network }) => network)].toSorted(([a], [b]) => compareText(a, b));
  return byNetwork.flatMap(([network, rules]) =>
    joinRules(rules)
      .toSorted((a, b) => compareText(a.group ?? '', b.group ?? '') || compareText(serviceOf(a), serviceOf(b)))
      .map((rule) => ruleDocument(network, rule, state)),
  );
}

/** The rule by the names of documents, or the reason that none can say it. */
function namedRule(
  observed: Observed<'firewall-rule'>,
  { inside }: ScopeImport,
): (NamedRule & { readonly network: string }) | string {
  const { group, match } = observed.attributes;
  const own = inside.get(group ?? '');
  if (own === undefined) return `Its group ${group} has no document.`;
  const [peer = '', ...more] = match.peers;
  if (more.length > 0) return 'It has several peers in one rule.';
  const named = namedPeer(peer, own.network, inside);
  if (named === undefined) return `No rule of this network can name its peer ${peer}.`;
  return { observed, group: own.name === 'all' ? undefined : own.name, peer: named, network: own.network };
}

const prefixes = { 'prefix-list:': 'prefixLists', 'service-tag:': 'serviceTags' } as const;

function namedPeer(peer: string, network: string, inside: ScopeImport['inside']): NamedPeer | undefined {
  if (peer === 'any') return { type: 'any' };
  if (parseCidr(peer) !== undefined) return { type: 'cidrs', name: peer };
  for (const [prefix, type] of Object.entries(prefixes)) {
    if (peer.startsWith(prefix)) return { type, name: peer.slice(prefix.length) };
  }
  if (!peer.startsWith('group:')) return undefined;
  const id = peer.slice('group:'.length);
  const group = inside.get(id);
  if (group?.network === network) return { type: 'groups', name: group.name };
  return /^(?:\d{12}\/)?sg-[0-9a-f]{1,32}$/.test(id) ? { type: 'groupIds', name: id } : undefined;
}

function ruleDocument(network: string, rule: RuleFields, { names, given }: ScopeImport): ImportedDocument {
  const { group, direction, action, protocol, ports, icmp, peers, description, objects } = rule;
  const service = serviceOf(rule);
  const short = [group ?? 'all', ...(direction === 'egress' ? ['to'] : []), service].join('-');
  const name = names.FirewallRule.take([...givenNames(objects, given), short, `${network}-${short}`]);
  const listed = Map.groupBy(peers, ({ type }) => type);
  const lists = (['cidrs', 'groups', 'groupIds', 'prefixLists', 'serviceTags'] as const).flatMap((type) => {
    const found = listed.get(type) ?? [];
    return found.length === 0 ? [] : [[type, found.map((peer) => peer.name)] as const];
  });
  return {
    kind: 'FirewallRule',
    name,
    network,
    value: {
      apiVersion: 'setpoint.dev/v1',
      kind: 'FirewallRule',
      metadata: { name },
      spec: {
        network,
        ...(direction === 'egress' ? { direction } : {}),
        ...(action === 'deny' ? { action } : {}),
        protocol: /^\d+$/.test(protocol) ? Number(protocol) : protocol,
        ...(ports.length === 0 ? {} : { ports: ports.map((text) => (/^\d+$/.test(text) ? Number(text) : text)) }),
        ...(icmp === undefined ? {} : { icmp: icmp.code === -1 ? { type: icmp.type } : icmp }),
        ...(group === undefined ? {} : { group }),
        peers: listed.has('any') ? { any: true } : Object.fromEntries(lists),
        ...(description === '' ? {} : { description }),
      },
    },
    objects,
    comments: [],
  };
}
