import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bombs, fuzz, mutate, seeds } from '../../bench/fuzz-specs.ts';
import { randomFrom } from '../../bench/world/random.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';

const today = '2027-01-31';

// why: only the bench judges how long one takes, for a shared machine can be ten times slower for a moment
test('malformed documents and all bombs: no crash', () => {
  const { documents, crashes, failures } = fuzz({ documents: 2000, seed: 7, parse: parseSpecs });
  assert.equal(documents, 2000 + bombs.length);
  assert.equal(crashes, 0, JSON.stringify(failures));
});

test('there are forty bombs, by forty names', () => assert.equal(new Set(bombs.map(({ name }) => name)).size, 40));

test('what is spoiled was sound before', () => {
  const files = seeds.map((text, index) => ({ path: `${index}.${text.startsWith('{') ? 'json' : 'yaml'}`, text }));
  const { documents, problems } = parseSpecs(files, today);
  assert.equal(documents.length, seeds.length - 1, 'all but the JSON one, whose icmp is null');
  assert.ok(problems.every(({ code }) => code !== 'bad-yaml' && code !== 'bad-json'));
});

test('the same seed spoils alike, another otherwise', () => {
  const spoil = (seed: number): readonly string[] => {
    const random = randomFrom(seed);
    return Array.from({ length: 50 }, () => mutate(seeds[0] ?? '', seeds, random));
  };
  assert.deepEqual(spoil(1), spoil(1));
  assert.notDeepEqual(spoil(1), spoil(2));
});

test('a reader that throws is counted', () => {
  const { crashes, failures } = fuzz({
    documents: 10,
    seed: 1,
    parse: () => {
      throw new Error('boom');
    },
  });
  assert.equal(crashes, 10 + bombs.length);
  assert.match(failures[0]?.why ?? '', /boom/);
});

test('a reader that lets itself be polluted is counted', (t) => {
  t.after(() => Reflect.deleteProperty(Object.prototype, 'polluted'));
  const { failures } = fuzz({
    documents: 1,
    seed: 1,
    parse: (files, day) => {
      Object.defineProperty(Object.prototype, 'polluted', { value: true, configurable: true });
      return parseSpecs(files, day);
    },
  });
  assert.deepEqual(
    failures.map(({ why }) => why),
    ['a prototype changed'],
  );
});

test('a reader that takes a bomb is counted', () => {
  const { crashes } = fuzz({ documents: 0, seed: 1, parse: () => ({ documents: [], problems: [] }) });
  assert.equal(crashes, bombs.filter(({ harmless }) => !harmless).length);
});
