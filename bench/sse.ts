import { spawn } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Store } from '../src/ports/store.ts';
import { openStore } from '../src/store/open-store.ts';
import { realClock as clock } from '../test/cli/support/in-process.ts';
import { guardsOf } from '../test/store/fixtures.ts';
import { type Figure, p95 } from './figure.ts';
import { stop } from './processes/measured.ts';
import { inScratch } from './processes/scratch.ts';

interface SseOptions {
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
      const from = await store.events.newest();
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
async function idsAfter(from: string, { events }: Store): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let place = from, more = true; more; ) {
    const page = await events.after(place, 1000);
    if (page.gone) throw new Error('the store kept less than what was told: nothing is measured');
    ids.push(...page.events.map((one) => one.place));
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

/** The API in a process of its own, on the store of a folder. */
interface ServerProcess {
  readonly url: string;
  /** Its memory, every two seconds since the last call. */
  takeMemory(): readonly Held[];
  /** Sends SIGTERM and waits for the end. Returns the wait, in ms. */
  end(): Promise<number>;
}

/** In bytes. `used`: once everything else is cleared away. */
interface Held {
  readonly used: number;
  readonly resident: number;
}

/** The heap's young part has its full size from the start: otherwise it grows to that at some moment, and looks like a leak. */
const flags = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16'];

async function startServer(folder: string, isLossy: boolean): Promise<ServerProcess> {
  const program = fileURLToPath(new URL('./sse/server.ts', import.meta.url));
  const args = [...flags, program, folder, ...(isLossy ? ['--lossy'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const memory: Held[] = [];
  const end = async (): Promise<number> => {
    const from = performance.now();
    await stop(child);
    return performance.now() - from;
  };
  const lines = createInterface({ input: child.stdout });
  const url = await Promise.race([once(lines, 'line').then(([line]) => String(line)), once(child, 'exit')]);
  if (typeof url !== 'string') throw new Error('the server ended without saying where it is');
  lines.on('line', (line) => {
    const [used = Number.NaN, resident = Number.NaN] = line.split(' ').map(Number);
    memory.push({ used, resident });
  });
  return { url, takeMemory: () => memory.splice(0), end };
}

/** The growth of a value from one sample to the next, by the line of least squares; NaN of fewer than two. */
export function slope(samples: readonly number[]): number {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  let [above, below] = [0, 0];
  for (const [index, value] of samples.entries()) {
    above += (index - middle) * (value - mean);
    below += (index - middle) ** 2;
  }
  return above / below;
}

/** A client, and what it has had. It keeps no event, so that two hundred of them fit. */
interface Watcher {
  /** Ends once it is connected, and has been told where it stands. */
  begin(): Promise<void>;
  /** Loses its connection in the middle of whatever comes, and comes back after so long with the last id that it has. */
  comeBack(afterMs: number): Promise<void>;
  had(): Had;
  leave(): void;
}

/** `digest`: of all ids in the order in which they came. `late`: ms from when each became true, of those that came live. */
interface Had {
  readonly count: number;
  readonly digest: string;
  readonly resets: number;
  readonly late: readonly number[];
}

export const digestOf = (ids: Iterable<string>): string => {
  const hash = createHash('sha256');
  for (const id of ids) hash.update(id);
  return hash.digest('hex');
};

function watcherOf(url: string, token: string): Watcher {
  const hash: Hash = createHash('sha256');
  const late: number[] = [];
  let count = 0;
  let resets = 0;
  let lastId: string | undefined;
  let isLive = true;
  let request: ClientRequest | undefined;

  const take = (block: string): void => {
    const field = (name: string): string | undefined =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    lastId = field('id') ?? lastId;
    const data = field('data');
    if (data === undefined) return;
    if (field('event') === 'reset') resets += 1;
    hash.update(lastId ?? '');
    count += 1;
    if (isLive) late.push(Date.now() - Date.parse(JSON.parse(data).at));
  };

  const connect = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    const own = get(new URL('/v1/events', url), { headers, agent: false });
    request = own;
    const answer = await answerOf(own);
    const opened = Promise.withResolvers<void>();
    let rest = '';
    answer.setEncoding('utf8').on('error', () => {});
    answer.on('data', (text: string) => {
      if (request !== own) return;
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) take(block);
      opened.resolve();
    });
    await opened.promise;
  };

  return {
    begin: connect,
    comeBack: async (afterMs) => {
      request?.destroy();
      request = undefined;
      isLive = false;
      await sleep(afterMs);
      await connect();
      await sleep(2000);
      isLive = true;
    },
    had: () => ({ count, digest: hash.copy().digest('hex'), resets, late }),
    leave: () => request?.destroy(),
  };
}

async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const answered = Promise.withResolvers<IncomingMessage>();
  request.once('response', answered.resolve);
  request.on('error', answered.reject);
  const answer = await answered.promise;
  if (answer.statusCode !== 200) throw new Error(`the server answered ${answer.statusCode} to a client`);
  return answer;
}
