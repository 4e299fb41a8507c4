import type { Client } from './client.ts';
import { query } from './query.ts';
import type { Want } from './want.ts';

/** `path` has no query. `most`: so many of the items; absent: all. */
export interface Paged {
  readonly path: string;
  readonly asked: Parameters<typeof query>[0];
  readonly most?: number;
}

interface Page {
  readonly items: readonly unknown[];
  readonly next?: string;
}

/** What is asked for, page by page, until the server says that it was the last, or there were so many items. */
export async function* pages<P extends Page>(
  client: Client,
  { path, asked, most = Number.POSITIVE_INFINITY }: Paged,
  page: Want<P>,
): AsyncIterable<P> {
  let left = most;
  let after: string | undefined;
  while (left > 0) {
    const asking = query({ ...asked, limit: Math.min(left, largest), after });
    const got = await client.ask({ method: 'GET', path: `${path}${asking}` }, page);
    yield got;
    left -= got.items.length;
    if (got.next === undefined || got.next === after) return;
    after = got.next;
  }
}

/** The most that a server gives at once. */
const largest = 1000;
