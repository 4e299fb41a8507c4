import type { Action } from '../action.ts';
import type { RuleAttributes, RuleMatch } from '../attributes.ts';
import type { Desired } from '../desired.ts';
import type { Ref } from '../resource.ts';
import { compareText } from '../text-order.ts';
import { type Admitted, withheld } from './admit.ts';
import type { World } from './world.ts';

/**
 * Holds back the removal of atoms while a wanted atom of their container neither stands nor is made by this plan: whatever
 * keeps it from being made (a gap, a mode, a missing group) must not open one. A rule that nobody wrote is held back only
 * where it may be letting through what the missing one is to.
 */
export function holdUntilReplaced(
  { actions, findings }: Admitted,
  desired: readonly Desired[],
  world: World,
): Admitted {
  if (!actions.some(isAtomRemoval)) return { actions, findings };
  const missing = missingAtoms(actions, desired, world);
  if (missing.size === 0) return { actions, findings };
  const held = new Map(actions.filter(isAtomRemoval).flatMap((action) => reasonOf(action, missing)));
  return {
    actions: actions.filter((action) => !held.has(action)),
    findings: [...findings, ...[...held].map(([action, why]) => withheld(action, 'depends', why, world))],
  };
}

type Removal = Extract<Action, { readonly verb: 'delete' }>;
const isAtomRemoval = (action: Action): action is Removal =>
  action.verb === 'delete' && action.kind === 'firewall-rule';

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

function reasonOf(action: Removal, missing: ReadonlyMap<Ref, readonly Rule[]>): readonly (readonly [Action, string])[] {
  // why: only called with firewall rules
  const { attributes } = action.observed as typeof action.observed & Rule;
  const absent = (missing.get(containerOf(attributes)) ?? []).find(
    (rule) => action.because !== 'rogue' || mayServe(attributes.match, rule.attributes.match),
  );
  if (absent === undefined) return [];
  return [[action, `${absent.address} is wanted there and does not stand yet; nothing is taken away before.`]];
}

/** Judged without ports, and without looking into blocks: holding back once too often is no harm. */
const mayServe = (standing: RuleMatch, wanted: RuleMatch): boolean =>
  standing.direction === wanted.direction &&
  (standing.protocol === 'all' || standing.protocol === wanted.protocol) &&
  (standing.peers.some((peer) => wanted.peers.includes(peer)) || standing.peers.some((peer) => anyone.has(peer)));

const anyone: ReadonlySet<string> = new Set(['any', '0.0.0.0/0', '::/0']);
