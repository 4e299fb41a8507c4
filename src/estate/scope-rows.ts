import type { Where } from '../ports/queue.ts';
import type { RowFilter, Rows } from '../ports/rows.ts';

/** The lines of one scope as they are now, those that a filter leaves: all of them, page by page. */
export async function scopeRows({ estate, scope }: Where, rows: Pick<Rows, 'page'>, filter: RowFilter = {}) {
  const query = {
    seen: [{}],
    filter: { ...filter, estates: [estate], scopes: [scope] },
    sort: { by: 'address', descending: false },
    limit: 1000,
  } as const;
  let page = await rows.page(query);
  const found = [...page.rows];
  while (page.next !== undefined) {
    page = await rows.page({ ...query, after: page.next });
    found.push(...page.rows);
  }
  return found;
}
