import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerLimitOf, historyOf } from '../../src/bootstrap/environment.ts';

type Said = Readonly<Record<string, string>>;

const understood: readonly (readonly [name: string, said: Said, perSecond: number, burst: number])[] = [
  ['nothing', {}, 100, 200],
  ['empty texts', { SETPOINT_CALLER_RATE: '', SETPOINT_CALLER_BURST: '' }, 100, 200],
  ['a rate: twice as many at once', { SETPOINT_CALLER_RATE: '30' }, 30, 60],
  ['a burst', { SETPOINT_CALLER_BURST: '500' }, 100, 500],
  ['both, the burst below the rate', { SETPOINT_CALLER_RATE: '50', SETPOINT_CALLER_BURST: '10' }, 50, 10],
  ['the least', { SETPOINT_CALLER_RATE: '1', SETPOINT_CALLER_BURST: '1' }, 1, 1],
  ['the most', { SETPOINT_CALLER_RATE: '10000', SETPOINT_CALLER_BURST: '100000' }, 10_000, 100_000],
];
for (const [name, said, perSecond, burst] of understood)
  test(`the limit of a caller, said by ${name}`, () => assert.deepEqual(callerLimitOf(said), { perSecond, burst }));

const most = { SETPOINT_CALLER_RATE: 10_000, SETPOINT_CALLER_BURST: 100_000 };
for (const [name, highest] of Object.entries(most))
  for (const text of ['0', String(highest + 1), '1.5', '1e2', '-1', '100/s', ' 100', 'many', '٣'])
    test(`${name}: ${JSON.stringify(text)} is refused, and not repeated`, () =>
      assert.throws(
        () => callerLimitOf({ [name]: text }),
        new RegExp(`^Error: ${name} is invalid: write a whole number of requests.* from 1 to ${highest}\\.$`),
      ));

const day = 86_400_000;
const said: readonly (readonly [string | undefined, object])[] = [
  [undefined, {}],
  ['', {}],
  ['1', { historyMs: day }],
  ['3650', { historyMs: 3650 * day }],
];
for (const [text, want] of said)
  test(`SETPOINT_HISTORY_DAYS: ${text}`, () =>
    assert.deepEqual(historyOf(text === undefined ? {} : { SETPOINT_HISTORY_DAYS: text }), want));

for (const text of ['0', '3651', '1.5', '1e2', '-1', '90d', ' 90'])
  test(`SETPOINT_HISTORY_DAYS: ${JSON.stringify(text)} is refused, and not repeated`, () =>
    assert.throws(() => historyOf({ SETPOINT_HISTORY_DAYS: text }), /whole number of days from 1 to 3650\.$/));
