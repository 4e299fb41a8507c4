import type { Cidr } from '../cidr.ts';
import type { Cloud, Ref, RuleMatch } from '../resource.ts';
import {
  allServices,
  intersect,
  isNone,
  noServices,
  type RuleServices,
  ruleServices,
  type Services,
  subtract,
  unite,
} from './service-set.ts';
import type { HeldRule, Machine, TrafficState } from './state.ts';
import {
  anyOf,
  type Certainty,
  isIn,
  least,
  meets,
  type Party,
  type TagMeaning,
  type Term,
  targetOf,
  termOf,
} from './terms.ts';

/**
 * The traffic that passes for certain, and that may pass. `sure` is part of `may`; they are equal where nothing is unknown. `doubts`: what is
 * unknown; where two doubts differ, what passes may differ though neither is certain.
 */
export interface Passing extends RulePassing {
  /** By the rules alone, where something that nobody listed decides before them, and may allow what they deny. */
  readonly byRules?: RulePassing;
}

interface RulePassing extends RuleServices {
  readonly doubts: readonly Doubt[];
}

/** A rule of a list whose scope is not fully known. `content`: equal for equal rules. */
export interface Doubt {
  readonly content: string;
  readonly services: Services;
}

const certain: Pick<RulePassing, 'doubts'> = { doubts: [] };

export const everything: Passing = { sure: allServices, may: allServices, ...certain };
export const nothing: Passing = { sure: noServices, may: noServices, ...certain };

export function both(a: Passing, b: Passing): Passing {
  const joined = joinedOf(a, b);
  if (a.byRules === undefined && b.byRules === undefined) return joined;
  return { ...joined, byRules: joinedOf(a.byRules ?? a, b.byRules ?? b) };
}

const joinedOf = (a: RulePassing, b: RulePassing): RulePassing => ({
  sure: intersect(a.sure, b.sure),
  may: intersect(a.may, b.may),
  doubts: a.doubts.length === 0 ? b.doubts : [...a.doubts, ...b.doubts],
});

/** A rule, read. Rules of equal `content` let the same through, in the same place. `blocks`: that it names. */
export interface ReadRule {
  readonly held: HeldRule;
  readonly content: string;
  readonly services: RuleServices;
  readonly allows: boolean;
  readonly peers: readonly Term[];
  readonly targets: readonly Term[];
  readonly blocks: readonly Cidr[];
  readonly asDoubt: Doubt;
}

/** Rules of one text share their sets: joins of the same sets are remembered. */
function rememberedServices(cloud: Cloud): (match: RuleMatch) => RuleServices {
  const known = new Map<string, RuleServices>();
  return (match) => {
    const text = `${match.protocol} ${match.ports}`;
    const services = known.get(text) ?? ruleServices(cloud, match);
    known.set(text, services);
    return services;
  };
}

function readRule(
  held: HeldRule,
  cloud: Cloud,
  servicesOf: (match: RuleMatch) => RuleServices = rememberedServices(cloud),
): ReadRule {
  const { match, order, group, network } = held.attributes;
  const peers = match.peers.map(termOf);
  const targets = (match.targets ?? []).map(targetOf);
  const { direction, action, protocol, ports } = match;
  const place = cloud === 'azure' ? (held.holder ?? `? ${network}`) : network;
  const content = JSON.stringify([
    ...[direction, action, protocol, ports, match.peers, match.targets ?? []],
    ...[group ?? place, order?.priority ?? 0],
  ]);
  const services = servicesOf(match);
  return {
    ...{
      held,
      peers,
      targets,
      content,
      services,
      allows: action === 'allow',
      asDoubt: { content, services: services.may },
    },
    blocks: [...peers, ...targets].flatMap((term) => (term.kind === 'block' ? [term.cidr] : [])),
  };
}

/**
 * The rules that decide on one direction of the traffic of one machine, in the order in which they decide. `key`: equal for lists that
 * decide alike. `doubt`: why something else decides instead, which nobody listed. `apart`: the subnet inside of which it does not decide.
 */
export interface RuleList {
  readonly key: string;
  readonly rules: readonly Applied[];
  readonly otherwise: 'allow' | 'deny';
  readonly tags: TagMeaning;
  readonly doubt?: string;
  readonly apart?: Ref;
}

export interface Applied {
  readonly rule: ReadRule;
  readonly applies: Certainty;
}

export type Direction = 'ingress' | 'egress';

/**
 * All lists that the traffic of a machine passes, one after another: each must let it through. `overruled`: why something that nobody
 * listed may decide otherwise, whatever they say.
 */
