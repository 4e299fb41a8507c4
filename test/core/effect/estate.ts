import type { Action } from '../../../src/core/action.ts';
import type { Desired } from '../../../src/core/desired.ts';
import { type Effect, type End, effectOf, type TrafficChange } from '../../../src/core/effect/effect.ts';
import { type Reach, type ReachQuestion, reachInSteps } from '../../../src/core/effect/reach.ts';
import type { TrafficState } from '../../../src/core/effect/state.ts';
import type { Gap, Observed, SubnetFilters } from '../../../src/core/observed.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import type { Attributes, Cloud, RuleAttributes, RuleMatch } from '../../../src/core/resource.ts';
import { finish } from '../../../src/core/steps.ts';
import { at, dialect, input, looked, ours, see, want } from '../plan/fixture.ts';

/** A machine `web-0` stands in the subnet `core.near` unless it says otherwise. */
export interface MachineDraft {
  readonly name: string;
  readonly groups?: readonly string[] | 'unknown';
  readonly subnet?: string;
  readonly ip?: string;
  readonly publicIp?: boolean;
  readonly identity?: string;
  readonly interfaces?: readonly string[];
  readonly filters?: readonly string[];
  readonly isStopped?: boolean;
  /** Further addresses of its interface, as the provider of Azure describes them. */
  readonly addresses?: string;
}

/** `tcp 22 from 0.0.0.0/0 to web`, `deny all to 10.0.0.0/8 of everyone @ 900`: groups by name, blocks, `tag:x`, `any`. */
export interface RuleDraft {
  readonly name: string;
  readonly text: string;
  readonly holder?: string;
}

export interface EstateDraft {
  readonly cloud: Cloud;
  readonly internet?: boolean | 'partial';
  readonly machines: readonly MachineDraft[];
  readonly rules: readonly RuleDraft[];
  readonly network?: Partial<Attributes['network']>;
  readonly subnets?: Readonly<Record<string, Partial<Attributes['subnet']>>>;
  /** A subnet, and the network, with a block of IPv6. */
  readonly v6?: string;
  /** Filters besides the rules, by subnets; default: none. `undefined`: no listing tells of the subnet. */
  readonly outer?: Readonly<Record<string, Partial<SubnetFilters> | undefined>>;
  /** Blocks of subnets; default: of `near` and `far`. */
  readonly cidrs?: Readonly<Record<string, string>>;
}

const blocks: Readonly<Record<string, string>> = { near: '10.0.1.0/24', far: '10.0.2.0/24' };

export const groupRef = (cloud: Cloud, group: string): string =>
  cloud === 'gcp' ? `tag:core-${group}` : at('group', `core.${group}`);

/** The attributes of a rule from its text. */
export function ruleOf(cloud: Cloud, text: string): RuleAttributes {
  const [, deny, protocol = '', ports = 'all', way, peers = '', , own = '', priority] =
    /^(deny )?(\S+)(?: (\S+?(?: from \d+)?))? (from|to) (\S+) (to|of) (\S+)(?: @ (\d+))?$/.exec(text) ?? [];
  if (way === undefined) throw new Error(`no rule: ${text}`);
  const match: RuleMatch = {
    direction: way === 'from' ? 'ingress' : 'egress',
    action: deny === undefined ? 'allow' : 'deny',
    protocol,
    ports,
    peers: peers.split('+').map((peer) => named(cloud, peer, true)),
  };
  const network = at('network', 'core');
  if (cloud === 'aws' || cloud === 'memory') return { network, group: groupRef(cloud, own), match, description: '' };
  const targets = own === 'everyone' ? [] : own.split('+').map((one) => named(cloud, one, false));
  const order = { priority: Number(priority ?? 1000) };
  return { network, match: { ...match, targets }, description: '', order };
}

function named(cloud: Cloud, text: string, isPeer: boolean): string {
  if (/[:/]/.test(text)) return !isPeer && cloud === 'gcp' && /^\d/.test(text) ? `range:${text}` : text;
  if (text === 'any') return text;
  const ref = groupRef(cloud, text);
  return isPeer && cloud !== 'gcp' ? `group:${ref}` : ref;
}

/** The whole answer, at once. */
export const reachIn = (state: TrafficState, question: ReachQuestion): Reach =>
  finish(reachInSteps(state, question, { ways: Infinity, evaluated: Infinity }));

