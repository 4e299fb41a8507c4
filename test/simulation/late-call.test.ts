import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeCloud } from '../../providers/memory/cloud.ts';
import { neverHappened } from '../../src/core/knowledge.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';
import { draw } from './draw.ts';
import type { Fate } from './fate.ts';
import { load } from './load.ts';
import { noGrace, type Orders, runProcess, type Stage } from './process.ts';

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
 * The existing resources after a late call. A process stopped right before this request, and sent it after a rival had created
 * the resource again. The rival wants so many machines, the first process two. A rival that gives up finds nothing of the first
 * intent, and creates nothing, as if nobody approved it.
 */
async function standing(
  before: Late,
  replicas = 2,
  rival: 'remakes' | 'gives up' = 'remakes',
): Promise<Readonly<Record<string, number>>> {
  const clock = virtualClock();
  const cloud = makeCloud({ clock });
  const database = memoryDatabase(clock);
  const limiter = inProcessLimiter({ clock });
  const stage: Stage = {
    clock,
    cloud,
    database,
    plans: [],
    costs: [],
    offices: [],
    limiter,
    draw: draw(1),
    asks: false,
    grace: noGrace,
  };
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
    const meanwhile: () => Promise<unknown> =
      rival === 'remakes' ? () => run('rival') : () => givesUp({ clock, database, scope: newest.scope.scope });
    await Promise.all([run('first', { ...first, fate: lingers }), clock.sleep(1).then(meanwhile)]);
    await clock.sleep(600_000);
    for (const name of ['next', 'last']) assert.equal((await run(name)).converged?.outcome, 'done');
  });
  const sent = cloud.history.calls.filter(({ action }) => action === before);
  const senders = rival === 'remakes' ? ['first', 'rival'] : ['first'];
  assert.deepEqual([...new Set(sent.map(({ caller }) => caller))].sort(), senders);
  const live = cloud.inspect.live().filter(({ mark }) => mark);
  const byType = Map.groupBy(live, ({ type, part }) => part ?? type);
  return Object.fromEntries([...byType].map(([type, objects]) => [type, objects.length]));
}

interface Scene {
  readonly clock: VirtualClock;
  readonly database: ReturnType<typeof memoryDatabase>;
  readonly scope: string;
}

/** Closes the creations that it finds open as never happened, as a reconcile does that looked for them in vain. */
async function givesUp({ clock, database, scope }: Scene): Promise<void> {
  const store = database.connect();
  await clock.sleep(600_000);
  const acquired = await store.leases.acquire('acme', scope, 'rival');
  assert.ok(acquired.ok);
  const { holder, epoch } = acquired.lease;
  const authority = { revision: 'r2', generation: 2, plan: '', approver: 'test' };
  const reconcile = { estate: 'acme', scope, reconcileId: 'rival', authority, lease: { holder, epoch } };
  const { pending } = await store.inventory.knowledge('acme', scope);
  const failure = { kind: 'terminal', code: neverHappened, message: 'looked for in vain' } as const;
  const settlements = pending.map(({ intent }) => ({
    ...{ intent, outcome: { ok: false, failure } as const, closes: true, effects: [], calls: [] },
  }));
  assert.ok(settlements.length > 0);
  await store.ledger.settle(reconcile, settlements);
  await acquired.lease.release();
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
  for (const before of ['CreateSubnet', 'CreateGroup'] as const)
    it(`${before}: what it sends after a rival gave it up is known for ours`, async () => {
      const { subnet, group, instance } = await standing(before, 2, 'gives up');
      assert.deepEqual({ subnet, group, instance }, { subnet: 1, group: 1, instance: 2 });
    });
});
