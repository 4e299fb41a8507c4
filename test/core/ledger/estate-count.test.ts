import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estateCount, type Place } from '../../../src/core/ledger/estate-count.ts';
import { type LimitBounds, stricterLimits } from '../../../src/core/limits.ts';

const place = (as: Place['as'], name: string): Place => ({
  as,
  by: 'generation',
  scope: 'here',
  address: `net/${name}`,
  subject: `id-${name}`,
});
const deletes = (count: number, from = 0): readonly Place[] =>
  Array.from({ length: count }, (_, i) => place('delete', `d${from + i}`));
const healing = (count: number): readonly Place[] => deletes(count).map((one) => ({ ...one, by: 'healing' }));
const replaces = (count: number): readonly Place[] =>
  Array.from({ length: count }, (_, i) => place('replace', `r${i}`));

const creates = (count: number): readonly Place[] => Array.from({ length: count }, (_, i) => place('create', `c${i}`));
const closures = (count: number): readonly Place[] =>
  Array.from({ length: count }, (_, i) => place('closure', `k${i}`));

const rows: readonly {
  readonly name: string;
  readonly bounds: LimitBounds;
  readonly ran?: readonly Place[];
  readonly next: readonly Place[];
  readonly passed: number;
  readonly why?: RegExp;
}[] = [
  {
    name: 'up to the limit',
    bounds: { limits: { deletes: 2, replaces: 0 }, owned: 9 },
    next: deletes(3),
    passed: 2,
    why: /over the limit of 2 deletes/,
  },
  {
    name: 'what ran before counts',
    bounds: { limits: { deletes: 2, replaces: 0 }, owned: 9 },
    ran: deletes(1, 7),
    next: deletes(3),
    passed: 1,
    why: /delete net\/d7, delete net\/d0/,
  },
  {
    name: 'deletes and replaces apart',
    bounds: { limits: { deletes: 1, replaces: 2 }, owned: 9 },
    next: [...deletes(1), ...replaces(3)],
    passed: 3,
    why: /limit of 2 replaces/,
  },
  {
    name: 'the same subject once',
    bounds: { limits: { deletes: 1, replaces: 0 }, owned: 9 },
    ran: deletes(1),
    next: [...deletes(1), ...deletes(1)],
    passed: 2,
  },
  {
    name: 'a share of fewer than 20 says nothing',
    bounds: { limits: { deletes: 9, replaces: 9, share: 0.1 }, owned: 19 },
    next: deletes(5),
    passed: 5,
  },
  {
    name: 'a share of 20 or more, both verbs together',
    bounds: { limits: { deletes: 9, replaces: 9, share: 0.1 }, owned: 29 },
    next: [...deletes(1), ...replaces(2)],
    passed: 2,
    why: /over the limit of 10% of 29 resources/,
  },
  {
    name: 'a share that binary fractions cannot hold',
    bounds: { limits: { deletes: 99, replaces: 99, share: 0.29 }, owned: 100 },
    next: deletes(30),
    passed: 29,
    why: /29% of 100/,
  },
  {
    name: 'allowed by a person, both verbs together',
    bounds: { limits: { deletes: 0, replaces: 0, share: 0 }, allowDeletes: 3, owned: 99 },
    next: [...deletes(2), ...replaces(2)],
    passed: 3,
    why: /--allow-deletes 4/,
  },
  {
    name: 'allowing less than the limit takes nothing away',
    bounds: { limits: { deletes: 5, replaces: 0 }, allowDeletes: 1, owned: 9 },
    next: deletes(5),
    passed: 5,
  },
  {
    name: 'a long list is cut short',
    bounds: { limits: { deletes: 7, replaces: 0 }, owned: 9 },
    next: deletes(8),
    passed: 7,
    why: /delete net\/d4 and 2 more\./,
  },
  {
    name: 'healing and the generation have their own places',
    bounds: { limits: { deletes: 1, replaces: 0 }, owned: 9 },
    ran: deletes(1),
    next: healing(2),
    passed: 1,
    why: /over the limit of 1 deletes for healing in 24 h; already done or under way: delete net\/d0\./,
  },
  {
    name: 'new machines have places of their own',
    bounds: { limits: { deletes: 0, replaces: 0, creates: 2, share: 0 }, owned: 99 },
    next: creates(3),
    passed: 2,
    why: /over the limit of 2 new machines; already done or under way: create net\/c0, create net\/c1\. --allow-creates 3 would/,
  },
  {
    name: 'a limit that an earlier version wrote down is 50 new machines',
    bounds: { limits: { deletes: 0, replaces: 0 }, owned: 9 },
    next: creates(60),
    passed: 50,
    why: /over the limit of 50 new machines/,
  },
  {
    name: 'so many new machines as a person allowed',
    bounds: { limits: { deletes: 0, replaces: 0 }, allowCreates: 55, allowDeletes: 99, owned: 9 },
    next: creates(60),
    passed: 55,
    why: /--allow-creates 56/,
  },
  {
    name: 'closures have places of their own, and what was deleted or replaced takes none of them',
    bounds: { limits: { deletes: 1, replaces: 1, closures: 2 }, owned: 9 },
    ran: [...replaces(1), ...deletes(1)],
    next: closures(3),
    passed: 2,
    why: /over the limit of 2 closures of rules that nobody wrote; already done or under way: closure net\/k0, closure net\/k1\. --allow-closures 3 would/,
  },
  {
    name: 'closures take no place of a delete',
    bounds: { limits: { deletes: 1, replaces: 0 }, owned: 9 },
    ran: closures(40),
    next: deletes(2),
    passed: 1,
    why: /under way: delete net\/d0\./,
  },
  {
    name: 'nothing ran',
    bounds: { limits: { deletes: 0, replaces: 0 }, owned: 9 },
    next: deletes(1),
    passed: 0,
    why: /under way: none\./,
  },
];

for (const { name, bounds, ran = [], next, passed, why } of rows)
  test(`estate count: ${name}`, () => {
    const count = estateCount(bounds, ran);
    const answers = next.map((one) => count.take(one));
    assert.equal(answers.filter((answer) => answer === undefined).length, passed);
    const refusal = answers.find((answer) => answer !== undefined);
    if (why) assert.match(refusal ?? '', why);
    else assert.equal(refusal, undefined);
  });

test('estate count: the stricter of two, member by member', () => {
  const loose = { deletes: 9, replaces: 1 };
  assert.deepEqual(stricterLimits(loose, undefined), loose);
  assert.deepEqual(stricterLimits(loose, { deletes: 1, replaces: 9, share: 0.1 }), {
    deletes: 1,
    replaces: 1,
    creates: 50,
    closures: 50,
    share: 0.1,
  });
  const more = { ...loose, creates: 90, closures: 7 };
  assert.deepEqual(stricterLimits({ ...more, share: 0.05 }, { ...more, share: 0.1 }), { ...more, share: 0.05 });
  // of an earlier version: it had no such fields, and that is never no limit
  assert.deepEqual(stricterLimits(more, loose), { ...loose, creates: 50, closures: 7 });
});
