import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from '../../src/cli/options.ts';
import { formatDuration } from '../../src/cli/output/format.ts';

const read: readonly (readonly [text: string, ms: number])[] = [
  ['500ms', 500],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['0', 0],
];

for (const [text, ms] of read) test(`${text} is ${ms} ms`, () => assert.equal(parseDuration(text), ms));

for (const text of ['30', '', '-1s', '1 s', '1w', '1.5s', '9999999999s'])
  test(`"${text}" is no duration`, () => assert.throws(() => parseDuration(text), /Write a number and a unit/));

const written: readonly (readonly [ms: number, text: string])[] = [
  [12, '12 ms'],
  [1234, '1.2 s'],
  [59_400, '59 s'],
  [150_000, '3 min'],
  [7_200_000, '2 h'],
  [200_000_000, '2 d'],
];

for (const [ms, text] of written) test(`${ms} ms reads ${text}`, () => assert.equal(formatDuration(ms), text));
