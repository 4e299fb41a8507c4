import type { Rows } from '../ports/rows.ts';
import type { Context } from './context.ts';
import { findRows, historyOf } from './find-rows.ts';
import { inTime } from './in-time.ts';
import { keepRows } from './keep-rows.ts';
import { pageRows } from './page-rows.ts';
import { pruneHistory } from './prune-history.ts';
import { looksOf } from './row-looks.ts';

/** `historyMs`: for how long what was is kept. */
export function postgresRows({ db, reading, clock }: Context, historyMs: number): Rows {
  const prune = pruneHistory(db, clock, historyMs);
  return {
    keep: async (where, look) => prune(await keepRows(db, where, look)),
    page: (query) => inTime(pageRows(reading, query)),
    find: (query) => inTime(findRows(reading, query)),
    history: (query) => inTime(historyOf(reading, query)),
    looks: (estate) => inTime(looksOf(reading, estate)),
  };
}
