import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldRows, lastApplied, valueText } from '../src/resource/fields.ts';

test('differing fields go first, then those of the specs, then those of the cloud alone', () => {
  const rows = fieldRows({
    desired: { size: 'small', labels: { tier: 'web' }, groups: [] },
    observed: { size: 'small', labels: { tier: 'toms', Name: 'web-0' }, groups: [] },
    applied: { size: 'small', labels: { tier: 'web' } },
    differing: ['labels.tier'],
  });
  assert.deepEqual(
    rows.map(({ field, differs }) => [field, differs]),
    [
      ['labels.tier', true],
      ['groups', false],
      ['size', false],
      ['labels.Name', false],
    ],
  );
  const { desired, observed, applied } = rows[0] ?? {};
  assert.deepEqual([desired, observed, applied], ['web', 'toms', 'web']);
});

test('a difference of a whole object marks its fields, and a name that begins alike is none of them', () => {
  const rows = fieldRows({
    desired: { disk: { size: 1 }, diskless: true },
    observed: {},
    applied: {},
    differing: ['disk'],
  });
  assert.deepEqual(
    rows.filter(({ differs }) => differs).map(({ field }) => field),
    ['disk.size'],
  );
});

test('values are texts: an empty one, an absent one and a list are told apart', () => {
  assert.deepEqual(['', undefined, [], {}, ['a', 1], false].map(valueText), [
    '(empty)',
    '(absent)',
    '(none)',
    '(none)',
    'a\n1',
    'false',
  ]);
});

const intent = (seq: number, id: string, attributes: object) => ({
  seq,
  type: 'intent',
  body: { intent: id, details: { attributes } },
});
const settled = (seq: number, id: string, ok: boolean, verb = 'update') => ({
  seq,
  type: 'settlement',
  body: { intent: id, verb, outcome: { ok } },
});

test('last applied is of the newest call with success, and of none after a deletion', () => {
  const older = [settled(2, 'a', true), intent(1, 'a', { size: 1 })];
  assert.deepEqual(lastApplied([settled(4, 'b', false), intent(3, 'b', { size: 2 }), ...older]), {
    seq: 2,
    attributes: { size: 1 },
  });
  assert.equal(lastApplied([settled(4, 'b', true, 'delete'), ...older]), undefined);
});
