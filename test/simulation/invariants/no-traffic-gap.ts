import type { ChangeEntry } from '../../../providers/memory/cloud/history.ts';
import type { RuleRecord } from '../../../providers/memory/cloud/records.ts';
import { markOf } from '../../../providers/memory/marks.ts';
import type { RunTrace, Trace } from '../trace.ts';
import { type Invariant, unique } from './invariant.ts';

/**
 * What is wanted is never taken away: whenever we remove a rule, all traffic of it that the specs of that run want is let
 * through by another rule of the group that stands at that moment.
 */
export const noTrafficGap: Invariant = {
  number: 13,
  name: 'no traffic gap',
  broken: (trace) => {
    const runs = new Map(trace.runs.map((run) => [run.name, run]));
    const standing = new Map<string, RuleRecord>();
    const broken: string[] = [];
    const groups = groupsOf(trace);
    for (const change of trace.cloud.history.changes) {
      const removed = apply(change, standing);
      const run = runs.get(change.caller);
      if (!removed || !run || isLeaving(change, trace)) continue;
      const lost = wantedOf(run, groups.get(removed.group) ?? '', removed).filter(
        (port) => !isOpen(port, removed, standing),
      );
      if (lost.length > 0)
        broken.push(`${change.caller} closed ${lost.join(', ')} of ${removed.group} (${removed.id})`);
    }
    return unique(broken);
  },
};

function apply({ id, before, after }: ChangeEntry, standing: Map<string, RuleRecord>): RuleRecord | undefined {
  if (after && 'match' in after) standing.set(id, after);
  if (after || !before || !('match' in before)) return undefined;
  standing.delete(id);
  return before;
}

/** Rules go with their group. */
const isLeaving = ({ seq, before }: ChangeEntry, { cloud }: Trace): boolean =>
  before !== undefined &&
  'match' in before &&
  cloud.history.changes.some((other) => other.seq === seq && !other.after && other.id === before.group);

/** The address of each group, by the mark it was made with. */
function groupsOf({ cloud }: Trace): ReadonlyMap<string, string> {
  const groups = new Map<string, string>();
  for (const { id, after, before } of cloud.history.changes) {
    const mark = after && !before && 'tags' in after ? markOf(after.tags) : undefined;
    if (mark) groups.set(id, mark.address);
  }
  return groups;
}

/** The first and last port of each wanted range that the removed rule let through, for the same peer. */
function wantedOf({ desired }: RunTrace, group: string, { match }: RuleRecord): readonly number[] {
  return desired.flatMap(({ kind, attributes }) => {
    if (kind !== 'firewall-rule' || !('match' in attributes) || attributes.group !== group) return [];
    const { direction, protocol, ports, peers } = attributes.match;
    if (direction !== match.direction || protocol !== match.protocol || !peers.includes(match.peer)) return [];
    const [from = 0, to = 65_535] = ports === 'all' ? [] : ports.split('-').map(Number);
    return [from, ports.includes('-') || ports === 'all' ? to : from].filter((port) => within(port, match));
  });
}

const within = (port: number, { from, to }: RuleRecord['match']): boolean =>
  (from === -1 && to === -1) || (from <= port && port <= to);

const isOpen = (port: number, { group, match }: RuleRecord, standing: ReadonlyMap<string, RuleRecord>): boolean =>
  [...standing.values()].some(
    (rule) =>
      rule.group === group &&
      rule.match.direction === match.direction &&
      rule.match.peer === match.peer &&
      (rule.match.protocol === match.protocol || rule.match.protocol === 'all') &&
      within(port, rule.match),
  );
