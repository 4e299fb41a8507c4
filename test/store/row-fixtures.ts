import type { Bounds } from '../../src/core/access/grant.ts';
import type { Row, Status } from '../../src/core/inventory/row.ts';
import type { KeptLook, RowPage, RowQuery, Rows } from '../../src/ports/rows.ts';
import { addressOf, scope } from './fixtures.ts';

/** Where the clocks of the laws begin. */
export const start = Date.UTC(2026, 0, 1);
export const everything: readonly Bounds[] = [{}];

interface Said {
  readonly status?: Status;
  readonly place?: Partial<Row['place']>;
  readonly called?: Partial<Row['called']>;
  readonly whose?: Partial<Row['whose']>;
  readonly reason?: string;
}

/** A network of ours, in step, but for what is said. */
export function rowOf(name: string, { status = 'InSync', reason = 'as wanted', ...said }: Said = {}): Row {
  const address = addressOf(name);
  const place = { scope, cloud: 'aws', account: '111122223333', region: 'eu-west-1', kind: 'network' } as const;
  return {
    key: address,
    place: { ...place, targets: ['prod'], ...said.place },
    called: { name, address, id: `vpc-${name}`, labels: {}, ...said.called },
    whose: { claim: 'ours', documents: [], ...said.whose },
    state: { status, reason, generation: 1 },
    sides: { diff: [] },
  };
}

/** `after`: ms after `start`. */
export const lookOf = (after: number, rows: readonly Row[], gaps: KeptLook['gaps'] = []): KeptLook => ({
  at: start + after,
  rows,
  gaps,
});

export const gapOf = (kind: KeptLook['gaps'][number]['kind']): KeptLook['gaps'][number] => ({
  kind,
  code: 'Throttling',
  reason: 'listing failed',
});

/** All of an estate, but for what is said. */
export const of = (estate: string, rest: Partial<RowQuery> = {}): RowQuery => ({
  seen: everything,
  sort: { by: 'address', descending: false },
  limit: 100,
  ...rest,
  filter: { estates: [estate], ...rest.filter },
});

/** The names on each page, one after the other. */
export async function pagesOf(rows: Rows, query: RowQuery): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let page: RowPage | undefined;
  do {
    page = await rows.page({ ...query, ...(page?.next === undefined ? {} : { after: page.next }) });
    pages.push(page.rows.map(({ called }) => called.name));
  } while (page.next !== undefined);
  return pages;
}

export const namesOf = async (rows: Rows, query: RowQuery): Promise<readonly string[]> =>
  (await pagesOf(rows, query)).flat();
