import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniteAllowed, uniteDesired } from '../../../src/core/compile/unite-sites.ts';
import type { Terms } from '../../../src/core/desired.ts';
import { attributes, desired } from '../../support/actions.ts';

const said = (terms: Partial<Terms>) => {
  const one = desired('network', 'core', attributes.network());
  return { ...one, terms: { ...one.terms, ...terms } };
};

test('what either of two targets says of one thing holds', () => {
  const rows: readonly (readonly [Partial<Terms>, Partial<Terms>, Partial<Terms>])[] = [
    [{ claim: { adopt: 'net-1' } }, {}, { claim: { adopt: 'net-1' } }],
    [{ claim: { was: ['a'] } }, { claim: { was: ['a', 'b'] } }, { claim: { was: ['a', 'b'] } }],
    [{ protect: true }, { protect: false }, { protect: true }],
    [{ deletionPolicy: 'retain' }, { deletionPolicy: 'delete' }, { deletionPolicy: 'retain' }],
    [{ mode: 'observe' }, { mode: 'enforce' }, { mode: 'observe' }],
  ];
  for (const [a, b, want] of rows) {
    for (const both of [
      [a, b],
      [b, a],
    ] as const) {
      const united = uniteDesired(both.map(said));
      assert.deepEqual(
        united.map(({ terms }) => terms),
        [said(want).terms],
      );
    }
  }
});

test('what only one of them names is as it says', () => {
  const other = desired('network', 'lab', attributes.network());
  assert.deepEqual(uniteDesired([said({}), other, said({})]), [said({}), other]);
});

test('the stricter mode and protection hold for the documents too, which are of both targets', () => {
  const allowed = uniteAllowed([
    ['net', { mode: 'enforce', protect: true, owner: 'team-net', targets: ['west'] }],
    ['web', { mode: 'enforce', protect: false, targets: ['west'] }],
    ['net', { mode: 'plan', protect: false, owner: 'team-net', targets: ['east'] }],
  ]);
  assert.deepEqual(Object.fromEntries(allowed), {
    net: { mode: 'plan', protect: true, owner: 'team-net', targets: ['west', 'east'] },
    web: { mode: 'enforce', protect: false, targets: ['west'] },
  });
});
