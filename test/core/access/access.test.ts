import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Binding, boundGrants, type Known } from '../../../src/core/access/access-document.ts';
import {
  type Bounds,
  type Grant,
  grantsNoMoreThan,
  reachableEstates,
  reaches,
} from '../../../src/core/access/grant.ts';
import { mayBeSamePerson } from '../../../src/core/access/person.ts';

const ann: Known = { issuer: 'https://a.example', subject: '7', person: 'Ann@acme.example', groups: ['net', 'web'] };

const bindingCases: readonly (readonly [name: string, who: Binding['who'], known: Known, want: boolean])[] = [
  ['a person', { person: 'ann@acme.example' }, ann, true],
  ['another person', { person: 'bob@acme.example' }, ann, false],
  [
    'a person whose name is not proven',
    { person: 'ann@acme.example' },
    { issuer: ann.issuer, subject: '7', groups: [] },
    false,
  ],
  ['a person whose name has a letter that only looks so', { person: 'kim' }, { ...ann, person: '\u212aim' }, false],
  ['a group', { group: 'net' }, ann, true],
  ['a group in other letters', { group: 'Net' }, ann, false],
  ['a group that is the beginning of theirs', { group: 'ne' }, ann, false],
  ['a subject', { subject: '7' }, ann, true],
  ['a group that is called as the subject', { group: '7' }, ann, false],
  ['a subject that is called as a group', { subject: 'net' }, ann, false],
  ['at their issuer', { group: 'net', issuer: ann.issuer }, ann, true],
  ['at another issuer', { group: 'net', issuer: 'https://b.example' }, ann, false],
  ['nobody', {}, ann, false],
];

for (const [name, who, known, want] of bindingCases)
  test(`${name}: ${want ? 'bound' : 'not bound'}`, () => {
    const grants = boundGrants(known, [{ who, role: 'planner', owners: ['team-net'] }]);
    assert.deepEqual(grants, want ? [{ role: 'planner', owners: ['team-net'] }] : []);
  });

const grantCases: readonly (readonly [name: string, bounds: Bounds, want: boolean])[] = [
  ['no bounds', {}, true],
  ['the estate', { estates: ['other', 'acme'] }, true],
  ['another estate', { estates: ['other'] }, false],
  ['a name that it begins with', { estates: ['ac'] }, false],
  ['no estate at all', { estates: [] }, false],
  ['a part of every estate', { owners: ['team-web'] }, true],
  ['a part of the estate', { estates: ['acme'], targets: ['aws'] }, true],
];

for (const [name, bounds, want] of grantCases)
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

const rows: readonly (readonly [one: string, other: string, want: boolean])[] = [
  ['ada', 'ada', true],
  ['ada', 'Ada', true],
  [' ada ', 'ada', true],
  ['ａｄａ', 'ada', true],
  ['straße', 'STRASSE', true],
  ['ﬁona', 'fiona', true],
  ['zoe\u0308', 'zoë', true],
  ['ada+ci@acme.example', 'ada@acme.example', true],
  ['ada+ci@acme.example', 'ADA+ops@acme.example', true],
  ['ada\uff0bci@acme.example', 'ada@acme.example', true],
  ['ada+ci@acme.example', 'ada@other.example', false],
  ['ada+ci@acme.example', 'adam@acme.example', false],
  ['ada', 'adam', false],
  ['ada', 'bob', false],
  ['ada', '', false],
];
for (const [one, other, want] of rows)
  test(`${JSON.stringify(one)} and ${JSON.stringify(other)} ${want ? 'may be' : 'are not'} one person`, () => {
    assert.equal(mayBeSamePerson(one, other), want);
    assert.equal(mayBeSamePerson(other, one), want);
  });
