import { byCriticality } from '../criticality.ts';
import { compareText } from '../text.ts';
import type { Row, Status } from './row.ts';
import { nextCommand } from './withheld-drift.ts';

/** Resources that no reconcile changes as the specs ask, for one reason. */
export interface WithheldChanges {
  /** The code of the reason, as a finding or a failure of a cloud has it. */
  readonly code: string;
  /** The cloud refused the last attempt. */
  readonly failed: boolean;
  readonly count: number;
  /** The first of them, most critical first. */
  readonly first: readonly WithheldChange[];
}

export interface WithheldChange {
  /** The address; of an object without one its id. */
  readonly name: string;
  /** The withheld change, why it is withheld, and the way on: for people. */
  readonly reason: string;
  /** The command that lets it pass, or that shows the way. */
  readonly next: string;
}

/** The statuses that a row with a withheld change may have. */
export const heldStatuses: readonly Status[] = ['Blocked', 'Failed', 'Paused', 'Missing', 'Pending', 'Drifted'];

/** True where the last reconcile did not do its work here. The store has the same condition: see `RowWords.held`. */
export const isHeld = ({ state: { status }, sides: { next } }: Row): boolean =>
  next?.held !== undefined || status === 'Blocked' || status === 'Failed' || status === 'Paused';

/** By reason: first the reasons that a person must end, then those that end by themselves; the most frequent first. */
export function withheldChangesIn(rows: readonly Row[]): readonly WithheldChanges[] {
  const groups = Map.groupBy(rows.filter(isHeld), (row) => `${row.state.status === 'Failed'} ${codeOf(row)}`);
  return [...groups.values()]
    .flatMap((alike): readonly WithheldChanges[] => {
      const [any] = alike;
      if (any === undefined) return [];
      const first = alike.toSorted(byUrgency).slice(0, mostNamed).map(changeOf);
      return [{ code: codeOf(any), failed: any.state.status === 'Failed', count: alike.length, first }];
    })
    .toSorted((a, b) => Number(endsByItself.has(a.code)) - Number(endsByItself.has(b.code)) || b.count - a.count);
}

const codeOf = ({ state: { code = 'held' } }: Row): string => code;

const endsByItself: ReadonlySet<string> = new Set([
  'wave',
  'window',
  'freeze',
  'grace',
  'paused',
  'backoff',
  'pending',
]);

const mostNamed = 3;

const byUrgency = (a: Row, b: Row): number =>
  byCriticality(a.whose.criticality, b.whose.criticality) || compareText(nameOf(a), nameOf(b));

const nameOf = ({ key, called }: Row): string => called.address ?? called.id ?? key;

const changeOf = (row: Row): WithheldChange => ({
  name: nameOf(row),
  reason: row.state.reason,
  next: nextCommand(row),
});
