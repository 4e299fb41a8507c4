import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { checks } from '../../../src/core/documents/check-specs.ts';
import { renderProblem, suggest } from '../../../src/core/documents/problem.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';
import { assertGolden } from '../../support/golden.ts';

const cases: readonly { name: string; given: string; among: readonly string[]; want: string | undefined }[] = [
  { name: 'a letter too many', given: 'cidrr', among: ['name', 'cidr'], want: 'cidr' },
  { name: 'a letter missing', given: 'tagets', among: ['targets', 'rules'], want: 'targets' },
  { name: 'two neighbours swapped, in a short word', given: 'cdir', among: ['name', 'cidr'], want: 'cidr' },
  { name: 'a wrong letter', given: 'tcq', among: ['tcp', 'udp'], want: 'tcp' },
  { name: 'a wrong first letter', given: 'umage', among: ['image'], want: 'image' },
  { name: 'another case', given: 'PublicIP', among: ['publicIp'], want: 'publicIp' },
  { name: 'only the case of a very short name', given: 'A', among: ['a', 'b'], want: 'a' },
  { name: 'the nearest of several', given: 'subnt', among: ['subnets', 'subnet'], want: 'subnet' },
  { name: 'the first of equally near ones', given: 'web-3', among: ['web-1', 'web-2'], want: 'web-1' },
  { name: 'nothing for a short word that is all wrong', given: 'ab', among: ['cd', 'abc'], want: undefined },
  { name: 'nothing that takes three edits', given: 'descript', among: ['description'], want: undefined },
  { name: 'nothing that takes two edits and a swap', given: 'tragxtz', among: ['targets'], want: undefined },
  { name: 'an edit and a swap', given: 'tragxts', among: ['targets'], want: 'targets' },
  { name: 'nothing far away', given: 'network', among: ['size', 'image'], want: undefined },
  { name: 'nothing among nothing', given: 'x', among: [], want: undefined },
  { name: 'nothing for a very long word', given: 'x'.repeat(60), among: ['x'.repeat(60)], want: undefined },
];

for (const { name, given, among, want } of cases) {
  test(`suggest: ${name}`, () => assert.equal(suggest(given, among), want));
}

/**
 * Each `golden/specs/<case>.yaml` is read beside `base.yaml`, which is sound; what a person then reads is in
 * `<case>.txt`. One that begins with `# file: <path>` is a tree by itself, each such line beginning a file. To change one on purpose: `GOLDEN=write node --test …`; that run fails all the same, so that nobody
 * rewrites them without looking.
 */
const folder = join(import.meta.dirname, '../../golden/specs');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const goldenCases = globSync('*.yaml', { cwd: folder }).map((file) => basename(file, '.yaml'));

for (const name of goldenCases.toSorted()) {
  test(`problems of ${name}.yaml read as in ${name}.txt`, () => {
    const { problems } = parseSpecs(filesOf(name), '2027-01-31');
    const got = problems.map((problem) => `${renderProblem(problem)}\n`).join('\n');
    assertGolden(got, `specs/${name}.txt`);
  });
}

/** The memory cloud stands in for AWS, and has limits and words of its own: fewer checks speak of it. */
test('on the memory cloud other problems are found than on AWS as in memory-cloud.txt', () => {
  const found = (name: string, provider: string) =>
    parseSpecs(
      filesOf(name).map(({ path, text }) => ({
        path,
        text: text.replaceAll(/provider: aws\b/g, `provider: ${provider}`),
      })),
      '2027-01-31',
    ).problems.map(({ severity, code, at, message }) => `${at.file}:${at.line}: ${severity} ${code}: ${message}`);
  const told = goldenCases.toSorted().flatMap((name) => {
    const [aws, memory] = [found(name, 'aws'), found(name, 'memory')];
    const [less, more] = [aws.filter((one) => !memory.includes(one)), memory.filter((one) => !aws.includes(one))];
    return [...less.map((one) => `- ${one}`), ...more.map((one) => `+ ${one}`)];
  });
  assertGolden(`${told.join('\n')}\n`, 'memory-cloud.txt');
});

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
  const names = checks.map(({ name }) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  const missing = names.filter((name) => !goldenCases.includes(name));
  assert.deepEqual(missing, []);
  assert.equal(new Set(names).size, names.length);
});
