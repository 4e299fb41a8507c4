import type { Action } from '../action.ts';
import type { RuleAttributes, RuleMatch } from '../attributes.ts';
import type { Desired } from '../desired.ts';
import type { Ref } from '../resource.ts';
import { mayMeet, trafficChange } from '../rule-widening.ts';
import { compareText } from '../text-order.ts';
import { type Admitted, withheld } from './admit.ts';
import type { World } from './world.ts';

/**
 * Holds back the removal of atoms while a wanted atom of their container neither stands nor is made by this plan: whatever
 * keeps it from being made (a gap, a mode, a missing group) must not open one. So is a denial, and an atom that shrinks in place,
 * where the missing one may speak of the same traffic; and a rule that nobody wrote, where it may be letting that through.
 */
export function holdUntilReplaced(
  { actions, findings }: Admitted,
  desired: readonly Desired[],
  world: World,
): Admitted {
  if (!actions.some(takesAway)) return { actions, findings };
  const missing = missingAtoms(actions, desired, world);
  if (missing.size === 0) return { actions, findings };
  const held = new Map(actions.filter(takesAway).flatMap((action) => reasonOf(action, missing)));
  return {
    actions: actions.filter((action) => !held.has(action)),
    findings: [...findings, ...[...held].map(([action, why]) => withheld(action, 'depends', why, world))],
  };
}

type Taking = Extract<Action, { readonly verb: 'create' | 'update' | 'delete' }>;

/** Removes an atom, denies, or lets an atom shrink. */
function takesAway(action: Action): action is Taking {
  if (action.kind !== 'firewall-rule') return false;
  if (action.verb === 'create') return ruleOf(action.desired).match.action === 'deny';
  return action.verb === 'delete' || (action.verb === 'update' && trafficChange(action) === 'shrinks');
}

// why: only called with firewall rules
const ruleOf = ({ attributes }: { readonly attributes: object }): RuleAttributes => attributes as RuleAttributes;

type Rule = Desired<'firewall-rule'>;
const isRule = (one: Desired): one is Rule => one.kind === 'firewall-rule';
const containerOf = ({ group, network }: RuleAttributes): Ref => group ?? network;

function missingAtoms(
  actions: readonly Action[],
  desired: readonly Desired[],
  { ours }: World,
): ReadonlyMap<Ref, readonly Rule[]> {
  const made = new Set(actions.flatMap((action) => (action.verb === 'create' ? [action.address] : [])));
  const missing = desired.filter(isRule).filter(({ address, terms, attributes }) => {
    if (terms.presence === 'tolerated' || ours.has(address) || made.has(address)) return false;
    return terms.presence !== 'implied' || ours.has(containerOf(attributes));
  });
  // why: the first is named as the reason, so the order must not be the cloud's
  const sorted = missing.toSorted((a, b) => compareText(a.address, b.address));
  return Map.groupBy(sorted, ({ attributes }) => containerOf(attributes));
}

function reasonOf(action: Taking, missing: ReadonlyMap<Ref, readonly Rule[]>): readonly (readonly [Action, string])[] {
  const said = ruleOf(action.verb === 'create' ? action.desired : action.observed);
  const absent = (missing.get(containerOf(said)) ?? []).find((rule) =>
    mayReplace(action, said.match, rule.attributes.match),
  );
  if (absent === undefined) return [];
  return [[action, `${absent.address} is wanted there and does not stand yet; nothing is taken away before.`]];
}

function mayReplace(action: Taking, standing: RuleMatch, wanted: RuleMatch): boolean {
  if (action.verb === 'create') return wanted.action === 'allow' && mayMeet(standing, wanted);
  if (action.verb === 'update') return wanted.action === standing.action && mayMeet(standing, wanted);
  return action.because !== 'rogue' || mayServe(standing, wanted);
}

/** Judged without ports, and without looking into blocks: holding back once too often is no harm. */
const mayServe = (standing: RuleMatch, wanted: RuleMatch): boolean =>
  standing.direction === wanted.direction &&
  (standing.protocol === 'all' || standing.protocol === wanted.protocol) &&
  (standing.peers.some((peer) => wanted.peers.includes(peer)) || standing.peers.some((peer) => anyone.has(peer)));

const anyone: ReadonlySet<string> = new Set(['any', '0.0.0.0/0', '::/0']);
