import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { renderProblem } from '../../../src/core/spec/problem.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

/**
 * Each `golden/specs/<case>.yaml` is read beside `base.yaml`, which is sound; what a person then reads is in
 * `<case>.txt`. One that begins with `# file: <path>` is a tree by itself, each such line beginning a file. To change one on purpose: `GOLDEN=write node --test …`; that run fails all the same, so that nobody
 * rewrites them without looking.
 */
const folder = join(import.meta.dirname, '../../golden/specs');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const cases = globSync('*.yaml', { cwd: folder }).map((file) => basename(file, '.yaml'));

for (const name of cases.toSorted()) {
  test(`problems of ${name}.yaml read as in ${name}.txt`, () => {
    const { problems } = parseSpecs(filesOf(name), '2027-01-31');
    const got = problems.map((problem) => `${renderProblem(problem)}\n`).join('\n');
    const wanted = existsSync(join(folder, `${name}.txt`)) ? read(`${name}.txt`) : undefined;
    if (process.env['GOLDEN'] === 'write' && got !== wanted) writeFileSync(join(folder, `${name}.txt`), got);
    assert.equal(got, wanted);
  });
}

function filesOf(name: string): readonly { readonly path: string; readonly text: string }[] {
  const base = { path: 'base.yaml', text: read('base.yaml') };
  const text = read(`${name}.yaml`);
  if (!text.startsWith(FILE)) return name === 'base' ? [base] : [base, { path: `${name}.yaml`, text }];
  const files = text.split(new RegExp(`^${FILE}`, 'm')).slice(1);
  return files.map((file) => {
    const [path = ''] = file.split('\n', 1);
    return { path, text: file.slice(path.length + 1) };
  });
}

const FILE = '# file: ';

test('every check has a golden case', () => {
  const checks = globSync('*.ts', { cwd: join(import.meta.dirname, '../../../src/core/spec/check') });
  const missing = checks.map((file) => basename(file, '.ts')).filter((name) => !cases.includes(name));
  assert.deepEqual(missing.toSorted(), ['index', 'instance-rows', 'place']);
});
