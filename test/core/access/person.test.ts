import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayBeSamePerson } from '../../../src/core/access/person.ts';

const rows: readonly (readonly [one: string, other: string, want: boolean])[] = [
  ['ada', 'ada', true],
  ['ada', 'Ada', true],
  [' ada ', 'ada', true],
  ['ａｄａ', 'ada', true],
  ['straße', 'STRASSE', true],
  ['ﬁona', 'fiona', true],
  ['zoe\u0308', 'zoë', true],
  ['ada', 'adam', false],
  ['ada', 'bob', false],
  ['ada', '', false],
];
for (const [one, other, want] of rows)
  test(`${JSON.stringify(one)} and ${JSON.stringify(other)} ${want ? 'may be' : 'are not'} one person`, () => {
    assert.equal(mayBeSamePerson(one, other), want);
    assert.equal(mayBeSamePerson(other, one), want);
  });