export interface Lists {
  readonly key: string;
  readonly lists: readonly RuleList[];
  readonly overruled: readonly string[];
}

/** All reasons for which the lists may not be what decides; on the traffic with this party, where one is given. */
export const doubtsIn = ({ lists, overruled }: Lists, party?: Party): readonly string[] => [
  ...overruled,
  ...lists.flatMap((list) => (party !== undefined && isApart(list, party) ? [] : (list.doubt ?? []))),
];

const isApart = ({ apart }: RuleList, party: Party): boolean =>
  apart !== undefined && party.kind === 'machine' && party.machine.subnet === apart;

/** The rules of one state. */
export interface Filter {
  readonly rules: readonly ReadRule[];
  lists(machine: Machine, direction: Direction): Lists;
}

export function filterOf(state: TrafficState): Filter {
  const services = rememberedServices(state.cloud);
  const rules = state.rules
    .filter(({ attributes }) => attributes.order?.disabled !== true)
    .map((held) => readRule(held, state.cloud, services));
  const byName = new Map<string, ReadRule[]>();
  for (const rule of rules) {
    for (const name of namesOf(rule, state.cloud)) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [rule]);
      else known.push(rule);
    }
  }
  const gap = state.gaps.find(({ kind }) => kind === 'firewall-rule' || kind === 'group');
  const index: Index = { state, rules, byName, gap };
  const asked = new Map<string, Lists>();
  return {
    rules,
    lists: (machine, direction) => {
      const key = `${direction} ${machine.ref}`;
      const known = asked.get(key) ?? listsOf(index, machine, direction);
      asked.set(key, known);
      return known;
    },
  };
}

interface Index {
  readonly state: TrafficState;
  readonly rules: readonly ReadRule[];
  readonly byName: ReadonlyMap<string, readonly ReadRule[]>;
  readonly gap: TrafficState['gaps'][number] | undefined;
}

const everybody = '';
const nameAt = (place: string, name: string): string => `${place} ${name}`;
/** Rules of Azure with an unknown list: it may be any of the network. */
const unknownPlace = (network: string): string => `? ${network}`;

/** The names by which a rule finds its machines: AWS: its group. Otherwise each within the place that holds the rule. */
function namesOf({ held: { attributes, holder }, targets }: ReadRule, cloud: Cloud): readonly string[] {
  const { group, network } = attributes;
  if (group !== undefined) return [group];
  const named = targets.flatMap((term) => (term.kind === 'group' ? [term.ref] : []));
  const place = cloud === 'azure' ? (holder ?? unknownPlace(network)) : network;
  return (named.length === 0 ? [everybody] : named).map((name) => nameAt(place, name));
}

function listsOf(index: Index, machine: Machine, direction: Direction): Lists {
  const { state } = index;
  const tags = tagsAt(state, machine);
  const overruled = overrulingOf(index, machine);
  const lists = [
    ...placesOf(state, machine).map((place) => listAt(index, machine, { place, direction, tags })),
    ...furtherDoubts(state, machine).map(
      (one): RuleList => ({ key: `? ${one.apart ?? ''} ${one.doubt}`, rules: [], otherwise: 'deny', tags, ...one }),
    ),
  ];
  return { key: [...overruled, ...lists.map(({ key }) => key)].join('\n'), lists, overruled };
}

/** The lists of Azure that hold for a machine, of its subnet and of its interface. Elsewhere a network has one. */
function placesOf(state: TrafficState, { network, filters, subnet }: Machine): readonly string[] {
  if (state.cloud !== 'azure') return network === undefined ? [] : [network];
  return [...new Set([...(state.subnets.get(subnet)?.filters ?? []), ...(filters ?? [])])];
}

function overrulingOf({ state, gap }: Index, { network, subnet, name }: Machine): readonly string[] {
  if (network === undefined) return [`the subnet of ${name} is not known`];
  // why: an ACL of AWS only denies what the rules allow
  const outer = state.cloud === 'aws' ? [] : (state.subnets.get(subnet)?.outer ?? []);
  return [...outer, ...(gap === undefined ? [] : [`${gap.kind} was not listed completely: ${gap.reason}`])];
}

type FurtherDoubt = Required<Pick<RuleList, 'doubt'>> & Pick<RuleList, 'apart'>;

