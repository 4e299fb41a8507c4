import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openStore } from '../src/store/open-store.ts';
import { realClock } from '../test/cli/support/in-process.ts';
import { fill, type Question, questionAt } from './api-100k/estate.ts';
import { type Figure, p95 } from './figure.ts';
import { inScratch } from './processes/scratch.ts';
import { type ServedApi, serveApi } from './processes/setpoint.ts';

const usual: Load = { perSecond: 50, seconds: 20 };
const rounds = 3;

/**
 * 100,000 lines of the inventory and what they were, in the embedded database, asked 50 times a second through `setpoint api`
 * with a token: milliseconds at p95. Asked: a filtered page of 100 at most 3 times the bare SQL query of the same run, and 25;
 * a text search 60; one resource 15; a page of a month back at most 2 times one of now. The quietest of three rounds. With `--store` the store is asked.
 */
export const api100k = (args: readonly string[], load = usual): Promise<readonly Figure[]> =>
  inScratch(async (folder) => {
    await fill(folder);
    return args.includes('--store') ? throughStore(folder, load) : throughHttp(folder, load);
  });

/** Starts other load on the API. The returned function ends it. */
export type Beside = (api: ServedApi) => Promise<() => Promise<void>>;

const nothingBeside: Beside = async () => async () => {};

/** The same over HTTP, with something beside it. */
export const api100kBeside = (beside: Beside, load = usual): Promise<readonly Figure[]> =>
  inScratch(async (folder) => {
    await fill(folder);
    return throughHttp(folder, load, beside);
  });

async function throughHttp(folder: string, load: Load, beside = nothingBeside): Promise<readonly Figure[]> {
  const api = await serveApi(folder);
  try {
    const end = await beside(api);
    try {
      return await onStore(folder, () => askOver(api.url, api.token), load);
    } finally {
      await end();
    }
  } finally {
    await api.end();
  }
}

const throughStore = (folder: string, load: Load): Promise<readonly Figure[]> => onStore(folder, askStore, load);

type Store = Awaited<ReturnType<typeof openStore>>;

async function onStore(
  folder: string,
  asking: (store: NonNullable<Store>) => Ask,
  load: Load,
): Promise<readonly Figure[]> {
  let bare: Awaited<ReturnType<typeof askBare>> | undefined;
  const store = await openStore({
    ...{ folder, clock: realClock, create: true },
    onServer: async ({ work }) => {
      bare = await askBare(work.config);
    },
  });
  if (bare === undefined) throw new Error('a store that is open has a server');
  const { ask, end } = bare;
  try {
    await underLoad(asking(store), ask, { ...load, seconds: Math.min(5, load.seconds) });
    const all: Took[] = [];
    for (let round = 0; round < rounds; round += 1) all.push(await underLoad(asking(store), ask, load));
    return figuresOf(quietest(all));
  } finally {
    await end();
    await store.close();
  }
}

/** Other work on the machine only ever slows a round. */
const quietest = (all: readonly Took[]): Took =>
  all.reduce((best, took) => (p95(took.page) < p95(best.page) ? took : best));

function figuresOf(took: Took): readonly Figure[] {
  const [page, bare, past] = [p95(took.page), p95(took.bare), p95(took.past)];
  const ms = (name: string, value: number) => ({ name, value: round(value), unit: 'ms at p95' });
  return [
    { ...ms('api-100k-page', page), floor: round(bare), ratio: round(page / bare) },
    ms('api-100k-page-ms', page),
    ms('api-100k-text', p95(took.text)),
    ms('api-100k-one', p95(took.one)),
    { ...ms('api-100k-as-of', past), floor: round(page), ratio: round(past / page) },
  ];
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Milliseconds of each answer, from when it was due to be asked: what waits for others counts. */
type Took = Readonly<Record<Question['sort'] | 'bare', readonly number[]>>;

interface Load {
  readonly perSecond: number;
  readonly seconds: number;
}

/**
 * Asks at an even pace, whether or not the answers before have come; and every fourth time a bare page besides, half a step
 * later: neither is measured while the other begins.
 */
async function underLoad(ask: Ask, bare: Ask, { perSecond, seconds }: Load): Promise<Took> {
  const took = { page: [], past: [], text: [], one: [], bare: [] } satisfies Record<keyof Took, number[]>;
  const timed = async (into: number[], due: number, asking: Promise<void>): Promise<void> => {
    await asking;
    into.push(performance.now() - due);
  };
  const all: Promise<void>[] = [];
  const from = performance.now();
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const due = from + (index * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    const question = questionAt(index);
    all.push(timed(took[question.sort], due, ask(question)));
    if (index % 4 !== 0) continue;
    const between = due + 500 / perSecond;
    await sleep(Math.max(0, between - performance.now()));
    all.push(timed(took.bare, between, bare(pageAt(index))));
  }
  await Promise.all(all);
  return took;
}

/** The pages that are asked for, in turn. */
function pageAt(index: number): Question {
  const question = questionAt(index);
  return question.sort === 'page' ? question : pageAt(index + 1);
}

type Filter = Question['filter'];

/** The query of a filtered page as one who knows the indexes writes it, on connections that are open: what any answer costs at least. */
async function askBare(config: pg.ClientConfig): Promise<{ readonly ask: Ask; end(): Promise<void> }> {
  const pool = new pg.Pool({ ...config, max: 10 });
  pool.on('error', () => {});
  return {
    ask: async ({ filter, rows: count }) => {
      const conditions = conditionsOf(filter);
      const where = conditions.map(([text], index) => text.replaceAll('?', `$${index + 1}`));
      const { rowCount } = await pool.query(
        `SELECT estate, since, body FROM setpoint.versions WHERE ${['current', ...where].join(' AND ')}
         ORDER BY scope, key, estate LIMIT 100`,
        conditions.map(([, value]) => value),
      );
      if (rowCount !== count) throw new Error(`${rowCount} rows and not ${count}: ${JSON.stringify(filter)}`);
    },
    end: () => pool.end(),
  };
}

/** Each with a ? where its value goes. */
const conditionsOf = ({ labels, clouds, ...filter }: Filter): readonly (readonly [string, unknown])[] => [
  ...oneOf('cloud', clouds),
  ...(clouds ?? []).map((cloud) => ["scope > ? || '/' AND scope < ? || '0'", cloud] as const),
  ...oneOf('account', filter.accounts),
  ...oneOf('region', filter.regions),
  ...oneOf('kind', filter.kinds),
  ...oneOf('status', filter.statuses),
  ...oneOf('owner', filter.owners),
  ...(labels === undefined ? [] : [['labels @> ?', JSON.stringify(labels)] as const]),
];

function oneOf(column: string, values: readonly string[] | undefined): readonly (readonly [string, unknown])[] {
  if (values === undefined) return [];
  return values.length === 1 ? [[`${column} = ?`, values[0]]] : [[`${column} = ANY(?)`, values]];
}

/** Asks one question, to the last byte of the answer; throws where it is not the one that was to be given. */
type Ask = (question: Question) => Promise<void>;

/** A month back. */
const before = 30 * 86_400_000;

/** The same questions, asked of the store without the API. */
function askStore({ rows }: Pick<NonNullable<Store>, 'rows'>): Ask {
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
function askOver(url: string, token: string): Ask {
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
