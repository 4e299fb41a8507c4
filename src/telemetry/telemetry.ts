import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Failure } from '../core/failure.ts';
import type { Progress } from '../engine/control.ts';
import type { Fields, Log } from '../ports/clock-and-log.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Where } from '../ports/queue.ts';
import {
  type RateLimitLevel,
  type RateLimitWatch,
  type ReconcileWatch,
  type Samples,
  shownOutcome,
  type Telemetry,
} from '../ports/telemetry.ts';

/** The reports to telemetry, and the figures shown from them. */
interface TelemetryAndMetrics {
  readonly telemetry: Telemetry<Progress>;
  /** The text that Prometheus collects, and its content type. Asks the samples. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
}

interface TelemetryOptions {
  readonly log: Log;
  /** Absent: there is nothing to ask. */
  readonly samples?: Samples;
  readonly monotonic?: () => number;
}

/** One for a process: metrics are of all that it did. */
export function createTelemetry({
  log,
  samples,
  monotonic = () => performance.now(),
}: TelemetryOptions): TelemetryAndMetrics {
  const measured = instruments();
  const { registry, leasesHeld, leasesLost, waits, throttles } = measured;
  if (samples) sampled({ registry, samples, log, withinMs: 2000 });
  return {
    telemetry: {
      log,
      rateLimits: {
        waited: (key, ms) => waits.observe(rateLimitLabels(key), ms / 1000),
        throttled: (key) => throttles.inc(rateLimitLabels(key)),
      },
      reconcile: (about) => watchReconcile(about, { log, instruments: measured, monotonic }),
      lease: (scope, change) => {
        const cloud = cloudOf(scope);
        leasesHeld.inc({ cloud }, change === 'taken' ? 1 : -1);
        if (change === 'lost') leasesLost.inc({ cloud });
      },
    },
    metrics: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}

interface Watching {
  readonly log: Log;
  readonly instruments: Instruments;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
}

/**
 * Counts and logs the work of a reconcile. Events that a person must see are warnings; events that repeat with every reconcile are for
 * debugging.
 */
function watchReconcile(
  about: Where & { readonly reconcileId: string },
  { log: unbound, instruments, monotonic }: Watching,
): ReconcileWatch<Progress> {
  const { estate, scope, reconcileId } = about;
  const log = unbound.with({ reconcileId, estate, scope });
  const cloud = cloudOf(scope);
  const began = monotonic();
  const seen = { settled: 0, failed: 0, withheld: 0 };

  const count = (event: Progress): void => {
    if (event.at === 'acting')
      instruments.batches.observe({ cloud, kind: event.kind, verb: event.verb }, event.addresses.length);
    if (event.at === 'withheld') seen.withheld += 1;
    if (event.at !== 'settled') return;
    const outcome = event.failure === undefined ? 'settled' : 'failed';
    seen[outcome] += 1;
    instruments.intents.inc({ cloud, outcome });
  };

  return {
    log,
    notify: (event) => {
      count(event);
      logProgress(log, event);
    },
    ended: (stored, why, planned = 0) => {
      const outcome = shownOutcome(stored);
      const durationMs = Math.round(monotonic() - began);
      instruments.reconciles.inc({ cloud, outcome });
      instruments.reconcileSeconds.observe({ cloud }, durationMs / 1000);
      const fields: Fields = {
        outcome,
        ...seen,
        // why: the plan of a later round may withhold an action that execution withheld: their sum would count it twice
        withheld: Math.max(seen.withheld, planned),
        durationMs,
        ...(why === undefined ? {} : { reason: why }),
      };
      if (outcome === 'failed') log.error('reconcile ended', fields);
      else log.info('reconcile ended', fields);
    },
  };
}

function logProgress(log: Log, event: Progress): void {
  switch (event.at) {
    case 'observing':
      if (event.complete) log.debug('listed', { kind: event.kind, count: event.seen });
      break;
    case 'planned':
      log.debug('planned', { round: event.round, count: event.actions, findings: event.findings });
      break;
    case 'acting':
      log.debug('sending', { kind: event.kind, verb: event.verb, ...many(event.addresses) });
      break;
    case 'settled':
      logSettled(log, event);
      break;
    case 'withheld':
      log.debug('withheld', withheld(event.finding));
      break;
    case 'waiting':
      log.debug('waiting', { code: event.why, detail: event.detail, ...forMs(event.forMs ?? event.atMostMs) });
      break;
    case 'waited':
    case 'called':
      break;
  }
}

function logSettled(log: Log, { kind, verb, address, failure }: Progress & { at: 'settled' }): void {
  const fields = { kind, verb, address };
  if (failure === undefined) log.info('settled', fields);
  else log.warn('failed', { ...fields, ...failureFields(failure) });
}

const failureFields = ({ code, requestId, message: reason }: Failure): Fields =>
  requestId === undefined ? { code, reason } : { code, requestId, reason };

const many = ([address = '', ...more]: readonly string[]): Fields => ({ address, count: more.length + 1 });

const forMs = (ms: number | undefined): Fields => (ms === undefined ? {} : { forMs: ms });

const withheld = (finding: (Progress & { at: 'withheld' })['finding']): Fields => ({
  code: 'code' in finding ? finding.code : finding.type,
  ...('address' in finding ? { address: finding.address } : {}),
  reason: finding.why,
});

/** The sources of figures, and the report of a missing answer. `withinMs`: the time limit of an answer. */
interface Sampling {
  readonly registry: Registry;
  readonly samples: Samples;
  readonly log: Log;
  readonly withinMs: number;
}

/**
 * Gauges that ask when they are collected. One whose question fails is absent rather than stale, and counted; the others
 * are told all the same, as nothing is asked for more urgently than the metrics of a worker whose database is away.
 */
function sampled(sampling: Sampling): void {
  const { registry, samples } = sampling;
  const failures = new Counter({
    name: 'setpoint_sample_failures_total',
    help: 'Gauges that are absent because their sample failed',
    labelNames: ['metric'],
    registers: [registry],
  });
  const gauge = sampledGauge(sampling, (metric) => failures.inc({ metric }));
  gauge(
    'setpoint_queue_reconciles',
    'Reconciles in the queue, by state; the same from every worker',
    ['cloud', 'state'],
    async () => (await samples.queue()).map(({ cloud, state, count }) => ({ labels: { cloud, state }, value: count })),
  );
  gauge(
    'setpoint_intents_open',
    'Intents that wait for their settlement; the same from every worker',
    ['cloud'],
    async () => (await samples.openIntents()).map(({ cloud, count }) => ({ labels: { cloud }, value: count })),
  );
  gauge(
    'setpoint_policy_violations',
    'Rules of policies that objects break as they stand; the same from every worker',
    ['cloud', 'policy', 'effect', 'mode', 'criticality'],
    async () => (await samples.violations()).map(({ count, ...labels }) => ({ labels, value: count })),
  );
  gauge(
    'setpoint_resources_out_of_sync',
    'Resources of the inventory with a status other than InSync; the same from every worker',
    ['cloud', 'status', 'criticality'],
    async () => (await samples.outOfSync()).map(({ count, ...labels }) => ({ labels, value: count })),
  );
  gauge(
    'setpoint_fights',
    'Fields that somebody else writes as often as they are healed; the same from every worker',
    ['cloud', 'closes'],
    async () =>
      (await samples.fights()).map(({ cloud, closes, count }) => ({
        labels: { cloud, closes: String(closes) },
        value: count,
      })),
  );
  gauge(
    'setpoint_rate_limit_fill_ratio',
    'Remaining share of a rate limit, 1 when full, below 0 in debt; the emptiest of its kind',
    ['cloud', 'action'],
    async () => emptiest(await samples.rateLimits()),
  );
}

interface Row {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type Ask = () => Promise<readonly Row[]>;

const sampledGauge =
  ({ registry, log, withinMs }: Sampling, failed: (of: string) => void) =>
  (name: string, help: string, labelNames: readonly string[], ask: Ask): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        try {
          const rows = await within(withinMs, ask());
          this.reset();
          for (const { labels, value } of rows) this.set(labels, value);
        } catch (error) {
          this.reset();
          failed(name);
          log.warn('cannot sample a metric', { metric: name, reason: error instanceof Error ? error.message : '' });
        }
      },
    });

