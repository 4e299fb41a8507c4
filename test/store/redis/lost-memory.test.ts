import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { redisMissing } from '../../support/redis.ts';
import { bucket, cost, counted, fixed, fleet, need, never, within } from './fleet.ts';

describe('budgets whose memory is lost', { skip: redisMissing() }, () => {
  const at = fleet();

  const rows = [
    { name: 'a fleet that never ran begins full', fresh: true, ran: false, budget: bucket, most: 26, least: 20 },
    {
      name: 'one that may have run begins with an empty bucket',
      fresh: false,
      ran: false,
      budget: bucket,
      most: 6,
      least: 2,
    },
    {
      name: 'one that may have run begins with a spent window',
      fresh: false,
      ran: false,
      budget: fixed,
      most: 0,
      least: 0,
    },
    {
      name: 'one that runs, after a flush: an empty bucket',
      fresh: true,
      ran: true,
      budget: bucket,
      most: 6,
      least: 2,
    },
    { name: 'one that runs, after a flush: a spent window', fresh: true, ran: true, budget: fixed, most: 0, least: 0 },
  ];
  for (const { name, fresh, ran, budget, most, least } of rows)
    it(name, async () => {
      await at.flush();
      const one = await at.worker({ fresh });
      if (ran) {
        await one.take(need([cost('a', budget)]), never);
        await at.flush();
      }
      const got = await within(400, one, need([cost('a', budget)]));
      await one.close();
      assert.ok(got >= least && got <= most, `${got}`);
    });

  it('a worker that is new takes a flushed memory for a new fleet only until an old one speaks', async () => {
    await at.flush();
    const old = await at.worker();
    await old.take(need([cost('a', bucket)]), never);
    await at.flush();
    const young = await at.worker();
    await old.take(need([cost('b', bucket)]), never);
    const got = await within(400, young, need([cost('a', bucket)]));
    await Promise.all([old.close(), young.close()]);
    assert.ok(got <= 7, `${got}`);
  });

  it('a lane first used long after the memory began is full', async () => {
    await at.flush();
    const one = await at.worker({ fresh: false });
    await pause(2100);
    const got = await within(300, one, need([cost('b', bucket)]));
    await one.close();
    assert.ok(got >= 20, `${got}`);
  });
});

describe('a fleet whose Redis is away', { skip: redisMissing() }, () => {
  const at = fleet();

  it('keeps to one of N parts, from nothing, and goes back by itself', async () => {
    const events: string[] = [];
    const note = {
      away: (workers: number) => void events.push(`away ${workers}`),
      back: () => void events.push('back'),
    };
    const [one, two] = [await at.worker({ events: note }), await at.worker()];
    await one.take(need([cost('a', bucket, 20)]), never);
    await two.take(need([cost('z', bucket)]), never);
    await pause(1100);
    const count = counted([one], need([cost('a', bucket)]));
    await at.restart(2200);
    const alone = count.so();
    assert.ok(alone >= 4 && alone <= 16, `half of 10 a second: ${alone} in 2 s`);
    await pause(1500);
    const before = count.so();
    await pause(1000);
    const back = count.stop() - before;
    assert.deepEqual(events, ['away 2', 'back']);
    assert.ok(back >= 4 && back <= 20, `all of 10 a second: ${back}`);
    await Promise.all([one.close(), two.close()]);
  });

  it('is told what was spent meanwhile, so that nothing is spent twice', async () => {
    let back = (): void => {};
    const isBack = new Promise<void>((resolve) => {
      back = resolve;
    });
    const one = await at.worker({ events: { back: () => back() } });
    await one.take(need([cost('b', bucket, 20)]), never);
    const count = counted([one], need([cost('b', bucket)]));
    await at.freeze(3500);
    await isBack;
    const spent = count.stop();
    const got = await within(300, one, need([cost('b', bucket)]));
    assert.ok(spent >= 10, `${spent} while Redis was away`);
    assert.ok(got <= 8, `${got} right after`);
  });
});
