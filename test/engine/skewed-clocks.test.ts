import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeCloud } from '../../providers/memory/cloud.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import { memoryProvider } from '../../providers/memory/index.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { converge } from '../../src/engine/converge.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import { compiled } from '../support/engine-world/compiled.ts';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/**
 * The law: windows are by the store's clock. One worker makes a network and two machines and stops, or its first creation is never
 * answered; then listings lag, and a worker whose clock is wrong by `skewMs` takes over. Nothing is made twice.
 */
const documents = [
  { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce' } },
  { kind: 'Target', metadata: { name: 'here' }, spec: { provider: 'memory', account: 'acme', region: 'north' } },
  network({ internet: false }),
  machineIn({ image: 'img-1', size: 'small' })('web', { replicas: 2 }),
];

function world() {
  const clock = virtualClock();
  const cloud = makeCloud({ clock });
  const store = memoryDatabase(clock).connect();
  const { scope, guards } = compiled(documents, dialect);
  /** A worker with a clock that is ahead by so much. */
  const work = async (holder: string, aheadMs: number, reconciles?: number) => {
    const ahead: Clock = { now: () => clock.now() + aheadMs, sleep: clock.sleep };
    const { number } = await store.generations.accept('acme', 'r1', guards);
    const acquired = await store.leases.acquire('acme', scope.scope, holder);
    assert.ok(acquired.ok);
    const provider = memoryProvider(cloud);
    const session = await provider.open({ scope: scope.scope, account: 'acme', region: 'north' }, ahead);
    const authority = { revision: 'r1', generation: number, plan: '', approver: 'test' };
    const { epoch } = acquired.lease;
    const reconcile = { estate: 'acme', scope: scope.scope, reconcileId: holder, authority, lease: { holder, epoch } };
    const { batches, dialect: own } = provider;
    const ended = await clock.run(() =>
      converge(
        {
          site: { session, account: 'acme', batches, holds: own.holds, secret: async () => ({}) },
          authorization: { lease: acquired.lease, reconcile },
          plan: (observation, knowledge) => plan({ wanted: scope.wanted, observation, knowledge, dialect }),
          ...(reconciles === undefined ? {} : { rounds: reconciles }),
        },
        { ...store, limiter: inProcessLimiter({ clock: ahead }), clock: ahead, random: () => 0.5 },
        { signal: new AbortController().signal },
      ),
    );
    await acquired.lease.release();
    return ended;
  };
  return { clock, cloud, work };
}

const count = ({ cloud }: ReturnType<typeof world>, type: string): number =>
  cloud.inspect.live().filter((one) => one.type === type && one.part === undefined).length;

describe('workers whose clocks differ', () => {
  for (const seconds of [-320, -200, 0, 120, 200, 320])
    for (const first of ['was answered', 'was lost'])
      it(`by ${seconds} s, where the first creation ${first}: nothing is made twice`, async () => {
        const here = world();
        if (first === 'was lost') here.cloud.faults.add({ on: 'CreateNetwork', fault: { do: 'lost-after' } });
        await here.work('a', 0, 1);
        here.cloud.faults.clear();
        here.cloud.faults.add({ on: 'reads', fault: { do: 'lag', ms: 120_000 } });
        await here.work('b', seconds * 1000);
        here.cloud.faults.clear();
        const { outcome, last } = await here.work('c', -seconds * 1000);
        assert.equal(outcome, 'done');
        assert.deepEqual([count(here, 'network'), count(here, 'instance')], [1, 2]);
        assert.ok(!last?.plan.findings.some(({ type }) => type === 'copied-mark'));
      });
});
