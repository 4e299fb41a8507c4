import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Instruments = ReturnType<typeof instruments>;

/**
 * What is measured: base units, and labels of few values only. No address, no account, no estate: a label's values are
 * kept for good by whoever collects them.
 */
export function instruments() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    passes: new Counter({
      name: 'setpoint_passes_total',
      help: 'Passes that this worker has ended, by how they ended',
      labelNames: ['cloud', 'outcome'],
      registers,
    }),
    passSeconds: new Histogram({
      name: 'setpoint_pass_duration_seconds',
      help: 'How long passes took',
      labelNames: ['cloud'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300],
      registers,
    }),
    batches: new Histogram({
      name: 'setpoint_batch_actions',
      help: 'How many actions were sent together',
      labelNames: ['cloud', 'kind', 'verb'],
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
      registers,
    }),
    intents: new Counter({
      name: 'setpoint_intents_total',
      help: 'Intents that this worker has brought to an end: settled, or failed',
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
      name: 'setpoint_budget_wait_seconds',
      help: 'How long requests to a cloud waited for their rate budgets; one that needs two waits in both',
      labelNames: ['cloud', 'action'],
      buckets: [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
      registers,
    }),
    throttles: new Counter({
      name: 'setpoint_throttles_total',
      help: 'Requests that a cloud refused as too many',
      labelNames: ['cloud', 'action'],
      registers,
    }),
  };
}
