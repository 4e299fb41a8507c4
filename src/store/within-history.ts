import { BeforeHistory } from '../ports/before-history.ts';
import type { Context } from './context.ts';

/** What ended before is deleted: a question of an earlier time would leave it out, and look whole. */
export function withinHistory({ clock }: Pick<Context, 'clock'>, historyMs: number) {
  return <T extends { readonly asOf?: number }>(query: T): T => {
    const since = clock.now() - historyMs;
    if (query.asOf !== undefined && query.asOf < since) throw new BeforeHistory(since);
    return query;
  };
}
