import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Progress } from '../../src/engine/control.ts';
import type { Samples } from '../../src/ports/telemetry.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';

const scope = 'aws/111122223333/eu-west-1';
const at = (name: string): string => `${scope}/instance/${name}`;
const about = { estate: 'acme', scope, reconcileId: 'r-1' };

const nothing: Samples = {
  queue: async () => [],
  openIntents: async () => [],
  violations: async () => [],
  outOfSync: async () => [],
  fights: async () => [],
  rateLimits: async () => [],
};

/** Telemetry on a clock of its own, with its log and its metrics. */
function watched(samples: Partial<Samples> = {}) {
  const lines: string[] = [];
  const time = { now: 0 };
  const { telemetry, metrics } = createTelemetry({
    log: createLog({ write: (text) => lines.push(text) }, { form: 'json', level: 'debug' }),
    samples: { ...nothing, ...samples },
    monotonic: () => time.now,
  });
  const said = () => lines.map((line) => JSON.parse(line));
  const shown = async () => (await metrics()).text.split('\n');
  /** The value of a series, written as Prometheus does. */
  const value = async (series: string) =>
    (await shown()).find((line) => line.startsWith(`${series} `))?.slice(series.length + 1);
  return { telemetry, metrics, said, shown, value, time };
}

const failure = { kind: 'terminal', code: 'InvalidAMIID', message: 'no such image', requestId: 'req-9' } as const;

describe('a reconcile that is watched', () => {
  const events: readonly Progress[] = [
    { at: 'observing', kind: 'instance', seen: 4, complete: false },
    { at: 'observing', kind: 'instance', seen: 7, complete: true },
    { at: 'planned', round: 1, actions: 3, findings: 1 },
    { at: 'acting', kind: 'instance', verb: 'create', addresses: [at('web-0'), at('web-1'), at('web-2')] },
    { at: 'settled', kind: 'instance', verb: 'create', address: at('web-0') },
    { at: 'settled', kind: 'instance', verb: 'create', address: at('web-1') },
    { at: 'settled', kind: 'instance', verb: 'create', address: at('web-2'), failure },
    { at: 'waiting', why: 'budget', detail: 'RunInstances' },
    {
      at: 'withheld',
      finding: {
        type: 'withheld',
        scope,
        address: at('db'),
        kind: 'instance',
        action: 'delete',
        code: 'protect',
        why: 'db is protected',
      },
    },
  ];
  const { telemetry, said, value, time } = watched();
  const reconcile = telemetry.reconcile(about);
  for (const event of events) reconcile.notify(event);
  time.now += 1500;
  reconcile.ended('done');

  const counted: readonly (readonly [string, string])[] = [
    ['setpoint_reconciles_total{cloud="aws",outcome="done"}', '1'],
    ['setpoint_reconcile_duration_seconds_sum{cloud="aws"}', '1.5'],
    ['setpoint_reconcile_duration_seconds_count{cloud="aws"}', '1'],
    ['setpoint_batch_actions_bucket{le="2",cloud="aws",kind="instance",verb="create"}', '0'],
    ['setpoint_batch_actions_bucket{le="5",cloud="aws",kind="instance",verb="create"}', '1'],
    ['setpoint_intents_total{cloud="aws",outcome="settled"}', '2'],
    ['setpoint_intents_total{cloud="aws",outcome="failed"}', '1'],
  ];
  for (const [series, want] of counted) it(series, async () => assert.equal(await value(series), want));

  it('says of every line which pass it is of', () => {
    for (const { reconcileId, estate, scope: where } of said())
      assert.deepEqual({ reconcileId, estate, scope: where }, about);
  });

  it('warns of what failed, with what the cloud said', () => {
    const [{ message, address, code, requestId, reason }] = said().filter(({ level }) => level === 'warn');
    assert.deepEqual(
      { message, address, code, requestId, reason },
      { message: 'failed', address: at('web-2'), code: 'InvalidAMIID', requestId: 'req-9', reason: 'no such image' },
    );
  });

  it('ends with what it did', () => {
    const { message, outcome, settled, failed, withheld, durationMs } = said().at(-1);
    assert.deepEqual(
      { message, outcome, settled, failed, withheld, durationMs },
      { message: 'reconcile ended', outcome: 'done', settled: 2, failed: 1, withheld: 1, durationMs: 1500 },
    );
  });

  it('is partial in its metric and in the log, where something failed or waits for a person', async () => {
    const other = watched();
    const held = other.telemetry.reconcile(about);
    for (const event of events.filter(({ at: step }) => step === 'withheld')) held.notify(event);
    held.ended('partly', 'withheld: limit 30', 30);
    assert.equal(await other.value('setpoint_reconciles_total{cloud="aws",outcome="partial"}'), '1');
    const { level, outcome, withheld } = other.said().at(-1);
    assert.deepEqual({ level, outcome, withheld }, { level: 'info', outcome: 'partial', withheld: 30 });
  });

  it('is an error in the log where it threw, with the reason', () => {
    const other = watched();
    other.telemetry.reconcile(about).ended('failed', 'no generation 7');
    const [{ level, outcome, reason }] = other.said();
    assert.deepEqual({ level, outcome, reason }, { level: 'error', outcome: 'failed', reason: 'no generation 7' });
  });
});

