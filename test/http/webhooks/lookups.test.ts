import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokenBuckets } from '../../../src/http/token-bucket.ts';
import { rejectionLog } from '../../../src/http/webhooks/rejections.ts';
import { cachedSecrets, webhookRegistry } from '../../../src/http/webhooks/verify.ts';
import type { Webhook } from '../../../src/http/webhooks/webhook.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const hook: Webhook = { name: 'web', from: 'github', secret: { env: 'SETPOINT_SECRET_X' } };

describe('finding a hook', () => {
  it('asks once in 5 s, however many ask, for what is there and for what is not', async () => {
    const clock = virtualClock();
    let asked = 0;
    let webhooks = [hook];
    const find = webhookRegistry(async () => {
      asked += 1;
      return [{ estate: 'acme', webhooks, scopes: [] }];
    }, clock);
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) => find('acme', index === 7 ? 'web' : `x${index}`)),
    );
    assert.deepEqual([asked, all.filter((one) => one !== undefined)], [1, [hook]]);
    assert.equal(await find('other', 'web'), undefined);
    webhooks = [];
    await clock.advance(4_999);
    assert.equal(await find('acme', 'web'), hook);
    await clock.advance(1);
    assert.deepEqual([await find('acme', 'web'), asked], [undefined, 2]);
  });

  it('what was known holds while the store is away; knowing nothing is an error', async () => {
    const clock = virtualClock();
    let away = true;
    const find = webhookRegistry(async () => {
      if (away) throw new Error('away');
      return [{ estate: 'acme', webhooks: [hook], scopes: [] }];
    }, clock);
    await assert.rejects(find('acme', 'web'), { message: 'away' });
    away = false;
    await clock.advance(5_000);
    assert.equal(await find('acme', 'web'), hook);
    away = true;
    await clock.advance(5_000);
    assert.equal(await find('acme', 'web'), hook);
  });
});

describe('holding a secret', () => {
  it('for a minute; one that cannot be had for 5 s', async () => {
    const clock = virtualClock();
    const asked: string[] = [];
    const values: Record<string, string | undefined> = { A: 'one' };
    const held = cachedSecrets(async ({ env = '' }) => {
      asked.push(env);
      if (env === 'C') throw new Error('away');
      return values[env];
    }, clock);
    const all = () => Promise.all(['A', 'B', 'C', 'A'].map((env) => held({ env })));
    assert.deepEqual(await all(), ['one', undefined, undefined, 'one']);
    assert.deepEqual(asked.splice(0), ['A', 'B', 'C']);
    values['A'] = 'two';
    values['B'] = 'new';
    await clock.advance(4_999);
    assert.deepEqual(await all(), ['one', undefined, undefined, 'one']);
    await clock.advance(1);
    assert.deepEqual(await all(), ['one', 'new', undefined, 'one']);
    assert.deepEqual(asked.splice(0), ['B', 'C']);
    await clock.advance(55_000);
    assert.deepEqual(await all(), ['two', 'new', undefined, 'two']);
  });

  it('a file and a variable of one name are two', async () => {
    const held = cachedSecrets(async (ref) => JSON.stringify(ref), virtualClock());
    assert.notEqual(await held({ env: 'X' }), await held({ file: 'X' }));
  });
});

describe('telling of refusals', () => {
  it('one line in 10 s for each hook and reason, with how many there were', async () => {
    const clock = virtualClock();
    const lines: string[] = [];
    const log = createLog({ write: (line) => void lines.push(line) }, { form: 'json', level: 'debug' });
    const told = rejectionLog(log, clock);
    const counts = () =>
      lines.splice(0).map((line) => [JSON.parse(line).reason, JSON.parse(line).webhook, JSON.parse(line).count]);
    for (let i = 0; i < 1_000; i += 1) told.record('forged', { estate: 'acme', webhook: 'web' });
    told.record('there is no such hook');
    assert.deepEqual(counts(), [
      ['forged', 'web', 1],
      ['there is no such hook', undefined, 1],
    ]);
    await clock.advance(10_000);
    told.record('forged', { estate: 'acme', webhook: 'web' });
    assert.deepEqual(counts(), [['forged', 'web', 1_000]]);
    told.record('forged', { estate: 'acme', webhook: 'web' });
    told.close();
    assert.deepEqual(counts(), [['forged', 'web', 1]]);
  });
});

describe('what a hook may bring', () => {
  it('never more than its burst, however long it was silent', async () => {
    const clock = virtualClock();
    const { spend } = tokenBuckets(clock, { perSecond: 10, burst: 20, pieceBytes: 1_000 });
    const taken = (hook: string, bytes: number): number => {
      let count = 0;
      while (spend(hook, bytes).retryAfterSeconds === undefined) count += 1;
      return count;
    };
    assert.equal(taken('acme/web', 1), 20);
    await clock.advance(3_600_000);
    assert.equal(taken('acme/web', 1_000), 20);
    assert.equal(taken('acme/other', 5_000), 4);
    assert.equal(spend('acme/other', 5_000).retryAfterSeconds, 1);
    await clock.advance(100);
    assert.deepEqual([taken('acme/web', 1), taken('acme/web', 1)], [1, 0]);
  });
});
