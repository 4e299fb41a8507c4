import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualTime } from '../../bench/world/time.ts';

function handClock() {
  let at = 0;
  return {
    now: () => at,
    advance: (ms: number): void => {
      at += ms;
    },
  };
}

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

const most = [0, 1, 2, 3, 4];
const phases = most.flatMap((first) => most.flatMap((pause) => most.map((second) => [first, pause, second] as const)));

/** The loop of a run ends some turns after its work: it must take nothing from the loop of the next. */
test('one run right after another ends, however long somebody is busy as it begins', async () => {
  for (const [first, pause, second] of phases) {
    const time = virtualTime(handClock());
    const work = async (): Promise<void> => {
      for (const count of [first, second]) {
        const ended = time.busy();
        await turns(count);
        ended();
        await turns(pause);
      }
      await time.clock.sleep(1000);
    };
    for (let run = 1; run <= 3; run += 1) {
      const lost = turns(500).then(() => assert.fail(`run ${run} never ends: ${first}, ${pause}, ${second} turns`));
      await Promise.race([time.run(work), lost]);
      lost.catch(() => {});
    }
    assert.equal(time.clock.now(), 3000);
  }
});
