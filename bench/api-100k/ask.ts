import type { Store } from '../../src/ports/store.ts';
import type { Question } from './estate.ts';

/** Asks one question, to the last byte of the answer; throws where it is not the one that was to be given. */
export type Ask = (question: Question) => Promise<void>;

/** A month back. */
const before = 30 * 86_400_000;

/** The same questions, asked of the store without the API. */
export function askStore({ rows }: Pick<Store, 'rows'>): Ask {
  const seen = [{}];
  const asOf = Date.now() - before;
  return async ({ sort, filter, of, rows: count }) => {
    const found =
      of === undefined
        ? (
            await rows.page({
              ...{ seen, filter, limit: 100, sort: { by: 'address', descending: false } },
              ...(sort === 'past' ? { asOf } : {}),
            })
          ).rows
        : await rows.find({ seen, of });
    expect(found.length, count, { sort, filter });
  };
}

/** Over HTTP, with a token. */
export function askOver(url: string, token: string): Ask {
  const asOf = new Date(Date.now() - before).toISOString();
  return async (question) => {
    const response = await fetch(`${url}${pathOf(question, asOf)}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    if (!response.ok) throw new Error(`${pathOf(question, asOf)}: ${response.status} ${text.slice(0, 500)}`);
    if (question.of !== undefined) return;
    const { items }: { items: readonly unknown[] } = JSON.parse(text);
    expect(items.length, question.rows, question);
  };
}

function pathOf({ sort, filter, of }: Question, asOf: string): string {
  if (of !== undefined) return `/v1/inventory/${of}`;
  const { clouds, accounts, regions, kinds, statuses, owners, labels = {}, text } = filter;
  const lists = { cloud: clouds, account: accounts, region: regions, kind: kinds, status: statuses, owner: owners };
  const query = new URLSearchParams({
    ...(text === undefined ? {} : { q: text }),
    ...(sort === 'past' ? { asOf } : {}),
  });
  for (const [name, values] of Object.entries(lists)) if (values !== undefined) query.set(name, values.join(','));
  for (const [name, value] of Object.entries(labels)) query.append('label', `${name}=${value}`);
  return `/v1/inventory?${query}`;
}

function expect(found: number, count: number, about: object): void {
  if (found !== count) throw new Error(`${found} rows and not ${count}: ${JSON.stringify(about)}`);
}
