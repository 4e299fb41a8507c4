import { openStore } from '../src/store/open-store.ts';
import { realClock } from '../test/cli/support/in-process.ts';
import { type Ask, askOver, askStore } from './api-100k/ask.ts';
import { askBare } from './api-100k/bare.ts';
import { type Load, type Took, underLoad } from './api-100k/load.ts';
import { serveApi } from './api-100k/serve-api.ts';
import { fill } from './api-100k/stand.ts';
import type { Figure } from './figure.ts';
import { p95 } from './process/p95.ts';
import { inScratch } from './process/scratch.ts';

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

async function throughHttp(folder: string, load: Load): Promise<readonly Figure[]> {
  const api = await serveApi(folder);
  try {
    return await onStore(folder, () => askOver(api.url, api.token), load);
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