/** Unlisted filters: security groups of Azure, network ACLs of AWS. They only deny traffic that the others allow. */
function furtherDoubts(state: TrafficState, { network, filters, subnet, name }: Machine): readonly FurtherDoubt[] {
  if (network === undefined) return [];
  const at = state.subnets.get(subnet);
  // why: https://docs.aws.amazon.com/vpc/latest/userguide/nacl-basics.html, within a subnet nothing passes its ACL
  if (state.cloud === 'aws') return (at?.outer ?? []).map((doubt) => ({ doubt, apart: subnet }));
  if (state.cloud !== 'azure') return [];
  return [
    ...(at?.filters === undefined
      ? [{ doubt: `the security group of subnet ${at?.name ?? subnet} is not known` }]
      : []),
    ...(filters === undefined
      ? [{ doubt: `the security group on the network interface of ${name} is not known` }]
      : []),
  ];
}

/** https://learn.microsoft.com/azure/virtual-network/service-tags-overview#available-service-tags, of VirtualNetwork */
function tagsAt(state: TrafficState, { network = '', subnet }: Machine): TagMeaning {
  const peerings = state.networks.get(network)?.peerings ?? [];
  return state.subnets.get(subnet)?.routes?.length === 0 && peerings.length === 0 ? 'usual' : 'unusual';
}

interface ListPlace {
  readonly place: string;
  readonly direction: Direction;
  readonly tags: TagMeaning;
}

function listAt(index: Index, machine: Machine, { place, direction, tags }: ListPlace): RuleList {
  const { cloud } = index.state;
  const own = candidates(index, machine, place)
    .filter(({ held }) => held.attributes.match.direction === direction)
    .map((rule): Applied => ({ rule, applies: appliesTo(rule, machine, index.state) }))
    .filter(({ applies }) => applies !== 'no');
  const rules = [...own, ...(cloud === 'azure' ? azureDefaults[direction] : [])].toSorted(
    (a, b) => rankOf(a) - rankOf(b),
  );
  const otherwise = cloud === 'gcp' && direction === 'egress' ? 'allow' : 'deny';
  const counted = cloud === 'gcp' && otherwise === 'deny' ? rules.filter((one) => !isOutranked(one)) : rules;
  const contents = counted.map(({ rule, applies }) => `${rule.content} ${applies}`);
  return {
    key: JSON.stringify([otherwise, cloud === 'azure' ? tags : '', ...contents]),
    rules: counted,
    otherwise,
    tags,
  };
}

/** Those that name the machine or everybody, and of a machine whose groups nobody knows all. */
function candidates(
  { byName, rules, state: { cloud } }: Index,
  { memberships, network = '' }: Machine,
  place: string,
): readonly ReadRule[] {
  const places = cloud === 'azure' ? [place, unknownPlace(network)] : [place];
  if (memberships === undefined)
    return rules.filter(({ held: { attributes, holder } }) =>
      cloud === 'azure' ? holder === undefined || holder === place : attributes.network === place,
    );
  const names = [
    ...memberships,
    ...places.flatMap((at) => [everybody, ...memberships].map((name) => nameAt(at, name))),
  ];
  return [...new Set(names.flatMap((name) => byName.get(name) ?? []))];
}

/** Named machines and blocks together narrow a rule: https://docs.cloud.google.com/firewall/docs/firewalls#rule_assignment */
function appliesTo({ held, targets }: ReadRule, machine: Machine, { cloud, subnets }: TrafficState): Certainty {
  const { group } = held.attributes;
  if (group !== undefined) return isIn(machine, group);
  const party: Party = { kind: 'machine', machine, subnet: subnets.get(machine.subnet) };
  const by = (some: readonly Term[]): Certainty =>
    some.length === 0 ? 'yes' : anyOf(some, (term) => meets(term, party, 'usual'));
  const { named = [], others = [] } = Object.groupBy(targets, ({ kind }) => (kind === 'group' ? 'named' : 'others'));
  const applies = least(by(named), by(others));
  return cloud === 'azure' && held.holder === undefined ? least('maybe', applies) : applies;
}

/** The lowest priority decides; of equal ones a denial does. */
const rankOf = ({ rule: { held } }: Applied): number =>
  2 * (held.attributes.order?.priority ?? 0) + (held.attributes.match.action === 'deny' ? 0 : 1);

/** The implied denial has the lowest priority, and of equal ones a denial decides. */
const isOutranked = ({ rule: { held } }: Applied): boolean => held.attributes.order?.priority === impliedPriority;

/** https://docs.cloud.google.com/firewall/docs/firewalls#default_firewall_rules */
const impliedPriority = 65_535;

