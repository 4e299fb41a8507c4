import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generationsOf } from '../../src/fleet/generations.ts';
import { runScheduler } from '../../src/fleet/scheduler.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import type { Rows } from '../../src/ports/inventory-rows.ts';
import type { Periodic, Urgency, Where } from '../../src/ports/queue.ts';
import { rowOf } from '../store/fixtures.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, idleQueue, where } from '../support/fleet-world.ts';

interface Watched {
  readonly world: FleetWorld;
  readonly requested: (readonly [Where, Urgency])[];
  readonly scheduled: (readonly Periodic[])[];
  /** A scheduler of a worker of its own. */
  start(holder: string, differing?: Partial<WorkerContext['outside']>): { end(): Promise<void> };
}

function watched(): Watched {
  const world = fleetWorld();
  const requested: (readonly [Where, Urgency])[] = [];
  const scheduled: (readonly Periodic[])[] = [];
  const queue = {
    ...idleQueue(),
    request: async (to: Where, urgency: Urgency) => void requested.push([to, urgency]),
    schedule: async (reconciles: readonly Periodic[]) => void scheduled.push(reconciles),
  };
  return {
    world,
    requested,
    scheduled,
    start: (holder, differing = {}) => {
      const context = { ...world.context, queue, outside: { ...world.context.outside, ...differing, holder } };
      const stop = new AbortController();
      const ended = runScheduler(
        { reconcileEveryMs: 60_000, generations: generationsOf(context) },
        context,
        stop.signal,
      );
      return {
        end: () => {
          stop.abort();
          return ended;
        },
      };
    },
  };
}

describe('the scheduler', () => {
  it('puts a reconcile of every scope into the queue, and again every ten seconds: a queue may forget', async () => {
    const { world, scheduled, start } = watched();
    await world.accept([network()]);
    const duty = start('worker-1');
    await world.clock.advance(21_000);
    assert.deepEqual(scheduled, Array(3).fill([{ ...where, everyMs: 60_000 }]));
    await duty.end();
  });

  it('puts each scope there with its criticality and its interval, and requests with the same criticality', async () => {
    const { world, requested, scheduled, start } = watched();
    const critical = network({ criticality: 'critical' });
    await world.accept([critical]);
    const duty = start('worker-1');
    await world.clock.advance(1_000);
    assert.deepEqual(scheduled.at(-1), [{ ...where, everyMs: 15_000, criticality: 'critical' }]);
    await world.store.fleet.requests.ask(where, 'a person');
    await world.clock.advance(1_000);
    assert.deepEqual(requested, [[{ ...where, criticality: 'critical' }, 'now']]);
    await duty.end();
  });

  it('asks for a reconcile now for every wish without an answer, until there is one', async () => {
    const { world, requested, start } = watched();
    await world.accept([network()]);
    const duty = start('worker-1');
    await world.clock.advance(500);
    assert.deepEqual(requested, []);
    await world.store.fleet.requests.ask(where, 'a person');
    await world.clock.advance(1_000);
    assert.deepEqual(requested, [[where, 'now']]);
    await world.clock.advance(5_000);
    assert.equal(requested.length, 2, 'the queue may have lost it');
    await world.store.fleet.requests.answered(where, 1);
    await world.clock.advance(5_000);
    assert.equal(requested.length, 2);
    await world.store.fleet.requests.ask(where, 'another');
    await world.clock.advance(1_000);
    assert.equal(requested.length, 3, 'a new wish waits for nobody');
    await duty.end();
  });

  it('keeps up the reconciles of an estate that it cannot open: another worker may', async () => {
    const { world, scheduled, start } = watched();
    await world.accept([network()]);
    await world.reconcile();
    const specs = () => {
      throw new Error('unknown key');
    };
    const duty = start('worker-1', { specs });
    await world.clock.advance(11_000);
    assert.deepEqual(scheduled, Array(2).fill([{ ...where, everyMs: 60_000 }]));
    await duty.end();
  });

  it('is one worker at a time; when that one is gone another takes its place', async () => {
    const { world, scheduled, start } = watched();
    await world.accept([network()]);
    const first = start('worker-1');
    const second = start('worker-2');
    await world.clock.advance(1_000);
    assert.equal(scheduled.length, 1);
    await first.end();
    await world.clock.advance(3_000);
    assert.equal(scheduled.length, 2);
    await second.end();
  });
});

describe('the scheduler, of what is left', () => {
  it('tells the lines of a scope that no target names any more as such, once, and what it cannot keep stops nothing', async () => {
    const { world, scheduled, start } = watched();
    await world.accept([network()]);
    const left = { estate: 'acme', scope: 'aws/111122223333/eu-west-1' };
    const wish = rowOf('b', { whose: { claim: 'none' } });
    const observed = { attributes: { labels: {} }, state: 'ready', parts: [] } as const;
    const ours = { ...rowOf('a', { whose: { owner: 'team-a' } }), sides: { observed, diff: [] } };
    const at = world.clock.now();
    const { rows } = world.store;
    await rows.keep(left, { at, rows: [ours, wish], gaps: [] });
    let kept = 0;
    const keep: Rows['keep'] = async (...told) => {
      kept += 1;
      if (kept === 1) throw new Error('no room');
      await rows.keep(...told);
    };
    Object.assign(world.store, { rows: { ...rows, keep } });
    const duty = start('worker-1');
    await world.clock.advance(31_000);
    await duty.end();
    const [row] = await rows.find({ seen: [{}], of: 'vpc-a' });
    assert.deepEqual(
      [row?.state.status, row?.state.code, row?.whose, row?.observed],
      ['Orphan', 'no-target', { claim: 'orphan', owner: 'team-a', documents: [] }, { at, complete: false }],
    );
    assert.match(row?.state.reason ?? '', /Bring the target back, or let it go with: setpoint forget/);
    assert.deepEqual(await rows.find({ seen: [{}], of: wish.key }), []);
    assert.deepEqual([kept, scheduled.length], [2, 4]);
  });
});
