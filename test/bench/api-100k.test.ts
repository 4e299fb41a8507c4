import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Question, questionAt, rowAt, scopes } from '../../bench/api-100k/estate.ts';
import type { Row } from '../../src/core/inventory/row.ts';

const rows = scopes.flatMap((scope) => Array.from({ length: 2000 }, (_, index) => rowAt(scope, index, 0)));
const byAddress = Map.groupBy(rows, ({ called }) => called.address);
const addressed = (address: string): readonly Row[] => byAddress.get(address) ?? [];
const questions = Array.from({ length: 560 }, (_, index) => questionAt(index));

test('there are 100,000 lines, each once', () => {
  assert.equal(rows.length, 100_000);
  assert.equal(new Set(rows.map(({ key, place }) => `${place.scope} ${key}`)).size, 100_000);
});

test('a later look finds a third of them otherwise', () => {
  const [scope] = scopes;
  assert.ok(scope);
  const same = Array.from(
    { length: 300 },
    (_, i) => JSON.stringify(rowAt(scope, i, 0)) === JSON.stringify(rowAt(scope, i, 1)),
  );
  assert.equal(same.filter((is) => !is).length, 100);
});

test('of ten requests four are pages, and each other sort is two', () => {
  const by = Map.groupBy(questions, ({ sort }) => sort);
  assert.deepEqual(
    (['page', 'past', 'text', 'one'] as const).map((sort) => by.get(sort)?.length),
    [224, 112, 112, 112],
  );
});

test('each question has as many lines as it says', () => {
  const known = new Map<string, number>();
  for (const question of questions) {
    const text = JSON.stringify(question);
    const found =
      known.get(text) ??
      Math.min(
        100,
        (question.of === undefined ? rows : addressed(question.of)).filter((row) => fits(row, question)).length,
      );
    known.set(text, found);
    assert.equal(found, question.rows, text);
  }
});

function fits({ place, called, whose, state }: Row, { filter, of }: Question): boolean {
  if (of !== undefined) return called.address === of;
  const { clouds, accounts, regions, kinds, statuses, owners, labels = {}, text = '' } = filter;
  const among = (values: readonly string[] | undefined, value: string) => values?.includes(value) ?? true;
  return (
    among(clouds, place.cloud) &&
    among(accounts, place.account) &&
    among(regions, place.region) &&
    among(kinds, place.kind) &&
    among(statuses, state.status) &&
    among(owners, whose.owner ?? '') &&
    Object.entries(labels).every(([name, value]) => called.labels[name] === value) &&
    [called.address ?? '', called.name, called.id ?? '', ...Object.values(called.labels)].some((word) =>
      word.toLowerCase().includes(text.toLowerCase()),
    )
  );
}
