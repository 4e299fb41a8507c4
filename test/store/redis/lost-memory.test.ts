import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { redisMissing } from '../../support/redis.ts';
import { until } from '../../support/until.ts';
import { bucket, cost, counted, fixed, fleet, mostSince, need, never, together } from './fleet.ts';

describe('budgets whose memory is lost', { skip: redisMissing() }, () => {
  const at = fleet();

  const rows = [
    { name: 'a fleet that never ran begins full', fresh: true, ran: false, full: 20 },
    { name: 'one that may have run begins with an empty bucket', fresh: false, ran: false, full: 0 },
    { name: 'one that runs, after a flush: an empty bucket', fresh: true, ran: true, full: 0 },
  ];
  for (const { name, fresh, ran, full } of rows)
    it(name, async () => {
      await at.flush();
      const from = performance.now();
      const one = await at.worker({ fresh });
      if (ran) {
        await one.take(need([cost('a', bucket)]), never);
        await at.flush();
      }
      const [first = 0, ...more] = await together(one, Math.max(1, full), need([cost('a', bucket)]));
      // why: available units go at once, at any speed of the machine.
      assert.deepEqual(new Set(more), new Set(full === 0 ? [] : [first]));
      const count = counted([one], need([cost('a', bucket)]));
      await until('some more go', () => count.so() >= 2);
      const [got, most] = [count.stop() + Math.max(1, full), mostSince(from, full)];
      await one.close();
      assert.ok(got <= most, `${got} where ${most} is the most`);
    });

  const windows = [
    { name: 'one that may have run begins with a spent window', fresh: false, ran: false },
    { name: 'one that runs, after a flush: a spent window', fresh: true, ran: true },
  ];
  for (const { name, fresh, ran } of windows)
    it(name, async () => {
      const known = Date.now();
      await at.flush();
      const one = await at.worker({ fresh });
      if (ran) {
        await one.take(need([cost('a', fixed)]), never);
        await at.flush();
      }
      const first = await one.take(need([cost('a', fixed)]), never);
      await one.close();
      assert.ok(first - known >= 1500, `${first - known} ms`);
    });

  it('a worker that is new takes a flushed memory for a new fleet only until an old one speaks', async () => {
    await at.flush();
    const old = await at.worker();
    await old.take(need([cost('a', bucket)]), never);
    const from = performance.now();
    await at.flush();
    const young = await at.worker();
    await old.take(need([cost('b', bucket)]), never);
    const count = counted([young], need([cost('a', bucket)]));
    await until('some go', () => count.so() >= 2);
    const [got, most] = [count.stop(), mostSince(from)];
    await Promise.all([old.close(), young.close()]);
    assert.ok(got <= most, `${got} where ${most} is the most`);
  });

  it('a lane first used long after the memory began is full', async () => {
    await at.flush();
    const one = await at.worker({ fresh: false });
    await pause(2100);
    const times = await together(one, 20, need([cost('b', bucket)]));
    await one.close();
    assert.equal(new Set(times).size, 1, 'all of them at once');
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
    await two.take(need([cost('z', bucket)]), never);
    await one.take(need([cost('a', bucket, 20)]), never);
    const from = performance.now();
    const count = counted([one], need([cost('a', bucket)]));
    await at.restart(async () => {
      const [before, since] = [count.so(), performance.now()];
      await until('some go, of the own part', () => count.so() >= before + 8);
      const [alone, most] = [count.so() - before, mostSince(since) / 2 + 1];
      assert.ok(alone <= most, `half of 10 a second: ${alone} where ${most} is the most`);
    });
    await until('Redis is available again', () => events.includes('back'));
    const before = count.so();
    await until('some go', () => count.so() >= before + 4);
    const [all, most] = [count.stop(), mostSince(from)];
    assert.deepEqual(events.slice(0, 2), ['away 2', 'back']);
    assert.ok(all <= most, `all of 10 a second at most: ${all} where ${most} is the most`);
    await Promise.all([one.close(), two.close()]);
  });

  it('is told what was spent meanwhile, so that nothing is spent twice', async () => {
    const back = Promise.withResolvers<number>();
    const one = await at.worker({ events: { back: () => back.resolve(performance.now()) } });
    await one.take(need([cost('b', bucket, 20)]), never);
    const count = counted([one], need([cost('b', bucket)]));
    // why: the bucket in Redis would be full again if nobody told it.
    await at.freeze(() => until('many go', () => count.so() >= 25));
    const since = await back.promise;
    const before = count.so();
    await pause(300);
    const [got, most] = [count.stop() - before, mostSince(since)];
    assert.ok(got <= most, `${got} right after where ${most} is the most`);
  });
});
