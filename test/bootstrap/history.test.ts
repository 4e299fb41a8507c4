import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyOf } from '../../src/bootstrap/environment.ts';

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
