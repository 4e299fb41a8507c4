import { canonical } from '../ledger/canonical.ts';
import type { Row } from './row.ts';
import type { Status } from './status.ts';

/**
 * What failed, or was not sent because of a failure, is so until it is tried again: a look by which nothing was tried yet does
 * not make it Pending. `before`: as they are kept; whatever differs there from what would be done now is another matter.
 */
export function carryOver(rows: readonly Row[], before: readonly Row[]): readonly Row[] {
  const stuck = new Map(before.filter(({ state }) => wasTried.has(state.status)).map((row) => [row.key, row]));
  if (stuck.size === 0) return rows;
  return rows.map((row) => {
    const was = stuck.get(row.key);
    if (was === undefined || !isToDo.has(row.state.status) || !isSame(row, was)) return row;
    return { ...row, state: was.state };
  });
}

const wasTried: ReadonlySet<Status> = new Set(['Failed', 'Blocked']);
const isToDo: ReadonlySet<Status> = new Set(['Pending', 'Drifted', 'Missing']);

const isSame = (row: Row, was: Row): boolean =>
  row.sides.next !== undefined &&
  row.sides.next.held === undefined &&
  canonical(intentOf(row)) === canonical(intentOf(was));

/** What would be done: not the reason that it was held for. */
const intentOf = ({ sides: { desired, diff, next } }: Row) => ({ desired, diff, verb: next?.verb, cause: next?.cause });
