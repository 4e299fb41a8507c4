import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseTexts } from '../support/source/project.ts';
import { coverageOf, spansOf } from './coverage.ts';
import { EQUIVALENTS, equivalentOf } from './equivalents.ts';
import { judge } from './judge.ts';
import { type Mutant, mutantsOf, mutated } from './mutants.ts';
import { openRecords } from './records.ts';
import { sampleOf } from './sample.ts';
import { type Copy, copyOf } from './tree.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');

function mutantsIn(text: string): readonly Mutant[] {
  const [file] = parseTexts({ 'src/core/a.ts': text });
  assert.ok(file);
  return mutantsOf(file);
}
const changesOf = (text: string): readonly string[] =>
  mutantsIn(text).map((mutant) => mutated(text, mutant).replace(/\s+/g, ' ').trim());

describe('each mutator', () => {
  const rows: readonly (readonly [text: string, want: readonly string[]])[] = [
    ['a < b;', [';', 'a <= b;', 'a >= b;']],
    ['a === b;', [';', 'a !== b;']],
    ['if (a) b();', ['if (!(a)) b();', 'if (a) ;']],
    ['if (!a) b();', ['if ( a) b();', 'if (!a) ;']],
    ['const x = a && b;', ['const x = a || b;']],
    ['const x = a * b;', ['const x = a / b;']],
    ["const x = a + 'text';", ["const x = a + '';"]],
    ['const x = true;', ['const x = false;']],
    [`const x = \`a\${b}\`;`, ["const x = '';"]],
    ["const x = '';", ["const x = 'something';"]],
    ['const x = 1;', ['const x = 0;', 'const x = 2;']],
    ['const x = [a];', ['const x = [];']],
    ['const f = () => a;', ['const f = () => undefined;']],
    ['const x = a ?? b;', ['const x = (a);', 'const x = (b);']],
    [
      'const x = a ?? 0;',
      ['const x = (0);', 'const x = (a || 0);', 'const x = (a);', 'const x = a ?? (-1);', 'const x = a ?? 1;'],
    ],
    ['const x = a?.b;', ['const x = a.b;']],
    ['const x = a.some(f);', ['const x = a.every(f);']],
    ['const x = a.filter(f);', ['const x = a;']],
  ];
  for (const [text, want] of rows) test(text, () => assert.deepEqual(changesOf(text).toSorted(), want.toSorted()));

  test('leaves types, imports and names of properties alone', () =>
    assert.deepEqual(
      changesOf(
        "import { a } from './b.ts'; type T = 'x' | 1; interface I { readonly k: true } const x = { 'k-l': a as 'y' };",
      ),
      [],
    ));
});

describe('a mutant', () => {
  const text = 'const a = 1;\nconst b = 1;\n';
  test('keeps its name when the file changes elsewhere', () => {
    const before = mutantsIn(text).map(({ id }) => id);
    const after = mutantsIn(`// a comment\n${text}`).map(({ id }) => id);
    assert.deepEqual(after, before);
    assert.equal(new Set(before).size, before.length);
  });

  test('is drawn by a seed: a larger sample holds the smaller, another seed draws others', () => {
    const all = mutantsIn('export const f = (a: number) => [a + 1, a - 2, a * 3, a / 4, a % 5, a > 6, a < 7];');
    const ids = (seed: number, size: number) => sampleOf(all, seed, size).map(({ id }) => id);
    assert.deepEqual(ids(1, 5), ids(1, 9).slice(0, 5));
    assert.deepEqual(ids(1, 5), ids(1, 5));
    assert.notDeepEqual(ids(1, 9), ids(2, 9));
  });
});

test('equivalents name mutants that exist, each with a reason', () => {
  const files = [...new Set(EQUIVALENTS.map(({ file }) => file))];
  const texts = files.map((file) => [file, readFileSync(join(CHECKOUT, file), 'utf8')] as const);
  const all = parseTexts(Object.fromEntries(texts)).flatMap(mutantsOf);
  for (const row of EQUIVALENTS) {
    assert.ok(
      all.some((mutant) => equivalentOf(mutant, [row]) === row),
      `${row.file}: ${row.line}: ${row.mutation}`,
    );
    assert.ok(row.reason.length > 10);
  }
});

