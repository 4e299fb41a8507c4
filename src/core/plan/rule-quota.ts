import type { Action } from '../action.ts';
import type { RuleAttributes } from '../attributes.ts';
import { parseCidr } from '../cidr.ts';
import type { RuleRoom } from '../compile/dialect.ts';
import { groupByMany } from '../group-by-many.ts';
import type { Policy } from './plan-input.ts';
import type { World } from './world.ts';

/**
 * Holds new rules for which their container has no room beside those that stand, before any of them is sent. New rules are added before
 * those that they replace go, so both need room at once. Undefined where everything fits.
 *
 * A container that holds more than it should tells that its quota was raised: then only the cloud knows the room.
 */
export function ruleQuotaPolicy(actions: readonly Action[], world: World): Policy | undefined {
  const { room } = world.input.dialect.rules;
  const created = actions.filter(isNewRule);
  if (room === undefined || created.length === 0) return undefined;
  const keysOf = keysBy(room);
  const adding = groupByMany(created, ({ desired }) => keysOf(desired.attributes));
  const standing = countStanding(world, keysOf);
  const most = world.input.wanted.rulesPerContainer ?? room.most;
  const full = new Map<Action, string>();
  for (const [key, added] of adding) {
    const stand = standing.get(key) ?? 0;
    if (stand + added.length <= most || stand > most) continue;
    const why = reasonFor({ key, stand, added: added.length, most }, room);
    for (const action of added) full.set(action, why);
  }
  if (full.size === 0) return undefined;
  return (action) => {
    const why = full.get(action);
    return why === undefined ? undefined : { code: 'quota', why };
  };
}

type NewRule = Extract<Action, { readonly verb: 'create' }> & {
  readonly desired: { readonly attributes: RuleAttributes };
};

const isNewRule = (action: Action): action is NewRule => action.verb === 'create' && action.kind === 'firewall-rule';

const containerOf = ({ group, network }: RuleAttributes): string => group ?? network;

/** What a rule is counted under, in words: a peer that is no block counts as both families. */
function keysBy({ apart }: RuleRoom): (rule: RuleAttributes) => readonly string[] {
  const byFamily = (peers: readonly string[]): readonly string[] => {
    const families = peers.flatMap((peer) => parseCidr(peer)?.family ?? [4, 6]);
    return [...new Set(families)].map((family) => ` IPv${family}`);
  };
  return (rule) => {
    const direction = apart.includes('direction') ? ` ${rule.match.direction}` : '';
    const families = apart.includes('family') ? byFamily(rule.match.peers) : [''];
    return families.map((family) => `${containerOf(rule)}${direction}${family}`);
  };
}

function countStanding(
  { claimed }: World,
  keysOf: (rule: RuleAttributes) => readonly string[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { observed } of claimed) {
    if (observed.kind !== 'firewall-rule') continue;
    // why: the kind was just checked
    for (const key of keysOf(observed.attributes as RuleAttributes)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

interface Fullness {
  readonly key: string;
  readonly stand: number;
  readonly added: number;
  readonly most: number;
}

const reasonFor = ({ key, stand, added, most }: Fullness, { quota, container }: RuleRoom): string =>
  `${key} holds ${stand} rules and would get ${added} more; ${container} takes ${most}. New rules are added before those that they replace go, so nothing of them is sent and the old ones stay. Raise the quota "${quota}" and state it as quotas.rulesPerGroup of the target, or put the new rules into another group.`;
