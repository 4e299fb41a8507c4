import type { FirewallRuleDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { treeOf } from '../overlay-path.ts';
import { error, type Problem } from '../problem.ts';
import { type GroupUse, groupsIn } from '../spec-groups.ts';
import type { SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

/**
 * A team may put machines and rules into a network of another tree, where it is a guest: what its rules apply to are its own
 * machines, and so are those in its groups. Else one team could open the machines of another, or put one of its own among them
 * and be let in by their rules. The root, and whose network it is, may name any group: their rules are no claim to it.
 *
 *   in a network of another tree       | a guest may
 *   -----------------------------------+---------------------------------------------------
 *   name a group among a rule's peers  | always: who may reach its own machines is its own affair
 *   put a rule on a group, or a        | where no other tree has a machine in that group, and no other guest a
 *   machine into one                   | rule on it
 *   write a rule without a group       | never: it would apply to the machines of all
 */
export function* teamGroups(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules) yield* everybodys(set, rule);
  const held = groupsIn(set)
    .filter(holds)
    .map((use) => holdingOf(set, use));
  for (const same of Map.groupBy(held, ({ group }) => group).values()) yield* shared(same);
}

function* everybodys(set: SpecSet, rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { group, network } = rule.value.spec;
  const tree = treeOf(rule.at().file);
  if (group !== undefined || !isGuest(set, tree, network)) return;
  const message = `without \`group\` this rule is for every machine in ${network}, and that network is not of \`${tree}\``;
  const expected = `group: one that only machines of \`${tree}\` are in; or this rule where ${network} stands`;
  yield error('not-its-own', rule.at(), message, { expected });
}

/** Whether a tree stands in this network by leave of another one. */
function isGuest(set: SpecSet, tree: string, network: string): boolean {
  const host = set.networks.get(network);
  return tree !== '' && host !== undefined && treeOf(host.at().file) !== tree;
}

interface Holding {
  readonly use: GroupUse;
  readonly tree: string;
  readonly group: string;
  readonly guest: boolean;
}

/** Who only lets a group in says nothing about who is in it. */
const holds = ({ fills, path }: GroupUse): boolean => fills || path[1] === 'group';

function holdingOf(set: SpecSet, use: GroupUse): Holding {
  const tree = treeOf(use.document.at().file);
  // Azure takes names in any case for one.
  const group = `${use.network} ${use.name}`.toLowerCase();
  return { use, tree, group, guest: isGuest(set, tree, use.network) };
}

function* shared(same: readonly Holding[]): Iterable<Problem> {
  const claims = same.filter(({ use, guest }) => use.fills || guest);
  for (const { use, tree, guest } of same) {
    const other = guest ? claims.find((claim) => claim.tree !== tree) : undefined;
    if (!other) continue;
    const whose = other.tree === '' ? 'the root' : `\`${other.tree}\``;
    const message = `the group ${use.name} of ${use.network} is of ${whose}: see ${place(other.use.document.at(other.use.path))}`;
    const expected = `a group that only machines of \`${tree}\` are in; others may stand among the peers`;
    yield error('not-its-own', use.document.at(use.path), message, { expected });
  }
}
