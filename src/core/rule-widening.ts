import type { Action } from './action.ts';
import type { RuleAttributes, RuleMatch } from './attributes.ts';
import { coversPorts, parsePorts } from './port-set.ts';

/** A rule is what it says and what that counts for. */
type Said = Pick<RuleAttributes, 'match' | 'order'>;

/**
 * How an update changes the traffic that a rule speaks of; undefined where it does not.
 *
 * - `widens`: the rule speaks of all that it did, and of more.
 * - `shrinks`: of some of what it did, and of nothing else.
 * - `changes`: of something else, in another place among the rules, or nobody can tell.
 */
export function trafficChange(
  action: Extract<Action, { readonly verb: 'update' }>,
): 'widens' | 'shrinks' | 'changes' | undefined {
  const touches = action.changes.some(({ field }) => /^(?:match|order)(?:\.|$)/.test(field) && field !== 'order.log');
  if (action.kind !== 'firewall-rule' || !touches) return undefined;
  const [from, to] = [saidOf(action.observed), saidOf(action.desired)];
  if (widens(from, to)) return 'widens';
  return widens(to, from) ? 'shrinks' : 'changes';
}

// why: only called with firewall rules
const saidOf = ({ attributes }: { readonly attributes: object }): Said => attributes as RuleAttributes;

function widens(from: Said, to: Said): boolean {
  if (from.match.action !== to.match.action || from.match.direction !== to.match.direction) return false;
  if (to.order?.disabled) return false;
  if (from.order?.disabled) return true;
  return from.order?.priority === to.order?.priority && covers(to.match, from.match);
}

const covers = (outer: RuleMatch, inner: RuleMatch): boolean =>
  (outer.protocol === 'all' || outer.protocol === inner.protocol) &&
  portsCover(outer.ports, inner.ports) &&
  holdsAll(outer.peers, inner.peers) &&
  ((outer.targets ?? []).length === 0 || ((inner.targets ?? []).length > 0 && holdsAll(outer.targets, inner.targets)));

function portsCover(outer: string, inner: string): boolean {
  if (outer === 'all' || outer === inner) return true;
  const [wide, narrow] = [parsePorts(outer.split(',')), parsePorts(inner.split(','))];
  return wide !== undefined && narrow !== undefined && coversPorts(wide, narrow);
}

const holdsAll = (outer: readonly string[] = [], inner: readonly string[] = []): boolean =>
  inner.every((one) => outer.includes(one));
