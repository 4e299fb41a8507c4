import type { Mark } from '../../../src/core/observed.ts';
import { markOf, partOf } from '../marks.ts';
import { ruleKey } from './calls/rules.ts';
import type { CallEntry, ChangeEntry, History } from './history.ts';
import type { RuleRecord, Tagged } from './records.ts';
import { tagTables } from './tables.ts';
import type { World } from './world.ts';

/** The truth about the cloud, past every lag and fault, for tests to judge by. */
export interface Inspection {
  /** Everything that stands; machines that are told to end do not. */
  live(): readonly Standing[];
  /** Every atom there ever was, and from when to when. */
  atoms(): readonly Span[];
  /** Requests that came faster than a budget allows: none, if the limiter keeps its word. */
  overBudget(): readonly CallEntry[];
}

/** `part`: it is a part of what its mark names. `was`: the record itself. */
export interface Standing {
  readonly id: string;
  readonly type: string;
  readonly mark?: Mark;
  readonly part?: string;
  readonly record: Tagged;
}

/** Milliseconds; `until` absent: it stands. `key`: the rule's content. */
export interface Span {
  readonly group: string;
  readonly key: string;
  readonly from: number;
  readonly until?: number;
}

export const inspect = (world: World, history: History): Inspection => ({
  live: () =>
    tagTables(world.tables)
      .flatMap((table) => table.all())
      .filter(stands)
      .map(standing),
  atoms: () => spans(history.changes),
  overBudget: () => history.calls.filter(({ answer }) => answer.dryRateLimit !== undefined),
});

const stands = (record: Tagged): boolean => !('power' in record) || !isEnded(record.power);
const isEnded = (power: unknown): boolean =>
  typeof power === 'object' && power !== null && 'sent' in power && power.sent === 'terminate';

const TYPES: Readonly<Record<string, string>> = {
  net: 'network',
  gw: 'gateway',
  rt: 'route-table',
  sub: 'subnet',
  grp: 'group',
  ins: 'instance',
};

function standing(record: Tagged): Standing {
  const mark = markOf(record.tags, launchIndex(record));
  const part = partOf(record.tags);
  const type = TYPES[record.id.split('-')[0] ?? ''] ?? 'unknown';
  return { id: record.id, type, record, ...(mark && { mark }), ...(part !== undefined && { part }) };
}

function launchIndex(record: Tagged | { readonly launch: { readonly index: number } }): number | undefined {
  return 'launch' in record ? record.launch.index : undefined;
}

function spans(changes: readonly ChangeEntry[]): readonly Span[] {
  const open = new Map<string, Span>();
  const closed: Span[] = [];
  for (const { id, at, before, after } of changes) {
    if (after && isRule(after) && !open.has(id))
      open.set(id, { group: after.group, key: ruleKey(after.match), from: at });
    const span = open.get(id);
    if (before && isRule(before) && !after && span) {
      closed.push({ ...span, until: at });
      open.delete(id);
    }
  }
  return [...closed, ...open.values()];
}

const isRule = (record: Tagged | RuleRecord): record is RuleRecord => 'match' in record;
