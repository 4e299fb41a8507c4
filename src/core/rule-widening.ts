import type { Action } from './action.ts';
import type { RuleAttributes, RuleMatch } from './attributes.ts';
import { coversPorts, parsePorts } from './port-set.ts';

/** A rule is what it says and what that counts for. */
type Said = Pick<RuleAttributes, 'match' | 'order'>;

/**
 * What an update does to the traffic that a rule speaks of: `widens` where it speaks of all that it did and of more, `shrinks`
 * where it may not; undefined where that is not touched. In doubt it shrinks.
 */
export function trafficChange(action: Extract<Action, { readonly verb: 'update' }>): 'widens' | 'shrinks' | undefined {
  const touches = action.changes.some(({ field }) => /^(?:match|order)(?:\.|$)/.test(field) && field !== 'order.log');
  if (action.kind !== 'firewall-rule' || !touches) return undefined;
  return widens(saidOf(action.observed), saidOf(action.desired)) ? 'widens' : 'shrinks';
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

/** Whether two rules may speak of the same traffic: judged without ports and peers, so rather once too often. */
export const mayMeet = (one: RuleMatch, other: RuleMatch): boolean =>
  one.direction === other.direction &&
  (one.protocol === other.protocol || one.protocol === 'all' || other.protocol === 'all') &&
  targetsMeet(one.targets, other.targets);

const targetsMeet = (one: readonly string[] = [], other: readonly string[] = []): boolean =>
  one.length === 0 || other.length === 0 || one.some((target) => other.includes(target));
