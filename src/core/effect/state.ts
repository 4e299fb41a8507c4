import type { Action } from '../action.ts';
import { type Cidr, parseBlock, parseCidr } from '../cidr.ts';
import type { DocumentRef } from '../desired.ts';
import { type FieldChange, withField } from '../diff.ts';
import { membershipsOf } from '../kinds/instance.ts';
import { rulesOf } from '../kinds/kinds.ts';
import type { Condition, Gap, OuterFilters } from '../observed.ts';
import { type Claimed, claim } from '../plan/claim.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import {
  type Attributes,
  type Cloud,
  type CloudId,
  type Kind,
  nameIn,
  type Peering,
  type Ref,
  type Route,
} from '../resource.ts';
import { compareText } from '../text.ts';

/** All that decides on traffic in one scope, in one state. Refs are addresses of ours, else ids. */
export interface TrafficState {
  readonly cloud: Cloud;
  readonly networks: ReadonlyMap<Ref, Network>;
  readonly subnets: ReadonlyMap<Ref, Subnet>;
  readonly machines: ReadonlyMap<Ref, Machine>;
  readonly rules: readonly HeldRule[];
  readonly gaps: readonly Gap[];
}

interface Named {
  readonly ref: Ref;
  readonly id: CloudId;
  /** For people: `core.web`, or the id. */
  readonly name: string;
}

/** `blocks`: its own and its subnets'. */
export interface Network extends Named {
  readonly blocks: readonly Cidr[];
  readonly internet: Stated;
  readonly routes: readonly Route[] | undefined;
  readonly natGateways: readonly string[] | undefined;
  readonly peerings: readonly Peering[] | undefined;
}

/** `filters`: the lists of rules that hold there (Azure): of the network's own list its Ref. Undefined: not known. */
export interface Subnet extends Named {
  readonly network: Ref;
  readonly blocks: readonly Cidr[];
  readonly internet: Stated;
  readonly filter: boolean | undefined;
  readonly filters: readonly string[] | undefined;
  readonly routes: readonly Route[] | undefined;
  readonly natGateway: string | undefined;
  /** The reasons for which filters besides the rules may decide on its traffic; empty: none does. */
  readonly outer: readonly string[];
}

type Stated = boolean | 'partial' | undefined;

/**
 * `memberships`: undefined where nobody knows its groups. `address`: private, where known. `filters`: as of a subnet. `interfaces`: besides
 * the primary one, and further addresses of that one. `isBalanced`: it is behind a load balancer.
 */
export interface Machine extends Named {
  readonly network: Ref | undefined;
  readonly subnet: Ref;
  readonly memberships: readonly Ref[] | undefined;
  readonly address: Cidr | undefined;
  readonly publicIp: boolean;
  readonly publicAddress: Cidr | undefined;
  readonly filters: readonly string[] | undefined;
  readonly interfaces: readonly string[];
  readonly isBalanced: boolean;
  readonly power: 'running' | 'stopped';
}

/** `holder`: the list that holds it (Azure), as in `filters`; undefined: not known. */
export interface HeldRule extends Named {
  readonly attributes: Attributes['firewall-rule'];
  readonly holder: string | undefined;
  readonly document: DocumentRef | undefined;
}

/** The state that was observed, and the state after these actions. Machines that the actions create or delete are in one of the two only. */
export function statesOf(
  actions: readonly Action[],
  input: PlanInput,
): { readonly before: TrafficState; readonly after: TrafficState } {
  const things = observedThings(actions, input);
  return { before: stateOf(things, input), after: stateOf(changedBy(actions, things, input), input) };
}

/** The state that was observed. */
export const observedState = (input: PlanInput): TrafficState => stateOf(observedThings([], input), input);

interface Thing extends Named {
  readonly kind: Kind;
  readonly attributes: Attributes[Kind];
  readonly condition: Condition;
  readonly container: Ref | undefined;
}

type Things = ReadonlyMap<Ref, Thing>;

function observedThings(actions: readonly Action[], input: PlanInput): Things {
  const adopted = new Map(
    actions.flatMap((action) => (action.verb === 'adopt' ? [[action.observed.id, action.address] as const] : [])),
  );
  const claimed = claim(input.observation.resources, input);
  const owned = new Map(claimed.map((one) => [one.observed.id, refOf(one)]));
  const toRef = (ref: Ref): Ref => adopted.get(ref) ?? owned.get(ref) ?? ref;
  const things = new Map<Ref, Thing>();
  for (const one of claimed) {
    const thing = thingOf(one, toRef);
    // why: of twins each counts
    const own = things.has(thing.ref) ? thing.id : thing.ref;
    things.set(own, { ...thing, ref: own });
  }
  return things;
}

