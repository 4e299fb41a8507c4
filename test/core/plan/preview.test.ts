import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import { dialect as memory } from '../../../providers/memory/dialect.ts';
import { type Compiled, compile } from '../../../src/core/compile/compile.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import { difference } from '../../../src/core/plan/preview.ts';
import { diffText } from '../../../src/core/render/revision-diff.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

/**
 * Each `golden/diff/<case>.from.yaml` is compared with its `<case>.to.yaml`; what a person then reads is in `<case>.txt`. To
 * change one on purpose: `GOLDEN=write node --test …`; that run fails all the same.
 */
const folder = join(import.meta.dirname, '../../golden/diff');
const cases = globSync('*.from.yaml', { cwd: folder }).map((file) => basename(file, '.from.yaml'));
const dialects = { aws, gcp, azure, memory };
const today = '2027-01-31';

function compiled(file: string): Compiled {
  const { documents, problems } = parseSpecs([{ path: file, text: readFileSync(join(folder, file), 'utf8') }], today);
  const [estate] = ofKind(documents, 'Estate');
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (estate === undefined || errors.length > 0) throw new Error(JSON.stringify(errors));
  const hashes = { userData: () => 'hash', access: () => 'hash' };
  return compile({ estate: estate.value, documents, dialects, hashes, today });
}

function told(from: string, to: string): string {
  const compared = difference(compiled(from), compiled(to), { estate: 'acme', dialects });
  return `${diffText({ from: 'git:1a2b3c4d', to: 'git:5e6f7a8b', moved: [], looserGuards: [], ...compared })}\n`;
}

for (const name of cases.toSorted())
  test(`the difference of ${name}.from.yaml and ${name}.to.yaml reads as in ${name}.txt`, () => {
    const got = told(`${name}.from.yaml`, `${name}.to.yaml`);
    const path = join(folder, `${name}.txt`);
    const wanted = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    if (process.env['GOLDEN'] === 'write' && got !== wanted) writeFileSync(path, got);
    assert.equal(got, wanted);
  });

for (const name of cases)
  for (const file of [`${name}.from.yaml`, `${name}.to.yaml`])
    test(`${file} does not differ from itself`, () =>
      assert.match(told(file, file), /^Diff: 0 to add, 0 to change, 0 to replace, 0 to delete · commit [^\n]*\n$/));
