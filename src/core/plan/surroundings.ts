import type { Action } from '../action.ts';
import type { Desired } from '../desired.ts';
import { membershipsOf } from '../kinds/instance.ts';
import type { Observed } from '../observed.ts';
import { membershipsAfter } from '../order/moves.ts';
import type { Member, Surroundings } from '../order/neighbours.ts';
import type { Address, InstanceAttributes, Ref, RuleAttributes, SubnetAttributes } from '../resource.ts';
import { compareText } from '../text.ts';
import { gapOf, type World } from './world.ts';

/**
 * The machines and rules beside these actions, of ours and of others, as far as the order of the actions depends on them: undefined
 * where no rule and no group of a machine changes.
 */
export function surroundingsOf(
  actions: readonly Action[],
  desired: readonly Desired[],
  world: World,
): Surroundings | undefined {
  if (!actions.some(({ kind }) => kind === 'firewall-rule' || kind === 'instance')) return undefined;
  const moves = new Map(actions.flatMap((action) => (isMove(action) ? [[action.observed.id, action] as const] : [])));
  if (moves.size === 0 && !actions.some(touchesRules)) return undefined;
  const hasMoves = [...moves.values()].some(({ verb }) => verb !== 'delete');
  const subnets = blocksOfSubnets(desired, world);
  const seen = world.claimed.flatMap(({ observed }) => {
    if (!isMachine(observed)) return [];
    const before = membershipsOf(observed.attributes) ?? [];
    return [memberOf(observed.attributes, { before, after: after(before, moves.get(observed.id)) }, subnets)];
  });
  const made = actions.flatMap((action) => {
    if (action.verb !== 'create' || !isMachine(action.desired)) return [];
    const { attributes } = action.desired;
    return [memberOf(attributes, { before: [], after: membershipsOf(attributes) ?? [] }, subnets)];
  });
  return {
    members: distinct([...seen, ...made]),
    blocks: [...new Set([...subnets.values(), ...blocksOfNetworks(desired, world)])].sort(),
    isWhole: gapOf(world, 'instance') === undefined,
    standing: hasMoves ? distinct(rulesIn(world.claimed.map(({ observed }) => observed))) : [],
    wanted: hasMoves ? distinct(rulesIn(desired)) : [],
  };
}

type Move = Extract<Action, { readonly verb: 'update' | 'replace' | 'delete' }>;

const isMove = (action: Action): action is Move =>
  action.kind === 'instance' && (action.verb === 'update' || action.verb === 'replace' || action.verb === 'delete');

const touchesRules = ({ kind, verb }: Action): boolean => kind === 'firewall-rule' && verb !== 'forget';

type Of<K extends Observed['kind'], T> = T & { readonly attributes: (Desired<K> | Observed<K>)['attributes'] };

const isMachine = <T extends Desired | Observed>(one: T): one is Of<'instance', T> => one.kind === 'instance';

function after(before: readonly Ref[], move: Move | undefined): readonly Ref[] {
  if (move?.verb === 'delete') return [];
  return (move && membershipsAfter(move)) ?? before;
}

function memberOf(
  { placement }: InstanceAttributes,
  { before, after }: Pick<Member, 'before' | 'after'>,
  subnets: ReadonlyMap<Ref, string>,
): Member {
  const block = subnets.get(placement.subnet);
  // why: one whose subnet nobody knows may stand in any
  const blocks = block === undefined ? [...new Set(subnets.values())].sort() : [block];
  return { before: before.toSorted(), after: after.toSorted(), blocks };
}

/** Each once, in an order that is not the cloud's. */
const distinct = <T>(all: readonly T[]): readonly T[] =>
  [...new Map(all.map((one) => [JSON.stringify(one), one]))]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([, one]) => one);

function blocksOfSubnets(desired: readonly Desired[], { claimed }: World): ReadonlyMap<Ref, string> {
  const blocks = new Map<Ref, string>();
  const note = (ref: Address, { attributes }: { readonly attributes: object }): void => {
    // why: only called with subnets
    blocks.set(ref, (attributes as SubnetAttributes).cidr);
  };
  for (const { observed, claim } of claimed) {
    if (observed.kind === 'subnet') note(claim.by === 'us' ? claim.address : observed.id, observed);
  }
  for (const one of desired) if (one.kind === 'subnet') note(one.address, one);
  return blocks;
}

const blocksOfNetworks = (desired: readonly Desired[], { claimed }: World): readonly string[] =>
  [...desired, ...claimed.map(({ observed }) => observed)].flatMap(({ kind, attributes }) =>
    kind === 'network' && 'cidr' in attributes && attributes.cidr !== undefined ? [attributes.cidr] : [],
  );

const rulesIn = (all: readonly (Desired | Observed)[]): readonly RuleAttributes[] =>
  // why: the kind is checked beside it
  all.flatMap(({ kind, attributes }) => (kind === 'firewall-rule' ? [attributes as RuleAttributes] : []));
