import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressOn } from '../../src/cli/output/progress.ts';
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

test('how each of several ended is told, late rather than never', () => {
  const { err, stderr } = fakeTerminal();
  const progress = progressOn(err, clockAt([0, 400, 2000, 2500]));
  progress.finish('aws/1', 'converged, 4 done');
  assert.equal(stderr(), '', 'the first second is silent');
  progress.show('gcp/1', 'making');
  progress.finish('gcp/1', 'converged, 2 done');
  assert.equal(
    stderr(),
    'aws/1: converged, 4 done (400 ms)\ngcp/1: making (2.0 s)\ngcp/1: converged, 2 done (2.5 s)\n',
  );
});

test('a run that is over in a second says nothing of its ends either', () => {
  const { err, stderr } = fakeTerminal();
  const progress = progressOn(err, clockAt([0, 400]));
  progress.finish('aws/1', 'converged, 4 done');
  progress.end();
  assert.equal(stderr(), '');
});
