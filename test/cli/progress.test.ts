import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressOn } from '../../src/cli/progress/progress.ts';
import { fakeTerminal } from './support/fake-terminal.ts';

const clockAt = (times: readonly number[]) => {
  const left = [...times];
  return { now: () => left.shift() ?? 0, sleep: () => Promise.resolve() };
};

test('a run of less than a second says nothing', () => {
  const { err, stderr } = fakeTerminal();
  const progress = progressOn(err, clockAt([0, 100, 999]));
  progress.show('aws/1', 'listing');
  progress.show('aws/1', 'planning');
  assert.equal(stderr(), '');
});

test('a longer one says where it is, as plain lines, no thing twice and not too often', () => {
  const { err, stderr } = fakeTerminal();
  const progress = progressOn(err, clockAt([0, 1000, 1100, 3100, 3200]));
  progress.show('aws/1', 'listing');
  progress.show('aws/1', 'listing more');
  progress.show('aws/1', 'planning');
  progress.show('aws/2', 'listing');
  assert.equal(stderr(), 'aws/1: listing (1.0 s)\naws/1: planning (3.1 s)\naws/2: listing (3.2 s)\n');
});
