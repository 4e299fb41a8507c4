import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeCloud } from '../../providers/memory/cloud.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { draw } from './draw.ts';
import type { Fate } from './fate.ts';
import { load } from './load.ts';
import { type Orders, runProcess, type Stage } from './process.ts';

const estate = (replicas: number) => [
  { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce' } },
  { kind: 'Target', metadata: { name: 'here' }, spec: { provider: 'memory', account: 'acme', region: 'north' } },
  {
    kind: 'Network',
    metadata: { name: 'core' },
    spec: { targets: ['here'], cidr: '10.0.0.0/16', internet: true, subnets: [{ name: 'app', cidr: '10.0.1.0/24' }] },
  },
  {
    kind: 'Instance',
    metadata: { name: 'web' },
    spec: { targets: ['here'], network: 'core', subnet: 'app', image: 'img-1', size: 'small', replicas },
  },
];
const textOf = (replicas: number): string =>
  estate(replicas)
    .map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one }))
    .join('\n---\n');

type Late = Extract<Fate, { kind: 'lingers' }>['before'];

/**
 * What stands when a process was stopped right before this request, woke up after a rival had made it anew, and sent it still.
 * The rival wants so many machines, the first process two.
 */
async function standing(before: Late, replicas = 2): Promise<Readonly<Record<string, number>>> {
  const clock = virtualClock();
  const cloud = makeCloud({ clock });
  const database = memoryDatabase(clock);
  const limiter = inProcessLimiter({ clock });
  const stage: Stage = { clock, cloud, database, plans: [], offices: [], limiter, draw: draw(1), asks: false };
  const accept = async (wanted: number): Promise<Pick<Orders, 'generation' | 'scope'>> => {
    const compiled = load(textOf(wanted));
    const [scope] = compiled?.scopes ?? [];
    assert.ok(compiled && scope);
    const { number } = await database.connect().generations.accept('acme', `r${wanted}`, compiled.guards);
    return { generation: number, scope };
  };
  const first = await accept(2);
  const newest = await accept(replicas);
  const run = (name: string, more: Partial<Orders> = {}) =>
    runProcess(stage, { name, ...newest, fate: { kind: 'lives' }, patienceMs: 600_000, ...more });
  await clock.run(async () => {
    const lingers = { kind: 'lingers', before, ms: 900_000 } as const;
    await Promise.all([run('first', { ...first, fate: lingers }), clock.sleep(1).then(() => run('rival'))]);
    await clock.sleep(600_000);
    for (const name of ['next', 'last']) assert.equal((await run(name)).converged?.outcome, 'done');
  });
  const sent = cloud.history.calls.filter(({ action }) => action === before);
  assert.deepEqual([...new Set(sent.map(({ caller }) => caller))].sort(), ['first', 'rival']);
  const live = cloud.inspect.live().filter(({ mark }) => mark);
  const byType = Map.groupBy(live, ({ type, part }) => part ?? type);
  return Object.fromEntries([...byType].map(([type, objects]) => [type, objects.length]));
}

describe('a process that was stopped between its lease check and its call', () => {
  for (const before of ['CreateNetwork', 'CreateGateway', 'RunInstances'] as const) {
    it(`${before}: what it sends after a rival made it anew does not stay beside it`, async () => {
      const { network, gateway, instance } = await standing(before);
      assert.deepEqual({ network, gateway, instance }, { network: 1, gateway: 1, instance: 2 });
    });
  }
  for (const replicas of [1, 3])
    it(`RunInstances: nor where the rival wanted ${replicas} of the two`, async () => {
      const { instance } = await standing('RunInstances', replicas);
      assert.equal(instance, replicas);
    });
});
