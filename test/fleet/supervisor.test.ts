import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { supervise } from '../../src/fleet/supervisor.ts';
import type { Log } from '../../src/ports/clock-and-log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** Runs a task that fails until `awayMs` have elapsed, and then works; returns the log, by the second. */
async function saidWhile(awayMs: number, forMs: number): Promise<readonly string[]> {
  const clock = virtualClock();
  const from = clock.now();
  const said: string[] = [];
  const say = (level: string) => (message: string, fields?: object) =>
    said.push(`${Math.round((clock.now() - from) / 1000)} ${level} ${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error'), with: () => log };
  const end = new AbortController();
  const duty = async (): Promise<void> => {
    if (clock.now() - from < awayMs) throw new Error('connect ECONNREFUSED');
    await clock.sleep(10 * forMs, end.signal);
  };
  const running = supervise('scheduler', duty, { clock, log, signal: end.signal });
  await clock.advance(forMs);
  end.abort();
  await running;
  return said;
}

const failed = 'warn background task failed; retrying {"task":"scheduler","reason":"Error: connect ECONNREFUSED"}';

describe('a duty that fails', () => {
  it('is said once, then once a minute, and when it is at work again', async () => {
    assert.deepEqual(await saidWhile(130_000, 300_000), [
      `0 ${failed}`,
      `60 ${failed}`,
      `120 ${failed}`,
      '145 info background task recovered {"task":"scheduler","forMs":145000}',
    ]);
  });

  it('is taken up again within seconds though nothing is said', async () => {
    assert.deepEqual(await saidWhile(7_000, 60_000), [
      `0 ${failed}`,
      '25 info background task recovered {"task":"scheduler","forMs":25000}',
    ]);
  });

  it('says nothing where it never failed, nor of its end', async () => {
    assert.deepEqual(await saidWhile(0, 300_000), []);
  });
});