/** https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#default-security-rules */
const azureDefaults: Readonly<Record<Direction, readonly Applied[]>> = {
  ingress: [
    defaultRule('AllowVnetInBound', { direction: 'ingress', priority: 65_000 }, 'service-tag:VirtualNetwork'),
    defaultRule(
      'AllowAzureLoadBalancerInBound',
      { direction: 'ingress', priority: 65_001 },
      'service-tag:AzureLoadBalancer',
    ),
  ],
  egress: [
    defaultRule('AllowVnetOutBound', { direction: 'egress', priority: 65_000 }, 'service-tag:VirtualNetwork'),
    defaultRule('AllowInternetOutBound', { direction: 'egress', priority: 65_001 }, 'service-tag:Internet'),
  ],
};

function defaultRule(
  name: string,
  { direction, priority }: { readonly direction: Direction; readonly priority: number },
  peer: string,
): Applied {
  const match = { direction, action: 'allow', protocol: 'all', ports: 'all', peers: [peer] } as const;
  const attributes = { network: '', match, description: '', order: { priority } };
  const held: HeldRule = {
    ref: name,
    id: name,
    name: `the default rule ${name}`,
    attributes,
    holder: name,
    document: undefined,
  };
  return { rule: readRule(held, 'azure'), applies: 'yes' };
}

/** Decides on the traffic between the machine whose lists these are and the party at the other end. */
export function passing({ lists, overruled }: Lists, party: Party): Passing {
  const byRules = lists.reduce<Passing>(
    (all, list) => (isApart(list, party) ? all : both(all, passingBy(list, party))),
    everything,
  );
  if (overruled.length === 0) return byRules;
  return { sure: noServices, may: allServices, ...certain, byRules };
}

const passingBy = (list: RuleList, party: Party): Passing =>
  list.doubt === undefined ? passingList(list, party) : unknownBy(list.doubt);

const unknownBy = (doubt: string): Passing => ({
  ...{ sure: noServices, may: allServices },
  doubts: [{ content: doubt, services: allServices }],
});

/**
 * Each protocol and port is decided by the first rule that is about it. For certain passes what does so though every rule that may
 * deny denies, and every rule that only may allow does not; and the other way round for what may pass.
 */
function passingList({ rules, otherwise, tags }: RuleList, party: Party): Passing {
  const sure = openList();
  // why: as long as all is certain both are the same
  let may = sure;
  const about: Doubt[] = [];
  for (const { rule, applies } of rules) {
    const peers = anyOf(rule.peers, (term) => meets(term, party, tags));
    const matches = least(applies, peers);
    if (matches === 'no') continue;
    const { services, allows } = rule;
    const certainly = matches === 'yes' ? services.sure : noServices;
    if (may === sure && certainly.key !== services.may.key) may = sure.copy();
    const [less, more] = allows ? [certainly, services.may] : [services.may, certainly];
    sure.decide(less, allows);
    if (may !== sure) may.decide(more, allows);
    about.push(rule.asDoubt);
  }
  return { sure: sure.end(otherwise), may: may.end(otherwise), doubts: may === sure ? certain.doubts : about };
}

/** A rule that decides on some of the services. Uncertain: it may be about others, or not about this party. */
export interface Decision {
  readonly rule: ReadRule;
  readonly isCertain: boolean;
}

/** The rules of a list that decide on some of these services, each before all that follow it. */
export function decisionsIn({ rules, tags }: RuleList, party: Party, services: Services): readonly Decision[] {
  const found: Decision[] = [];
  let decided = noServices;
  for (const { rule, applies } of rules) {
    const matches = least(
      applies,
      anyOf(rule.peers, (term) => meets(term, party, tags)),
    );
    const about = intersect(rule.services.may, services);
    if (matches === 'no' || isNone(about) || intersect(about, decided).key === about.key) continue;
    const isCertain = matches === 'yes' && rule.services.sure.key === rule.services.may.key;
    found.push({ rule, isCertain });
    if (isCertain) decided = unite(decided, about);
  }
  return found;
}

interface OpenList {
  decide(services: Services, allows: boolean): void;
  end(otherwise: RuleList['otherwise']): Services;
  copy(): OpenList;
}

function openList(decided: Services = noServices, allowed: Services = noServices): OpenList {
  const now = { decided, allowed };
  return {
    decide: (services, allows) => {
      if (allows) now.allowed = unite(now.allowed, subtract(services, now.decided));
      now.decided = unite(now.decided, services);
    },
    end: (otherwise) => (otherwise === 'allow' ? unite(now.allowed, subtract(allServices, now.decided)) : now.allowed),
    copy: () => openList(now.decided, now.allowed),
  };
}
