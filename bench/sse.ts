import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Store } from '../src/ports/store.ts';
import { openStore } from '../src/store/open-store.ts';
import { guardsOf } from '../test/store/fixtures.ts';
import type { Figure } from './figure.ts';
import { p95 } from './process/p95.ts';
import { inScratch } from './process/scratch.ts';
import { clock } from './sse/clock.ts';
import { type Held, type ServerProcess, startServer } from './sse/server-process.ts';
import { slope } from './sse/slope.ts';
import { digestOf, type Had, type Watcher, watcherOf } from './sse/watcher.ts';

export interface SseOptions {
  readonly clients?: number;
  readonly seconds?: number;
  readonly perSecond?: number;
  /** The server leaves some out: to see the figure fail. */
  readonly isLossy?: boolean;
}

/** `--clients` (200), `--seconds` (60), `--per-second` (100). */
export function sseAsked(args: readonly string[]): Promise<readonly Figure[]> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { clients: text, seconds: text, 'per-second': text },
  });
  const { clients = '200', seconds = '60', 'per-second': perSecond = '100' } = values;
  return sse({ clients: Number(clients), seconds: Number(seconds), perSecond: Number(perSecond) });
}

/**
 * Clients that follow /v1/events over real connections while transactions of ten estates end side by side, each cut off once in
 * the middle and back with Last-Event-ID: how many did not have every event, in order, none twice (asked: none); how late what
 * came live was; and how much more the server's process held from minute to minute in the second half, in use and resident: by
 * then it holds as many recent events as it ever does. In less than a minute memory is not measured.
 */
export const sse = ({
  clients = 200,
  seconds = 60,
  perSecond = 100,
  isLossy = false,
}: SseOptions = {}): Promise<readonly Figure[]> =>
  inScratch(async (folder) => {
    const store = await openStore({ folder, clock, create: true });
    try {
      const server = await startServer(folder, isLossy);
      const watchers = await watchersOf(clients, store, server);
      const from = await store.happenings.newest();
      const told = { seconds, perSecond };
      try {
        await Promise.all(watchers.map((watcher) => watcher.begin()));
        server.takeMemory();
        await Promise.all([tell(store, told), ...watchers.map((watcher, index) => cutOnce(watcher, index, told))]);
        const ids = await idsAfter(from, store);
        await until(() => watchers.every((watcher) => watcher.had().count >= ids.length), isLossy ? 5_000 : 60_000);
        return figuresOf(
          ids,
          watchers.map((watcher) => watcher.had()),
          server.takeMemory(),
        );
      } finally {
        for (const watcher of watchers) watcher.leave();
        await server.end();
      }
    } finally {
      await store.close();
    }
  });

interface Telling {
  readonly seconds: number;
  readonly perSecond: number;
}

/** Twenty clients have a token of their own. */
async function watchersOf(clients: number, { tokens }: Store, { url }: ServerProcess): Promise<readonly Watcher[]> {
  const maker = { person: 'bench', identities: [] };
  const texts: string[] = [];
  for (let n = 0; n < clients; n += 20) {
    const draft = { name: `bench-${n}`, grants: [{ role: 'viewer' as const }], maker };
    texts.push((await tokens.make({ ...draft, expiresAt: clock.now() + 86_400_000 })).text);
  }
  return Array.from({ length: clients }, (_, index) => watcherOf(url, texts[Math.floor(index / 20)] ?? ''));
}

const estates = 10;
const guards = guardsOf({ deletes: 5, replaces: 5 });

/** At the pace asked for, whatever the single ones take: each estate's own follow one another, those of several overlap. */
async function tell({ generations }: Store, { seconds, perSecond }: Telling): Promise<void> {
  const begun = performance.now();
  const each = Math.round((seconds * perSecond) / estates);
  const one = async (estate: number): Promise<void> => {
    for (let n = 0; n < each; n++) {
      const early = ((n + estate / estates) * estates * 1000) / perSecond - (performance.now() - begun);
      if (early > 1) await sleep(early);
      await generations.accept(`bench-${estate}`, `r${n}`, guards);
    }
  };
  await Promise.all(Array.from({ length: estates }, (_, estate) => one(estate)));
}

/** Somewhere in the middle half of the time, one after the other. */
async function cutOnce(watcher: Watcher, index: number, { seconds }: Telling): Promise<void> {
  await sleep(seconds * 1000 * (0.25 + (((index * 37) % 100) / 100) * 0.5));
  await watcher.comeBack(500);
}

/** In the order of the store. */
async function idsAfter(from: string, { happenings }: Store): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let place = from, more = true; more; ) {
    const page = await happenings.after(place, 1000);
    if (page.gone) throw new Error('the store kept less than what was told: nothing is measured');
    ids.push(...page.happenings.map((one) => one.place));
    ({ place, more } = page);
  }
  return ids;
}

async function until(seen: () => boolean, withinMs: number): Promise<void> {
  for (const end = performance.now() + withinMs; !seen() && performance.now() < end; ) await sleep(50);
}

function figuresOf(ids: readonly string[], all: readonly Had[], memory: readonly Held[]): readonly Figure[] {
  const digest = digestOf(ids);
  const wrong = all.filter((had) => had.count !== ids.length || had.digest !== digest || had.resets > 0);
  const late = all.flatMap((had) => had.late);
  const warm = memory.slice(Math.ceil(memory.length / 2));
  const used = warm.map((held) => held.used);
  const resident = warm.map((held) => held.resident);
  return [
    { name: 'sse', value: wrong.length, unit: `of ${all.length} clients without exactly these ${ids.length} events` },
    { name: 'sse-latency', value: p95(late), unit: `ms, p95 of ${late.length}` },
    ...(warm.length < enough ? [] : [growth('sse-memory', used), growth('sse-resident', resident)]),
  ];
}

/** Of two seconds each. */
const enough = 13;

const growth = (name: string, bytes: readonly number[]): Figure => ({
  name,
  value: Number(((slope(bytes) * 30) / 1e6).toFixed(1)),
  unit: `MB more each minute, of ${Math.round(Math.max(...bytes) / 1e6)}`,
});
