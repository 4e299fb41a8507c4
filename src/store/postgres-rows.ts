import type { Rows } from '../ports/rows.ts';
import type { Context } from './context.ts';
import { findRows, historyOf } from './find-rows.ts';
import { inTime } from './health.ts';
import { keepRows } from './keep-rows.ts';
import { pageRows } from './page-rows.ts';
import { pruneHistory } from './retention.ts';
import { looksOf } from './row-looks.ts';
import { withinHistory } from './within-history.ts';

/** `historyMs`: for how long what was is kept; a question of a time before is refused. */
export function postgresRows({ db, reading, clock }: Context, historyMs: number): Rows {
  const within = withinHistory({ clock }, historyMs);
  const prune = pruneHistory(db, clock, historyMs);
  return {
    keep: async (where, look) => prune(await keepRows(db, where, look)),
    page: async (query) => inTime(pageRows(reading, within(query))),
    find: async (query) => inTime(findRows(reading, within(query))),
    history: async (query) => inTime(historyOf(reading, within(query))),
    looks: (estate) => inTime(looksOf(reading, estate)),
  };
}
