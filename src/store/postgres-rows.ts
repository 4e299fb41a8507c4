import type { Rows } from '../ports/rows.ts';
import type { Context } from './context.ts';
import { findRows, historyOf } from './find-rows.ts';
import { keepRows } from './keep-rows.ts';
import { pageRows } from './page-rows.ts';
import { pruneHistory } from './prune-history.ts';
import { looksOf } from './row-looks.ts';

/** `historyMs`: for how long what was is kept. */
export function postgresRows({ db, reading, clock }: Context, historyMs: number): Rows {
  const prune = pruneHistory(db, clock, historyMs);
  return {
    keep: async (where, look) => prune(await keepRows(db, where, look)),
    page: (query) => pageRows(reading, query),
    find: (query) => findRows(reading, query),
    history: (query) => historyOf(reading, query),
    looks: (estate) => looksOf(reading, estate),
  };
}
