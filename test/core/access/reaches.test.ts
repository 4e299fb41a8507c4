import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bounds, reachableEstates, reaches } from '../../../src/core/access/grant.ts';

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