describe('leases', () => {
  it('are held from their taking to their end, and lost ones counted', async () => {
    const { telemetry, value } = watched();
    for (const change of ['taken', 'taken', 'taken', 'released', 'lost'] as const) telemetry.lease(scope, change);
    assert.equal(await value('setpoint_leases_held{cloud="aws"}'), '1');
    assert.equal(await value('setpoint_leases_lost_total{cloud="aws"}'), '1');
  });
});

describe('budgets', () => {
  it('are counted by cloud and action, never by account', async () => {
    const { telemetry, value, shown } = watched();
    telemetry.rateLimits.waited(`${scope}/RunInstances`, 250);
    telemetry.rateLimits.waited('aws/444455556666/us-east-1/RunInstances', 750);
    telemetry.rateLimits.throttled('azure/11112222-3333-4444-8555-666677778888/westeurope/vm-put');
    assert.equal(await value('setpoint_rate_limit_wait_seconds_sum{cloud="aws",action="RunInstances"}'), '1');
    assert.equal(await value('setpoint_throttles_total{cloud="azure",action="vm-put"}'), '1');
    assert.doesNotMatch((await shown()).join('\n'), /111122223333|444455556666|11112222/);
  });

  it('show the emptiest rate limit of a kind', async () => {
    const { value } = watched({
      rateLimits: async () => [
        { key: 'aws/1/eu-west-1/RunInstances', level: 0.9 },
        { key: 'aws/2/eu-west-1/RunInstances', level: -0.5 },
        { key: 'gcp/acme/global_writes', level: 1 },
      ],
    });
    assert.equal(await value('setpoint_rate_limit_fill_ratio{cloud="aws",action="RunInstances"}'), '-0.5');
    assert.equal(await value('setpoint_rate_limit_fill_ratio{cloud="gcp",action="global_writes"}'), '1');
  });
});

