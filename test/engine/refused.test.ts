import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requestFor } from '../../providers/aws/limits.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { refusalLaws } from './refusal-laws.ts';

describe('limiter in this process: what a refusal leaves of resources', () => {
  refusalLaws((law) => {
    const clock = virtualClock();
    let names = 0;
    return clock.run(() =>
      law({ limiter: inProcessLimiter({ clock }), sleep: clock.sleep, lane: () => `lane-${++names}` }),
    );
  });
});

describe('a thousand launches, one of which is refused', () => {
  it('take seconds', async () => {
    const clock = virtualClock();
    const limiter = inProcessLimiter({ clock });
    const { costs } = requestFor('aws/1/eu-west-1', 'RunInstances', { instances: 100 });
    const launch = () => limiter.take({ costs, rank: 'writes', share: 'shop' }, new AbortController().signal);
    const from = clock.now();
    await clock.run(async () => {
      const sentAt = await launch();
      const others = Array.from({ length: 9 }, launch);
      await clock.sleep(100);
      for (const { lane, amount } of costs) limiter.slow(lane.key, { sentAt, retryAfterMs: 0, amount });
      await Promise.all([launch(), ...others]);
    });
    assert.ok(clock.now() - from < 8000, `${clock.now() - from} ms`);
  });
});
