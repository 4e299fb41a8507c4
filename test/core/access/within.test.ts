import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Grant, grantsNoMoreThan } from '../../../src/core/access/grant.ts';

const admin: Grant = { role: 'admin' };
const ofAcme: Grant = { role: 'admin', estates: ['acme'] };

const cases: readonly (readonly [name: string, given: readonly Grant[], giver: readonly Grant[], want: boolean])[] = [
  ['as much as one has', [admin], [admin], true],
  ['less', [{ role: 'viewer', owners: ['team-web'] }], [admin], true],
  ['nothing', [], [ofAcme], true],
  ['nobody but an admin gives', [{ role: 'viewer' }], [{ role: 'operator' }], false],
  ['an approver gives not even what they have', [{ role: 'approver' }], [{ role: 'approver' }], false],
  ['within the estate', [{ role: 'operator', estates: ['acme'], targets: ['aws'] }], [ofAcme], true],
  ['another estate', [{ role: 'viewer', estates: ['other'] }], [ofAcme], false],
  ['one more estate', [{ role: 'viewer', estates: ['acme', 'other'] }], [ofAcme], false],
  ['without the bounds', [{ role: 'viewer' }], [ofAcme], false],
  ['one within, one beyond', [{ role: 'viewer', estates: ['acme'] }, admin], [ofAcme], false],
  ['bounds of another kind', [{ role: 'viewer', targets: ['acme'] }], [ofAcme], false],
  [
    'two narrow ones are no wide one',
    [{ role: 'viewer', estates: ['acme'] }],
    [
      { role: 'admin', estates: ['acme'], targets: ['a'] },
      { role: 'admin', estates: ['acme'], owners: ['b'] },
    ],
    false,
  ],
  ['a right elsewhere', [{ role: 'viewer', estates: ['b'] }], [ofAcme, { role: 'operator', estates: ['b'] }], false],
];

for (const [name, given, giver, want] of cases)
  test(`${name}: ${want ? 'may be given' : 'may not'}`, () => assert.equal(grantsNoMoreThan(given, giver), want));
