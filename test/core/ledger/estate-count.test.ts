import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bounds, estateCount, type Place, stricterLimits } from '../../../src/core/ledger/estate-count.ts';

const place = (as: Place['as'], name: string): Place => ({
  as,
  by: 'generation',
  address: `net/${name}`,
  subject: `id-${name}`,
});
const deletes = (count: number, from = 0): readonly Place[] =>
  Array.from({ length: count }, (_, i) => place('delete', `d${from + i}`));
const healing = (count: number): readonly Place[] => deletes(count).map((one) => ({ ...one, by: 'healing' }));
const replaces = (count: number): readonly Place[] =>
  Array.from({ length: count }, (_, i) => place('replace', `r${i}`));

const rows: readonly {
  readonly name: string;
  readonly bounds: Bounds;
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
    bounds: { limits: { deletes: 0, replaces: 0, share: 0 }, allowed: 3, owned: 99 },
    next: [...deletes(2), ...replaces(2)],
    passed: 3,
    why: /--allow-deletes 4/,
  },
  {
    name: 'allowing less than the limit takes nothing away',
    bounds: { limits: { deletes: 5, replaces: 0 }, allowed: 1, owned: 9 },
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
    share: 0.1,
  });
  assert.deepEqual(stricterLimits({ ...loose, share: 0.05 }, { ...loose, share: 0.1 }), { ...loose, share: 0.05 });
});
