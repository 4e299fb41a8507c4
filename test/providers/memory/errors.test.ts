import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActionName } from '../../../providers/memory/cloud/calls.ts';
import { Refusal, type RefusalCode } from '../../../providers/memory/cloud/refusal.ts';
import { sinksBatch, toFailure } from '../../../providers/memory/errors.ts';

const rows: readonly (readonly [RefusalCode, ActionName, string])[] = [
  ['Throttled', 'CreateGroup', 'throttled'],
  ['Throttled', 'ListGroups', 'throttled'],
  ['ServiceUnavailable', 'CreateNetwork', 'retryable'],
  ['InternalError', 'CreateGroup', 'retryable'],
  ['InternalError', 'CreateNetwork', 'ambiguous'],
  ['InternalError', 'CreateGateway', 'ambiguous'],
  ['ConnectionReset', 'CreateGroup', 'ambiguous'],
  ['ConnectionReset', 'DeleteGroup', 'ambiguous'],
  ['ConnectionReset', 'ListGroups', 'retryable'],
  ['ConcurrentChange', 'TagObjects', 'conflict'],
  ['WrongState', 'StopInstances', 'conflict'],
  ['InUse', 'DeleteGroup', 'conflict'],
  ['DuplicateName', 'CreateGroup', 'conflict'],
  ['DuplicateRule', 'AuthorizeRules', 'conflict'],
  ['BlockTaken', 'CreateSubnet', 'conflict'],
  ['NotFound', 'DeleteGroup', 'not-found'],
  ['Denied', 'CreateGroup', 'terminal'],
  ['InvalidValue', 'CreateGroup', 'terminal'],
  ['QuotaExceeded', 'AuthorizeRules', 'terminal'],
  ['TokenReused', 'RunInstances', 'ambiguous'],
];

for (const [code, action, want] of rows) {
  test(`${code} of ${action}: ${want}`, () => {
    const failure = toFailure(new Refusal(code, 'why', { requestId: 'req-1' }), action);
    assert.deepEqual(failure, { kind: want, code, message: 'why', requestId: 'req-1' });
  });
}

test('a throttle says how long to wait, where the cloud does', () => {
  const failure = toFailure(new Refusal('Throttled', 'slow', { retryAfterMs: 2000 }), 'CreateGroup');
  assert.deepEqual(failure, { kind: 'throttled', code: 'Throttled', message: 'slow', retryAfterMs: 2000 });
});

test('what is no refusal is a fault of this program, and thrown on', () => {
  assert.throws(() => toFailure(new TypeError('undefined is not a function'), 'CreateGroup'), TypeError);
});

test('only a failure of one item makes the others worth sending singly', () => {
  const sunk = rows
    .filter(([code, action]) => sinksBatch(toFailure(new Refusal(code, ''), action)))
    .map(([code]) => code);
  assert.deepEqual(sunk, ['WrongState', 'DuplicateRule', 'NotFound', 'InvalidValue', 'QuotaExceeded']);
});
