import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Binding, boundGrants, type Known } from '../../../src/core/access/access-document.ts';

const ann: Known = { issuer: 'https://a.example', subject: '7', person: 'Ann@acme.example', groups: ['net', 'web'] };

const cases: readonly (readonly [name: string, who: Binding['who'], known: Known, want: boolean])[] = [
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

for (const [name, who, known, want] of cases)
  test(`${name}: ${want ? 'bound' : 'not bound'}`, () => {
    const grants = boundGrants(known, [{ who, role: 'planner', owners: ['team-net'] }]);
    assert.deepEqual(grants, want ? [{ role: 'planner', owners: ['team-net'] }] : []);
  });