const refOf = ({ observed, claim: owner }: Claimed): Ref =>
  owner.by === 'us' && !owner.deleted ? owner.address : observed.id;

function thingOf(one: Claimed, toRef: (ref: Ref) => Ref): Thing {
  const { observed } = one;
  const { kind, id, name, signs } = observed;
  const ref = toRef(refOf(one));
  const filters = observed.condition.filters?.map(toRef);
  return {
    ...{ ref, kind, id },
    condition: filters === undefined ? observed.condition : { ...observed.condition, filters },
    name: ref === id ? name || id : nameIn(ref, kind),
    attributes: rulesOf(kind).mapRefs(observed.attributes, toRef),
    container: signs.container === undefined ? undefined : toRef(signs.container),
  };
}

function changedBy(actions: readonly Action[], before: Things, { dialect }: PlanInput): Things {
  const after = new Map(before);
  for (const action of actions) {
    const { kind, address, verb } = action;
    if (verb === 'forget' || verb === 'adopt') continue;
    if (verb === 'delete') {
      for (const ref of refsTo(action, before)) after.delete(ref);
      continue;
    }
    const was = before.get(address);
    if (verb === 'update' && was !== undefined) after.set(address, updated(was, action.changes, dialect.cloud));
    if (verb === 'create' || verb === 'replace')
      after.set(address, created({ kind, address }, action.desired.attributes));
  }
  return after;
}

/** A delete may be of the second of two that claim one address. */
function refsTo({ address, observed }: Extract<Action, { readonly verb: 'delete' }>, before: Things): readonly Ref[] {
  return [address, observed.id].filter((ref) => before.get(ref)?.id === observed.id);
}

const created = ({ kind, address }: Pick<Action, 'kind' | 'address'>, attributes: Attributes[Kind]): Thing => ({
  ...{ ref: address, id: address, kind, name: nameIn(address, kind), attributes },
  condition: { state: 'pending' },
  container: undefined,
});

function updated(was: Thing, changes: readonly FieldChange[], cloud: Cloud): Thing {
  let attributes: object = was.attributes;
  let { condition } = was;
  for (const { field, to } of changes) {
    // why: a label's key may have dots, and no label matters here
    if (/^(?:labels|mark)(?:\.|$)/.test(field)) continue;
    attributes = withField(attributes, field.split('.'), to);
    if (field === 'internet' && typeof to === 'boolean') attributes = withDefaultRoute(attributes, to, cloud);
    if (was.kind === 'subnet' && field === 'filter' && to === true) condition = { ...condition, filters: undefined };
  }
  // why: only fields of its own kind were changed
  return { ...was, attributes: attributes as Attributes[Kind], condition };
}

/** The listed routes are those of before. */
function withDefaultRoute(attributes: object, internet: boolean, cloud: Cloud): object {
  const settings: unknown = Reflect.get(attributes, 'settings');
  if (typeof settings !== 'object' || settings === null) return attributes;
  const routes: unknown = Reflect.get(settings, 'routes');
  if (!Array.isArray(routes)) return attributes;
  const others = routes.filter((route: Route) => route.destination !== everyV4 || (route.tags ?? []).length > 0);
  const own = internet ? [{ destination: everyV4, nextHop: gatewayOf(cloud) }] : [];
  return { ...attributes, settings: { ...settings, routes: [...others, ...own] } };
}

const everyV4 = '0.0.0.0/0';

/** The way out that Setpoint makes. */
const gatewayOf = (cloud: Cloud): string => (cloud === 'gcp' ? 'default-internet-gateway' : 'igw-new');

function stateOf(things: Things, { dialect: { cloud }, observation, wanted }: PlanInput): TrafficState {
  const all = [...things.values()].toSorted((a, b) => compareText(a.ref, b.ref));
  const documents = new Map(wanted.desired.map((one) => [one.address, one.documents[0]]));
  const outerOf = outerReasons(cloud, observation.outerFilters);
  const subnets = new Map(all.flatMap((one) => (isOf(one, 'subnet') ? [[one.ref, subnetOf(one, outerOf(one))]] : [])));
  const inNetwork = Map.groupBy(subnets.values(), ({ network }) => network);
  const networks = all.flatMap((one) => {
    if (!isOf(one, 'network')) return [];
    return [[one.ref, networkOf(one, inNetwork.get(one.ref) ?? [])] as const];
  });
  return {
    cloud,
    networks: new Map(networks),
    subnets,
    machines: new Map(
      all.flatMap((one) =>
        isOf(one, 'instance') ? [[one.ref, machineOf(one, subnets.get(one.attributes.placement.subnet))]] : [],
      ),
    ),
    rules: all.flatMap((one) => (isOf(one, 'firewall-rule') ? [ruleOf(one, documents.get(one.ref))] : [])),
    gaps: observation.gaps,
  };
}

