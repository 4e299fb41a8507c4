import { type Cidr, overlapsCidr, parseCidr } from '../cidr.ts';
import type { Ref, RuleAttributes } from '../resource.ts';

/**
 * All that an order of rules must know besides the actions of the plan.
 *
 * - `members`: every distinct way in which machines stand in groups, before the plan and after it.
 * - `blocks`: of the networks and subnets.
 * - `isWhole`: false where machines were not listed: then any two groups may share some.
 * - `standing`, `wanted`: rules that stand now, and that shall stand: only where a machine changes groups.
 */
export interface Surroundings {
  readonly members: readonly Member[];
  readonly blocks: readonly string[];
  readonly isWhole: boolean;
  readonly standing: readonly RuleAttributes[];
  readonly wanted: readonly RuleAttributes[];
}

/** `before` is empty for a machine that is made, `after` for one that goes. `blocks`: of its subnets. */
export interface Member {
  readonly before: readonly Ref[];
  readonly after: readonly Ref[];
  readonly blocks: readonly string[];
}

export const nobodyAround: Surroundings = { members: [], blocks: [], isWhole: true, standing: [], wanted: [] };

/** Groups that share machines, and the machines' places. */
export interface Neighbours {
  /** Groups that a machine of this one is in, this one first; undefined: any group may be. */
  near(group: Ref): ReadonlySet<Ref> | undefined;
  /** The blocks in which its machines have their addresses; of a group that we see nobody in, those of all networks. Empty: unknown. */
  blocksOf(group: Ref): readonly Cidr[];
  standsIn(group: Ref, cidr: Cidr): boolean;
  /** True where a machine of ours may lie in this block. */
  isInside(cidr: Cidr): boolean;
}

/**
 * `passing`: in this group before and in the others after, as where a rule of the others takes over; `leaving`: the same, of those
 * machines alone that are not in this group after; `either`: at any time.
 */
export function neighboursOf(around: Surroundings, as: 'passing' | 'leaving' | 'either'): Neighbours {
  const near = new Map<Ref, Set<Ref>>();
  const blocks = new Map<Ref, Set<string>>();
  for (const member of around.members) {
    const all = [...new Set([...member.before, ...member.after])];
    const { before, after } = member;
    const left = as === 'leaving' ? before.filter((group) => !after.includes(group)) : before;
    const [from, to] = as === 'either' ? [all, all] : [left, after];
    for (const group of from) for (const other of to) setAt(near, group).add(other);
    for (const group of all) for (const block of member.blocks) setAt(blocks, group).add(block);
  }
  const inside = cidrsOf(around.blocks);
  const known = new Map([...blocks].map(([group, texts]) => [group, cidrsOf([...texts])]));
  const blocksOf = (group: Ref): readonly Cidr[] => (around.isWhole ? (known.get(group) ?? inside) : inside);
  return {
    // why: what others attached to a group (a load balancer, a database) is not listed and stays, so a group always meets itself
    near: (group) => {
      if (!around.isWhole) return undefined;
      return as === 'leaving' ? setAt(near, group) : setAt(near, group).add(group);
    },
    blocksOf,
    standsIn: (group, cidr) => overlapsAny(blocksOf(group), cidr),
    isInside: (cidr) => overlapsAny(inside, cidr),
  };
}

const overlapsAny = (blocks: readonly Cidr[], cidr: Cidr): boolean =>
  blocks.length === 0 || blocks.some((block) => overlapsCidr(block, cidr));

const cidrsOf = (texts: readonly string[]): readonly Cidr[] => texts.flatMap((text) => parseCidr(text) ?? []);

function setAt<T>(map: Map<Ref, Set<T>>, key: Ref): Set<T> {
  const known = map.get(key) ?? new Set<T>();
  map.set(key, known);
  return known;
}
