import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import renamed from './words/renamed.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const path = join(root, 'CHANGELOG.md');

/** The heading of each part of renamed.json, in the order of the changelog. A part without one stands under its own name. */
const headings: Readonly<Record<string, string>> = {
  apiFields: 'API: fields and values',
  apiSchemas: 'API: schemas of the OpenAPI document',
  apiOperations: 'API: operation ids',
  apiPaths: 'API: paths',
  eventFields: 'Events: fields of `about`',
  healthPort: 'Health port: paths',
  cliOptions: 'Command line: options',
  cliFields: 'Command line: fields of the JSON',
  sqlColumns: 'SQL views: columns',
  sqlParameters: 'SQL functions: parameters',
  metrics: 'Metrics',
  logFields: 'Log: fields',
  logs: 'Log: messages',
};

const parts = Object.keys(renamed);
const ordered = [
  ...Object.keys(headings).filter((part) => parts.includes(part)),
  ...parts.filter((part) => !(part in headings)),
];

const tables = ordered.map((part) => {
  const words = new Map<string, Readonly<Record<string, string>>>(Object.entries(renamed)).get(part) ?? {};
  const rows = Object.entries(words).map(([from, to]) => `| ${quoted(from)} | ${to === '' ? 'removed' : quoted(to)} |`);
  return [`##### ${headings[part] ?? part}`, '', '| 0.1 | 0.2 |', '|---|---|', ...rows].join('\n');
});

function quoted(word: string): string {
  return `\`${word.replaceAll('|', '\\|')}\``;
}

/** To write the tables anew: GOLDEN=write npm test -- test/changelog.test.ts */
it('CHANGELOG.md lists every rename of test/words/renamed.json', () => {
  const text = readFileSync(path, 'utf8');
  const begin = text.indexOf('#### Renames\n');
  const end = text.indexOf('\n## [0.1.0]');
  assert.ok(begin > 0 && end > begin);
  const wanted = `${text.slice(0, begin)}#### Renames\n\n${tables.join('\n\n')}\n${text.slice(end)}`;
  if (process.env['GOLDEN'] === 'write' && text !== wanted) writeFileSync(path, wanted);
  assert.equal(text, wanted);
});

it('package.json has the newest version of CHANGELOG.md', () => {
  const [, newest] = /^## \[(\S+)\] - \d{4}-\d\d-\d\d$/m.exec(readFileSync(path, 'utf8')) ?? [];
  for (const file of ['package.json', 'package-lock.json'])
    assert.equal(JSON.parse(readFileSync(join(root, file), 'utf8')).version, newest, file);
});