/** The objects of an estate; ids are `vpc-core`, `subnet-near`, `web-0` and the names of rules. */
export function resourcesOf(draft: EstateDraft): readonly Observed[] {
  const { cloud, internet = true, machines, rules, network = {}, subnets = {}, cidrs = blocks, v6 } = draft;
  const six = { furtherBlocks: ['2001:db8::/56'] };
  const core = ours('network', 'core', 'vpc-core', { cidr: '10.0.0.0/16', internet, labels: {}, ...network });
  return [
    { ...core, condition: { state: 'ready', ...(v6 === undefined ? {} : six) } },
    ...Object.entries(cidrs).map(([name, cidr]) => ({
      ...ours('subnet', `core.${name}`, `subnet-${name}`, {
        ...{ network: 'vpc-core', cidr, internet, filter: true, settings: { routes: [] }, labels: {} },
        ...(cloud === 'azure' ? {} : { settings: {} }),
        ...subnets[name],
      }),
      condition: { state: 'ready' as const, ...(v6 === name ? six : {}) },
    })),
    ...[...new Set(Object.values(subnets).flatMap((one) => one.network ?? []))].map((id) =>
      see('network', id, { cidr: '10.9.0.0/16', internet, labels: {} }),
    ),
    ...machines.map((one) => machineOf(one, draft)),
    ...rules.map(({ name, text, holder }) => {
      const rule = ours('firewall-rule', `core.${name}`, name, ruleOf(cloud, text));
      const attributes = { ...rule.attributes, network: 'vpc-core' };
      const filters = cloud === 'azure' ? { filters: [holder ?? 'vpc-core'] } : {};
      return { ...rule, attributes, condition: { state: 'ready' as const, ...filters } };
    }),
  ];
}

function machineOf(one: MachineDraft, { cloud }: EstateDraft): Observed<'instance'> {
  const { name, groups = [], subnet = 'near', ip, publicIp = false, identity, interfaces = [], filters } = one;
  const machine = ours('instance', name, name, {
    placement: { subnet: `subnet-${subnet}`, publicIp },
    ...(groups === 'unknown' ? {} : { groups: groups.map((group) => groupRef(cloud, group)) }),
    machine: {
      size: 's',
      power: one.isStopped ? 'stopped' : 'running',
      ...(identity === undefined ? {} : { identity }),
    },
    settings: { interfaces, ...(ip === undefined ? {} : { privateIp: ip }) },
    labels: {},
  });
  const inexpressible = one.addresses === undefined ? [] : [{ field: 'ipConfigurations', detail: one.addresses }];
  return { ...machine, condition: { state: 'ready', inexpressible, ...(filters === undefined ? {} : { filters }) } };
}

/** `+name: rule`, `-name` or `~name: rule` on rules. */
export function actionsOf(draft: EstateDraft, changes: readonly string[]): readonly Action[] {
  const seen = new Map(resourcesOf(draft).map((one) => [one.id, one]));
  return changes.map((text): Action => {
    const [, sign, name = '', rule = ''] = /^([+~-])([^:]+)(?:: (.*))?$/.exec(text) ?? [];
    const about = { kind: 'firewall-rule' as const, address: at('firewall-rule', `core.${name}`), documents: [] };
    const observed = seen.get(name);
    const desired = (): Desired => want('firewall-rule', `core.${name}`, ruleOf(draft.cloud, rule));
    if (sign === '+') {
      const made = desired();
      return {
        ...about,
        cause: 'rollout',
        verb: 'create',
        desired: made,
        documents: made.documents,
        because: 'absent',
      };
    }
    if (observed === undefined) throw new Error(`there is no ${name}`);
    if (sign === '-') return { ...about, cause: 'rollout', verb: 'delete', observed, because: 'removed' };
    const changed = desired();
    const { match, order } = changed.attributes as RuleAttributes; // why: made of a rule's attributes above
    const fields = [
      ...Object.entries(match).map(([field, to]) => ({ field: `match.${field}`, to })),
      ...Object.entries(order ?? {}).map(([field, to]) => ({ field: `order.${field}`, to })),
    ];
    return {
      ...about,
      cause: 'rollout',
      verb: 'update',
      desired: changed,
      observed,
      changes: fields,
      effect: 'in-place',
    };
  });
}

export function inputOf(draft: EstateDraft, gaps: readonly Gap[] = []): PlanInput {
  const outerFilters = { at: 0, subnets: subnetFilters(draft) };
  return input([], looked(resourcesOf(draft), { gaps, outerFilters }), { dialect: { ...dialect, cloud: draft.cloud } });
}

const subnetFilters = ({ cidrs = blocks, outer = {} }: EstateDraft): readonly SubnetFilters[] =>
  Object.keys(cidrs).flatMap((name) =>
    name in outer && outer[name] === undefined
      ? []
      : [{ subnet: `subnet-${name}`, filters: [], unlisted: [], ...outer[name] }],
  );

export const effectOn = (draft: EstateDraft, changes: readonly string[], gaps: readonly Gap[] = []): Effect =>
  effectOf({ actions: actionsOf(draft, changes) }, inputOf(draft, gaps));

/** `tcp 22: 0.0.0.0/0 > web (1 of 2)`: exposed machines of all in brackets. */
export function short({ from, to, services }: TrafficChange): string {
  const what = services.map(({ protocol, ports }) =>
    [protocol, ...(ports ?? []).map((one) => (one.from === one.to ? one.from : `${one.from}-${one.to}`))].join(' '),
  );
  return `${what.join(', ')}: ${endText(from)} > ${endText(to)}`;
}

function endText(end: End): string {
  if (end.kind === 'block') return end.cidr;
  const { groups, names, instances, exposed, maybeExposed } = end;
  const called = [...groups, ...names].join('+') || 'all';
  if (exposed === undefined) return called;
  const maybe = maybeExposed ? `, ${maybeExposed} maybe` : '';
  return `${called} (${exposed} of ${instances.length}${maybe})`;
}