async function within<T>(ms: number, asked: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function emptiest(rateLimits: readonly RateLimitLevel[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const { key, level } of rateLimits) {
    const labels = rateLimitLabels(key);
    const kind = `${labels.cloud}/${labels.action}`;
    rows.set(kind, { labels, value: Math.min(level, rows.get(kind)?.value ?? level) });
  }
  return [...rows.values()];
}

type Instruments = ReturnType<typeof instruments>;

/**
 * The metrics: base units, and labels of few values only. No label holds an address, an account or an estate, because a
 * collector keeps a label's values for good.
 */
function instruments() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    reconciles: new Counter({
      name: 'setpoint_reconciles_total',
      help: 'Reconciles that this worker has ended, by outcome',
      labelNames: ['cloud', 'outcome'],
      registers,
    }),
    reconcileSeconds: new Histogram({
      name: 'setpoint_reconcile_duration_seconds',
      help: 'Duration of reconciles',
      labelNames: ['cloud'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300],
      registers,
    }),
    batches: new Histogram({
      name: 'setpoint_batch_actions',
      help: 'Actions sent in one call',
      labelNames: ['cloud', 'kind', 'verb'],
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
      registers,
    }),
    intents: new Counter({
      name: 'setpoint_intents_total',
      help: 'Intents that this worker has ended: settled, or failed',
      labelNames: ['cloud', 'outcome'],
      registers,
    }),
    leasesHeld: new Gauge({
      name: 'setpoint_leases_held',
      help: 'Leases of scopes that this worker holds now',
      labelNames: ['cloud'],
      registers,
    }),
    leasesLost: new Counter({
      name: 'setpoint_leases_lost_total',
      help: 'Leases that this worker lost before it gave them back',
      labelNames: ['cloud'],
      registers,
    }),
    waits: new Histogram({
      name: 'setpoint_rate_limit_wait_seconds',
      help: 'Time that requests to a cloud waited for their rate limits; one that needs two waits in both',
      labelNames: ['cloud', 'action'],
      buckets: [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
      registers,
    }),
    throttles: new Counter({
      name: 'setpoint_throttles_total',
      help: 'Requests that a cloud throttled',
      labelNames: ['cloud', 'action'],
      registers,
    }),
  };
}

/**
 * The labels of a rate limit.  `aws/111122223333/eu-west-1/RunInstances` is an account's, and there
 * may be any number of these. Every cloud's key begins with the cloud and ends with what it counts.
 */
const rateLimitLabels = (key: string): { readonly cloud: string; readonly action: string } => ({
  cloud: cloudOf(key),
  action: key.slice(key.lastIndexOf('/') + 1),
});

/** The cloud is the first segment of scopes, addresses and rate limits. */
const cloudOf = (key: string): string => key.split('/', 1).join('');

/** The same limiter; how long each request waits, and each refusal, is told. */
export const watchedLimiter = (
  limiter: Limiter,
  budgets: RateLimitWatch,
  monotonic: () => number = () => performance.now(),
): Limiter => ({
  take: async (need, signal) => {
    const began = monotonic();
    const at = await limiter.take(need, signal);
    for (const { rateLimit } of need.costs) budgets.waited(rateLimit.key, monotonic() - began);
    return at;
  },
  slow: (rateLimitKey, refusal) => {
    budgets.throttled(rateLimitKey);
    limiter.slow(rateLimitKey, refusal);
  },
  learn: (rateLimitKey, remaining) => limiter.learn(rateLimitKey, remaining),
});
