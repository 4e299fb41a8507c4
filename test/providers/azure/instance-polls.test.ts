import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Effect } from '../../../sandbox/faults.ts';
import { type RecordedCall, recordedCall, writesOf } from '../../support/fixtures.ts';
import { must } from './estate.ts';
import { image, type Land, machineOf, machineSeen, makeLand, sizes, to } from './machines.ts';

let land: Land;
before(async () => {
  land = await makeLand();
});
after(() => land.stage.close());

const polls = ['operations.get', 'operationResults.get'];

/** Made, resized with a larger disk, and taken away: the writes that it took, and the polls. */
async function life(name: string): Promise<{ readonly writes: readonly string[]; readonly calls: RecordedCall }> {
  const calls = recordedCall();
  const { instance } = land.session.actuators;
  const creation = machineOf(land, name, { placement: { subnet: land.subnet, publicIp: true } });
  must((await instance.create([creation], calls))[0]);
  const observed = await machineSeen(land, name);
  const over = { machine: { image, size: sizes[1], power: 'running' as const }, disk: { size: 64 } };
  must((await instance.update([to({ creation, observed }, over)], calls))[0]);
  must((await instance.delete([{ id: observed.id, observed }], calls))[0]);
  return { writes: writesOf(calls), calls };
}

describe('what Azure takes its time for is awaited to its end', () => {
  for (const [trouble, effect] of [
    ['throttled', { kind: 'throttle' }],
    ['not answered', { kind: 'reset-before' }],
  ] as const satisfies readonly (readonly [string, Effect])[]) {
    test(`though polls of it are ${trouble}, and nothing is written twice`, async () => {
      const plain = await life(`plain-${effect.kind}`);
      const { faults } = land.stage.sandbox.control;
      for (let nth = 2; nth <= 40; nth += 3) faults.add({ match: { action: polls, nth }, effect });
      const troubled = await life(`rough-${effect.kind}`);
      faults.clear();
      assert.deepEqual(troubled.writes, plain.writes);
      const failures = troubled.calls.reported.filter(({ answer }) => answer.failure !== undefined);
      assert.ok(failures.length > 5, `${failures.length} polls failed`);
    });
  }
});
