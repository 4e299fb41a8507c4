import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { syncSchedules } from '../../src/queue/schedules.ts';

const reconcile = { estate: 'acme', scope: 'aws/111122223333/eu-west-1', everyMs: 60_000 };

type Timed = Parameters<typeof syncSchedules>[0];

/** A queue whose server answers the first puts with these errors, and accepts the later ones. */
function queueWith(...errors: readonly Error[]) {
  const left = [...errors];
  const kept = new Map<string, { key: string; every: number; next: number }>();
  const queue = {
    getJobSchedulers: async () => [...kept.values()],
    removeJobScheduler: async (key: string) => kept.delete(key),
    upsertJobScheduler: async (key: string, { every }: { every: number }) => {
      const error = left.shift();
      if (error !== undefined) throw error;
      kept.set(key, { key, every, next: Date.now() + every });
    },
  };
  return { queue: queue as unknown as Timed, kept }; // why: of a queue only these are asked
}

const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });

const taken = Object.assign(new Error('current and next time slots already have jobs'), {
  code: -11,
});

describe('two who put the same reconcile back at once', () => {
  for (const [name, error] of Object.entries({ deadlock, taken }))
    it(`one gives way to the other, and looks again: ${name}`, async () => {
      const { queue, kept } = queueWith(error);
      await syncSchedules(queue, [reconcile]);
      assert.equal(kept.size, 1);
    });

  it('what else a server refuses is told', async () => {
    const { queue } = queueWith(new Error('the disk is full'));
    await assert.rejects(syncSchedules(queue, [reconcile]), /the disk is full/);
  });
});