test('of ranges inside one another the innermost counts', () => {
  const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });
  assert.deepEqual(
    spansOf([{ ranges: [range(0, 100, 1), range(10, 30, 0), range(15, 20, 2)] }, { ranges: [range(50, 60, 0)] }]),
    [
      [0, 10],
      [15, 20],
      [30, 50],
      [60, 100],
    ],
  );
});

test('records hold what fits, and a half line is none', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-records-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'kept', 'records.jsonl');
  const first = await openRecords<{ readonly n: number }>(file, () => true);
  for (const n of [1, 2, 3]) await first.add({ n });
  await writeFile(file, '{"n":1}\n{"n":2}\n{"n":3}\n{"n":');
  const again = await openRecords<{ readonly n: number }>(file, ({ n }) => n > 1);
  assert.deepEqual(again.all, [{ n: 2 }, { n: 3 }]);
});

const source = `export const grade = (points: number): string => (points >= 50 ? 'passed' : 'failed');
export const unused = (): number => 7;
export const forever = (most: number): number => {
  let n = 0;
  while (n < most) n += 1;
  return n;
};
export const nameOf = (one?: { readonly name: string }) => one?.name;
`;
const tests = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forever, grade, nameOf } from '../../src/core/grade.ts';
test('grade', () => assert.equal(grade(70), 'passed'));
test('forever', () => assert.equal(forever(2), 2));
test('nobody', () => assert.equal(nameOf(), undefined));
`;

/** A project of one source and one test, as git knows it. */
async function tiny(): Promise<Copy & { readonly end: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'setpoint-tiny-'));
  for (const folder of ['src/core', 'test/core', 'node_modules']) await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'package.json'), '{ "type": "module" }');
  await writeFile(join(root, 'src/core/grade.ts'), source);
  await writeFile(join(root, 'test/core/grade.test.ts'), tests);
  execFileSync('git', ['init', '-q'], { cwd: root });
  const copy = await copyOf(root);
  return {
    ...copy,
    end: async () => Promise.all([copy[Symbol.asyncDispose](), rm(root, { recursive: true })]).then(() => undefined),
  };
}

test('a mutant is killed by a test that fails, missed where none does, and ended where one hangs', async (t) => {
  const copy = await tiny();
  t.after(copy.end);
  const coverage = await coverageOf(copy, 'test/core/grade.test.ts', {
    timeoutMs: 60_000,
    isSource: (file) => file.startsWith('src/'),
  });
  assert.equal(coverage.how, 'passed');
  const [file] = parseTexts({ 'src/core/grade.ts': source });
  assert.ok(file);
  const mutants = mutantsOf(file);
  const verdictOf = async (mutation: string) => {
    const mutant = mutants.find((one) => one.mutation === mutation);
    assert.ok(mutant, mutation);
    const found = await judge(mutant, [coverage], { copy, patienceMs: 60_000, timeoutOf: () => 20_000 });
    assert.equal(await copy.read('src/core/grade.ts'), source, 'the source is put back');
    return found;
  };
  const test = 'test/core/grade.test.ts';
  assert.deepEqual(await verdictOf('negation: >= → <'), { verdict: 'killed', by: test, ran: 1, covering: 1 });
  assert.deepEqual(await verdictOf('boundary: >= → >'), { verdict: 'survived', ran: 1, covering: 1 });
  assert.deepEqual(await verdictOf('number: 7 → 8'), { verdict: 'survived', ran: 0, covering: 0 });
  const inside = 'default: ?. → .';
  assert.deepEqual(
    await verdictOf(inside),
    { verdict: 'killed', by: test, ran: 1, covering: 1 },
    'where nothing after it ran',
  );
  const mutant = mutants.find(({ mutation }) => mutation === 'statement: n += 1; → ;');
  assert.ok(mutant);
  const hung = await judge(mutant, [coverage], { copy, patienceMs: 60_000, timeoutOf: () => 3_000 });
  assert.deepEqual(hung, { verdict: 'timeout', by: test, ran: 1, covering: 1 });
});
