import { Counter, Gauge, type Registry } from 'prom-client';
import type { Log } from '../ports/log.ts';
import type { LaneLevel, Samples } from '../ports/telemetry.ts';
import { laneLabels } from './lane-labels.ts';

/** What there is to ask, and whom to tell that an answer did not come. `withinMs`: how long an answer may take. */
export interface Sampling {
  readonly registry: Registry;
  readonly samples: Samples;
  readonly log: Log;
  readonly withinMs: number;
}

/**
 * Gauges that ask when they are collected. One whose question fails is absent rather than stale, and counted; the others
 * are told all the same, as nothing is asked for more urgently than the metrics of a worker whose database is away.
 */
export function sampled(sampling: Sampling): void {
  const { registry, samples } = sampling;
  const failures = new Counter({
    name: 'setpoint_sample_failures_total',
    help: 'Gauges that are absent because what they show could not be asked for',
    labelNames: ['of'],
    registers: [registry],
  });
  const gauge = sampledGauge(sampling, (of) => failures.inc({ of }));
  gauge(
    'setpoint_queue_passes',
    'Passes in the queue, by state; the same from every worker',
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
    'setpoint_budget_fill_ratio',
    'What is left of a rate budget, 1 when full, below 0 in debt; of the emptiest lane of its kind',
    ['cloud', 'action'],
    async () => emptiest(await samples.lanes()),
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
          log.warn('a metric could not be sampled', { of: name, why: error instanceof Error ? error.message : '' });
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

function emptiest(lanes: readonly LaneLevel[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const { key, level } of lanes) {
    const labels = laneLabels(key);
    const kind = `${labels.cloud}/${labels.action}`;
    rows.set(kind, { labels, value: Math.min(level, rows.get(kind)?.value ?? level) });
  }
  return [...rows.values()];
}