type Of<K extends Kind> = Thing & { readonly attributes: Attributes[K] };

const isOf = <K extends Kind>(one: Thing, kind: K): one is Of<K> => one.kind === kind;

function networkOf({ ref, id, name, attributes, condition }: Of<'network'>, subnets: readonly Subnet[]): Network {
  const { cidr, internet, settings = {} } = attributes;
  return {
    ...{ ref, id, name, internet },
    blocks: [...blocksOf(cidr, condition), ...subnets.flatMap(({ blocks }) => blocks)],
    routes: settings.routes,
    natGateways: settings.natGateways,
    peerings: settings.peerings,
  };
}

const blocksOf = (cidr: string | undefined, { furtherBlocks = [] }: Condition): readonly Cidr[] =>
  [cidr, ...furtherBlocks].flatMap((text) => (text === undefined ? [] : (parseCidr(text) ?? [])));

function subnetOf({ ref, id, name, attributes, condition }: Of<'subnet'>, outer: Subnet['outer']): Subnet {
  const { network, cidr, internet, filter, settings = {} } = attributes;
  const blocks = blocksOf(cidr, condition);
  const { routes, natGateway } = settings;
  // why: its own list of rules is on it
  const filters = condition.filters ?? (filter === true ? [network] : undefined);
  return { ref, id, name, network, blocks, internet, filter, filters, routes, natGateway, outer };
}

/** The filters of a cloud besides the rules. Absent: it has none. */
const outerWords: Readonly<Partial<Record<Cloud, readonly [words: string, are: string]>>> = {
  aws: ['network ACL', 'is'],
  gcp: ['firewall policies', 'are'],
  azure: ['security admin rules', 'are'],
};

/** The reasons for which Setpoint does not know the outer filters of a subnet. A subnet that no listing contains has one. */
function outerReasons(cloud: Cloud, listed: OuterFilters | undefined): (subnet: Named) => readonly string[] {
  const [words, are] = outerWords[cloud] ?? [];
  if (words === undefined) return () => [];
  const known = new Map(listed?.subnets.map((one) => [one.subnet, one]));
  return ({ id, name }) => {
    const its = known.get(id);
    if (its === undefined) return [`the ${words} of subnet ${name} ${are} not known`];
    return [
      ...its.filters.map((filter) => `${filter} may decide in subnet ${name}, which Setpoint does not evaluate`),
      ...its.unlisted.map((reason) => `the ${words} of subnet ${name} ${are} not known: ${reason}`),
    ];
  };
}

function machineOf({ ref, id, name, attributes, condition }: Of<'instance'>, subnet: Subnet | undefined): Machine {
  const { placement, machine, settings = {} } = attributes;
  const { privateIp, staticPublicIp, interfaces = [] } = settings;
  const isFiltered = condition.unstated?.some(({ field }) => field === 'networkSecurityGroup') ?? false;
  return {
    ...{ ref, id, name, power: machine.power },
    interfaces: [...interfaces, ...furtherAddresses(condition)],
    network: subnet?.network,
    subnet: placement.subnet,
    memberships: membershipsOf(attributes),
    address: privateIp === undefined ? undefined : parseBlock(privateIp),
    publicIp: placement.publicIp || staticPublicIp !== undefined,
    publicAddress: staticPublicIp === undefined ? undefined : parseBlock(staticPublicIp),
    filters: condition.filters ?? (isFiltered ? undefined : []),
    isBalanced: condition.inexpressible?.some(({ field }) => field === 'loadBalancerBackendAddressPools') ?? false,
  };
}

const addressFields: ReadonlySet<string> = new Set(['ipConfigurations', 'networkInterfaces.aliasIpRanges']);

/** The primary interface, as providers describe it. */
const furtherAddresses = ({ inexpressible = [] }: Condition): readonly string[] =>
  inexpressible.flatMap(({ field, detail }) => (addressFields.has(field) ? [detail] : []));

function ruleOf(
  { ref, id, name, attributes, condition, container }: Of<'firewall-rule'>,
  document: DocumentRef | undefined,
): HeldRule {
  // why: objects that the plan creates are in the network's own list
  const isNew = id === ref && condition.filters === undefined;
  const holder = condition.filters?.[0] ?? (isNew ? attributes.network : container);
  return { ref, id, name, attributes, holder, document };
}
