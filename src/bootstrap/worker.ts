import type { FleetSettings, ListenAddress, RunningFleet } from '../cli/context.ts';
import { dayOf } from '../core/render/wording.ts';
import { startWorker, type FleetSettings as WorkSettings } from '../fleet/worker.ts';
import type { WorkerContext } from '../fleet/worker-context.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { Samples } from '../ports/telemetry.ts';
import { startHealth, type WorkerState } from '../telemetry/health.ts';
import { createLog, logSettings } from '../telemetry/log.ts';
import { createTelemetry, watchedLimiter } from '../telemetry/telemetry.ts';
import { callerLimitOf } from './environment.ts';
import { openHealthChecks } from './health-checks.ts';
import type { ApiServer, ApiServerSettings } from './http-server.ts';
import {
  externalAccess,
  openWorkerResources,
  type ProcessBasics,
  type Runtime,
  type WorkerResources,
} from './process-context.ts';
import { sourcesOf } from './sources.ts';

/** Wires one worker: its database, its queue, its budgets and what it tells of itself. Where one of them fails none is left open. */
export async function startFleet(settings: FleetSettings, runtime: Runtime): Promise<RunningFleet> {
  const { env, out } = runtime;
  const log = createLog(out, logSettings(env));
  const callerLimit = callerLimitOf(env);
  await using stack = new AsyncDisposableStack();
  const ground = await openWorkerResources(settings, { ...runtime, log });
  stack.defer(ground.close);
  const samples = samplesOf(ground);
  const telemetry = createTelemetry({ log, samples });
  const stopping = new AbortController();
  const shown = { ...telemetry, rateLimits: samples.rateLimits, stopping: stopping.signal };
  const health = await openHealth(settings.ports.health, { ground, shown, clock: runtime.clock });
  stack.defer(health.close);
  const context = contextOf(settings, runtime, { ground, telemetry: telemetry.telemetry });
  const worker = await startWorker(workOf(settings, runtime), context);
  stack.defer(worker.stop);
  const isAlone = settings.as === 'alone' && !env['DATABASE_URL'];
  const server = await apiServerOf(
    settings.ports.http,
    { ...context, log, rateLimits: samples.rateLimits },
    { isAlone, callerLimit },
  );
  stack.defer(server.close);
  log.info('worker started', {
    ...(health.url === undefined ? {} : { url: health.url }),
  });
  const owned = stack.move();
  return {
    ...addressesOf(health, server),
    stop: async () => {
      stopping.abort();
      log.info('worker stopping: finishing or handing over its reconciles');
      await owned.disposeAsync();
      log.info('worker stopped');
    },
  };
}

const samplesOf = ({ store, queue, limiter }: WorkerResources): Samples => ({
  queue: queue.counts,
  openIntents: store.estates.openIntents,
  violations: () => store.estates.violations(),
  outOfSync: store.estates.outOfSync,
  fights: store.fleet.fights.counts,
  rateLimits: limiter.rateLimits,
});

interface Shown {
  readonly ground: WorkerResources;
  readonly shown: Omit<WorkerState, 'reaches'>;
  readonly clock: Clock;
}

/** Nothing is opened, and nobody asked, where no port is named. */
async function openHealth(
  port: number | undefined,
  { ground: { store, queue }, shown, clock }: Shown,
): Promise<Pick<ApiServer, 'url' | 'close'>> {
  if (port === undefined) return { close: async () => {} };
  await using stack = new AsyncDisposableStack();
  const reaches = openHealthChecks({ store, queue, clock }, 'worker');
  stack.defer(reaches.stop);
  const health = await startHealth({ port, state: { ...shown, reaches: reaches.all } });
  stack.defer(health.close);
  const owned = stack.move();
  return { url: health.url, close: () => owned.disposeAsync() };
}

type Served = WorkerContext & Pick<ProcessBasics, 'log'> & Pick<Samples, 'rateLimits'>;

/** The libraries of a server are loaded where one is opened. */
async function apiServerOf(
  listen: ListenAddress | undefined,
  context: Served,
  around: Pick<ApiServerSettings, 'isAlone' | 'callerLimit'>,
): Promise<ApiServer> {
  if (listen === undefined) return { close: async () => {} };
  const { openApiServer, webhooksOf } = await import('./http-server.ts');
  return openApiServer(listen, { ground: context, webhooks: webhooksOf(context), ...around });
}

const addressesOf = (health: Pick<ApiServer, 'url'>, { url, firstToken }: ApiServer): Omit<RunningFleet, 'stop'> => ({
  ...(health.url === undefined ? {} : { healthUrl: health.url }),
  ...(url === undefined ? {} : { httpUrl: url }),
  ...(firstToken === undefined ? {} : { firstToken }),
});

const workOf = ({ specs, folder, reconcile }: FleetSettings, { clock, env }: Runtime): WorkSettings => ({
  sources: sourcesOf(specs, { folder, env, today: () => dayOf(clock.now()) }),
  reconcileEveryMs: reconcile.intervalMs,
  atOnce: reconcile.concurrency,
});

function contextOf(
  { allowEndpoint }: FleetSettings,
  { clock, secrets }: Runtime,
  {
    ground: { store, queue, limiter },
    telemetry,
  }: { readonly ground: WorkerResources; readonly telemetry: WorkerContext['telemetry'] },
): WorkerContext {
  return {
    store,
    queue,
    limiter: watchedLimiter(limiter, telemetry.rateLimits),
    outside: externalAccess('worker', allowEndpoint, { clock, secrets }),
    clock,
    telemetry,
  };
}
