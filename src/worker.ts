import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { loadProvider } from '../providers/index.ts';
import type { FleetSettings, RunningFleet } from './cli/house.ts';
import { type Ground, openGround } from './config/ground.ts';
import { type Opened, openHooks } from './config/hooks.ts';
import { sourcesOf } from './config/sources.ts';
import { startWorker, type FleetSettings as WorkSettings } from './fleet/fleet.ts';
import type { Yard } from './fleet/yard.ts';
import type { Clock } from './ports/clock.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Samples } from './ports/telemetry.ts';
import { parseKept } from './source/kept-tree.ts';
import { startHealth, type WorkerState } from './telemetry/health.ts';
import { createLog, logSettings } from './telemetry/log.ts';
import { watchReach } from './telemetry/reach.ts';
import { createTelemetry } from './telemetry/telemetry.ts';
import { watchedLimiter } from './telemetry/watched-limiter.ts';

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly out: { write(text: string): void };
}

/** Wires one worker: its database, its queue, its budgets and what it tells of itself. Where one of them fails none is left open. */
export async function startFleet(settings: FleetSettings, around: Surroundings): Promise<RunningFleet> {
  const { env, out } = around;
  const log = createLog(out, logSettings(env));
  const ground = await openGround(settings, { ...around, log });
  const ends: (() => Promise<void>)[] = [ground.close];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const samples = samplesOf(ground);
    const told = createTelemetry({ log, samples });
    const stopping = new AbortController();
    const shown = { ...told, lanes: samples.lanes, stopping: stopping.signal };
    const health = await openHealth(settings.ports.health, { ground, shown, clock: around.clock });
    ends.push(health.close);
    const yard = yardOf(settings, around, { ground, telemetry: told.telemetry });
    const worker = await startWorker(workOf(settings, around), yard);
    ends.push(worker.stop);
    const hooks = await openHooks(settings.ports.http, yard);
    ends.push(hooks.close);
    const urls = urlsOf(health, hooks);
    log.info('the worker is at work', {
      ...(health.url === undefined ? {} : { url: health.url }),
      ...(hooks.url === undefined ? {} : { hooks: hooks.url }),
    });
    return {
      ...urls,
      stop: async () => {
        stopping.abort();
        log.info('the worker stops: what it has begun is ended or handed over');
        await close();
        log.info('the worker has stopped');
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const samplesOf = ({ store, queue, limiter }: Ground): Samples => ({
  queue: queue.counts,
  openIntents: store.estates.openIntents,
  lanes: limiter.lanes,
});

interface Front {
  readonly ground: Ground;
  readonly shown: Omit<WorkerState, 'reaches'>;
  readonly clock: Clock;
}

/** Nothing is opened, and nobody asked, where no port is named. */
async function openHealth(
  port: number | undefined,
  { ground: { store, queue }, shown, clock }: Front,
): Promise<Opened> {
  if (port === undefined) return { close: async () => {} };
  const reaches = [
    watchReach({ name: 'database', ping: () => store.estates.list(), clock }),
    watchReach({ name: 'queue', ping: () => queue.counts(), clock }),
  ];
  const unwatch = (): void => {
    for (const reach of reaches) reach.stop();
  };
  try {
    const health = await startHealth({ port, state: { ...shown, reaches } });
    return { url: health.url, close: () => health.close().finally(unwatch) };
  } catch (error) {
    unwatch();
    throw error;
  }
}

const urlsOf = (health: Opened, hooks: Opened): Omit<RunningFleet, 'stop'> => ({
  ...(health.url === undefined ? {} : { healthUrl: health.url }),
  ...(hooks.url === undefined ? {} : { httpUrl: hooks.url }),
});

const todayBy =
  (clock: Clock): (() => string) =>
  () =>
    new Date(clock.now()).toISOString().slice(0, 10);

const workOf = ({ follow, folder, pace }: FleetSettings, { clock, env }: Surroundings): WorkSettings => ({
  sources: sourcesOf(follow, { folder, env, today: todayBy(clock) }),
  passEveryMs: pace.everyMs,
  atOnce: pace.atOnce,
});

function yardOf(
  { allowEndpoint }: FleetSettings,
  { clock, secrets }: Surroundings,
  { ground: { store, queue, limiter }, telemetry }: { readonly ground: Ground; readonly telemetry: Yard['telemetry'] },
): Yard {
  const today = todayBy(clock);
  return {
    store,
    queue,
    limiter: watchedLimiter(limiter, telemetry.budgets),
    outside: {
      cloud: loadProvider,
      specs: (kept, revision) => parseKept(kept, revision, today()),
      secrets,
      allowEndpoint,
      // why: in containers every host has the same name and every process is the first
      holder: `worker@${hostname()} (process ${process.pid}, ${randomUUID().slice(0, 8)})`,
    },
    clock,
    telemetry,
  };
}