describe('figures that are read on demand', () => {
  it('is shown as it is then, and no longer', async () => {
    let counts = [{ cloud: 'aws', state: 'waiting' as const, count: 4 }];
    const { value } = watched({ queue: async () => counts, openIntents: async () => [{ cloud: 'gcp', count: 2 }] });
    assert.equal(await value('setpoint_queue_reconciles{cloud="aws",state="waiting"}'), '4');
    assert.equal(await value('setpoint_intents_open{cloud="gcp"}'), '2');
    counts = [];
    assert.equal(await value('setpoint_queue_reconciles{cloud="aws",state="waiting"}'), undefined);
  });

  it('are the fights over fields', async () => {
    const { value } = watched({ fights: async () => [{ cloud: 'aws', closes: true, count: 2 }] });
    assert.equal(await value('setpoint_fights{cloud="aws",closes="true"}'), '2');
  });

  it('are the violations of policies', async () => {
    const violation = {
      cloud: 'aws',
      policy: 'open',
      effect: 'deny',
      mode: 'enforce',
      criticality: 'high',
      count: 3,
    } as const;
    const { value } = watched({ violations: async () => [violation] });
    assert.equal(
      await value(
        'setpoint_policy_violations{cloud="aws",policy="open",effect="deny",mode="enforce",criticality="high"}',
      ),
      '3',
    );
  });

  it('are the resources that are not in sync', async () => {
    const drifted = { cloud: 'aws', status: 'Drifted', criticality: 'critical', count: 2 } as const;
    const { value } = watched({ outOfSync: async () => [drifted] });
    assert.equal(
      await value('setpoint_resources_out_of_sync{cloud="aws",status="Drifted",criticality="critical"}'),
      '2',
    );
  });

  it('is absent where it cannot be had; that is counted and said, and the rest is shown', async () => {
    let away = false;
    const queue = async () => {
      if (away) throw new Error('connect ECONNREFUSED 127.0.0.1:6379');
      return [{ cloud: 'aws', state: 'running' as const, count: 1 }];
    };
    const { value, said } = watched({ queue, openIntents: async () => [{ cloud: 'aws', count: 5 }] });
    assert.equal(await value('setpoint_queue_reconciles{cloud="aws",state="running"}'), '1');
    away = true;
    assert.equal(await value('setpoint_queue_reconciles{cloud="aws",state="running"}'), undefined);
    assert.equal(await value('setpoint_intents_open{cloud="aws"}'), '5');
    assert.ok(Number(await value('setpoint_sample_failures_total{metric="setpoint_queue_reconciles"}')) >= 1);
    const { level, metric, reason } = said().at(-1);
    assert.deepEqual(
      { level, metric, reason },
      { level: 'warn', metric: 'setpoint_queue_reconciles', reason: 'connect ECONNREFUSED 127.0.0.1:6379' },
    );
  });

  it('is waited for two seconds and no more', { timeout: 60_000 }, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { metrics } = watched({ openIntents: () => new Promise(() => {}) });
    const shown = metrics();
    t.mock.timers.tick(1999);
    const early = await Promise.race([shown, new Promise((resolve) => setImmediate(resolve, 'still waiting'))]);
    assert.equal(early, 'still waiting');
    t.mock.timers.tick(1);
    assert.doesNotMatch((await shown).text, /setpoint_intents_open\{/);
  });
});

describe('the metrics as a whole', () => {
  it('have the process’s own beside ours, in the form Prometheus reads', async () => {
    const { metrics, shown } = watched();
    assert.match((await metrics()).type, /^text\/plain; version=0\.0\.4/);
    const names = (await shown()).filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2] ?? '');
    assert.ok(names.includes('process_cpu_seconds_total'));
    assert.ok(names.includes('nodejs_eventloop_lag_seconds'));
    const ours = names.filter((name) => name.startsWith('setpoint_'));
    assert.deepEqual(ours, [
      'setpoint_reconciles_total',
      'setpoint_reconcile_duration_seconds',
      'setpoint_batch_actions',
      'setpoint_intents_total',
      'setpoint_leases_held',
      'setpoint_leases_lost_total',
      'setpoint_rate_limit_wait_seconds',
      'setpoint_throttles_total',
      'setpoint_sample_failures_total',
      'setpoint_queue_reconciles',
      'setpoint_intents_open',
      'setpoint_policy_violations',
      'setpoint_resources_out_of_sync',
      'setpoint_fights',
      'setpoint_rate_limit_fill_ratio',
    ]);
  });
});
