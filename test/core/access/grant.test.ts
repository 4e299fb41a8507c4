import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Bounds,
  type Grant,
  grantsNoMoreThan,
  reachableEstates,
  reaches,
} from '../../../src/core/access/grant.ts';

const cases: readonly (readonly [name: string, bounds: Bounds, want: boolean])[] = [
  ['no bounds', {}, true],
  ['the estate', { estates: ['other', 'acme'] }, true],
  ['another estate', { estates: ['other'] }, false],
  ['a name that it begins with', { estates: ['ac'] }, false],
  ['no estate at all', { estates: [] }, false],
  ['a part of every estate', { owners: ['team-web'] }, true],
  ['a part of the estate', { estates: ['acme'], targets: ['aws'] }, true],
];

for (const [name, bounds, want] of cases)
  test(`bounds reach an estate: ${name}: ${want ? 'yes' : 'no'}`, () => assert.equal(reaches(bounds, 'acme'), want));

test('estates are reached by one or another, in their order', () => {
  const within = [{ estates: ['c'] }, { estates: ['a', 'd'], owners: ['team-web'] }];
  assert.deepEqual(reachableEstates(within, ['a', 'b', 'c']), ['a', 'c']);
  assert.deepEqual(reachableEstates([], ['a']), []);
});

const admin: Grant = { role: 'admin' };
const ofAcme: Grant = { role: 'admin', estates: ['acme'] };

const withinCases: readonly (readonly [
  name: string,
  given: readonly Grant[],
  giver: readonly Grant[],
  want: boolean,
])[] = [
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

for (const [name, given, giver, want] of withinCases)
  test(`${name}: ${want ? 'may be given' : 'may not'}`, () => assert.equal(grantsNoMoreThan(given, giver), want));
