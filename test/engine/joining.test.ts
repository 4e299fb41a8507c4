import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FaultRule } from '../../providers/memory/faults.ts';
import type { Action } from '../../src/core/action.ts';
import type { PauseDraft } from '../../src/core/pause.ts';
import { gapsIn } from '../simulation/invariants/no-traffic-gap.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { smallWorld } from '../support/small-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const estate = { limits: { deletes: 50, replaces: 50, share: '100%' } };
const documents = (group: string) => [
  network({ internet: false }),
  machine('m', { replicas: 2, groups: [group] }),
  rule('by-address', { group: 'lb', ports: [80], peers: { cidrs: ['10.0.0.0/8'] } }),
  rule('by-group', { group: 'web', ports: [80], peers: { groups: ['web'] } }),
];

/** Two machines that reach each other by a block of addresses, and shall reach each other by their new group. */
async function moved(faults: readonly FaultRule[] = []) {
  const world = smallWorld();
  assert.equal((await world.apply(documents('lb'), { estate })).outcome, 'done');
  const before = world.cloud.history.changes.length;
  world.cloud.faults.add(...faults);
  const applied = await world.apply(documents('web'), { estate });
  const changes = world.cloud.history.changes.map((change, at) =>
    at < before ? { ...change, caller: 'builder' } : change,
  );
  const { outcome, writes, scope } = applied;
  const gaps = gapsIn(changes, [{ name: 'setpoint', desired: scope.wanted.desired }]);
  return { world, outcome, writes, gaps };
}

const pause = (now: number): PauseDraft => ({
  what: 'all',
  of: { by: 'estate' },
  until: now + 600_000,
  person: 'ada',
  reason: 'look at it',
});

describe('machines that reach each other by groups that they change', () => {
  it('join their new group before any of them leaves the old one', async () => {
    const { world, outcome, writes, gaps } = await moved();
    assert.deepEqual([outcome, gaps], ['done', []]);
    assert.deepEqual(writes, new Array(4).fill('SetInstanceGroups'));
    const applied: number[] = [];
    for await (const { type, body } of world.store.ledger.entries({ estate: 'acme' }))
      if (type === 'settlement' && body['verb'] === 'update') applied.push(Object(body['effects']).length);
    assert.deepEqual(applied, [0, 0, 2, 2], 'nothing is applied by the step in which it joins');
  });

  it('change them in one call each where the cloud does not let them into both', async () => {
    const { outcome, writes } = await moved([
      { on: 'SetInstanceGroups', times: 2, fault: { do: 'refuse', code: 'QuotaExceeded' } },
    ]);
    assert.deepEqual([outcome, writes.length], ['done', 4]);
  });

  it('stay in the old one until all have joined', async () => {
    const { outcome, gaps } = await moved([
      { on: 'SetInstanceGroups', nth: 1, fault: { do: 'refuse', code: 'Throttled' } },
    ]);
    assert.deepEqual([outcome, gaps], ['done', []]);
  });

  for (const [when, afterMs, sent] of [
    ['before both', 0, 0],
    ['in between', 2000, 2],
  ] as const)
    it(`are judged as the planned change before each step: a pause ${when} holds what comes`, async () => {
      const world = smallWorld();
      await world.apply(documents('lb'), { estate });
      world.cloud.faults.add({ on: 'SetInstanceGroups', nth: 1, fault: { do: 'delay', ms: 5000 } });
      const planned = new Set<Action>();
      const judged: Action[] = [];
      const begin = () => world.store.fleet.pauses.begin('acme', pause(world.clock.now()));
      if (afterMs > 0) void world.clock.sleep(afterMs).then(begin);
      const { writes, rounds } = await world.apply(documents('web'), {
        estate,
        planned: (_, { actions }) => {
          for (const action of actions) planned.add(action);
          if (afterMs === 0) void begin();
        },
        guard: {
          judge: async (actions) => {
            judged.push(...actions);
            return { refused: new Map(actions.map((action) => [action, { code: 'paused', why: 'paused' }])) };
          },
        },
      });
      assert.equal(writes.length, sent);
      assert.ok(judged.length > 0 && judged.every((action) => planned.has(action)));
      const codes = rounds.flatMap(({ findings }) => findings.map((one) => ('code' in one ? one.code : '')));
      assert.deepEqual([...new Set(codes)], ['paused']);
    });
});
