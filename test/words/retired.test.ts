import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isIdentifier, isStringLiteral } from 'typescript/unstable/ast/is';
import { nodesOf, parseCheckout } from '../support/source/project.ts';
import renamed from './renamed.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');

/** Every file of these folders that a person wrote, as path and text. */
function filesOf(folders: readonly string[], ending: RegExp): readonly (readonly [string, string])[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && ending.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')] as const),
  );
}

const sources = filesOf(['src', 'providers'], /\.ts$/);
const docs = [...filesOf(['docs'], /\.md$/), ['README.md', readFileSync(join(root, 'README.md'), 'utf8')] as const];
const current = docs.filter(([path]) => !path.startsWith('docs/adr/'));

/** The paths of the files that contain `text`. */
const holding = (files: readonly (readonly [string, string])[], text: string): readonly string[] =>
  files.filter(([, content]) => content.includes(text)).map(([path]) => path);

describe('words that Setpoint renamed', () => {
  for (const [before, after] of Object.entries(renamed.logs)) {
    const quoted = (message: string): string => `'${message.replaceAll("'", "\\'")}'`;
    it(`log message: ${after}`, () => {
      assert.deepEqual(holding(sources, `(${quoted(before)}`), [], 'the old message is gone');
      const isSaid = [quoted(after), `"${after}"`].some((text) => holding(sources, text).length > 0);
      assert.ok(isSaid, 'the new message is logged');
    });
  }

  for (const [before, after] of Object.entries(renamed.metrics))
    it(`metric: ${after}`, () => {
      assert.deepEqual(holding([...sources, ...current], before), []);
      assert.deepEqual(holding(sources, after), ['src/telemetry/telemetry.ts']);
    });

  for (const [before, after] of Object.entries(renamed.cliOptions))
    it(`option of the command line: ${after}`, () => {
      assert.deepEqual(holding([...sources, ...current], before), []);
      assert.ok(holding(sources, `'${after}`).includes('src/cli/program.ts'));
    });

  for (const [before, after] of Object.entries(renamed.healthPort))
    it(`path of the health port: ${after}`, () => {
      assert.deepEqual(holding([...sources, ...current], `\`${before}\``), []);
      assert.notDeepEqual(holding(current, `\`${after}\``), []);
    });
});

/** Invented nouns that the code no longer has. Plurals and parts of names count. */
const inventedNouns = [
  ...['happening', 'wish', 'wished', 'caretaker', 'runway', 'board', 'yard', 'soil', 'errand', 'pulse', 'chronicle'],
  ...[
    'bygone',
    'charter',
    'chartered',
    'blot',
    'discreet',
    'turnstile',
    'seat',
    'warrant',
    'crew',
    'timetable',
    'deed',
    'lane',
    'pass',
    'bell',
    'announce',
  ],
];

/** Invented names of more than one word: each word is plain by itself. */
const inventedPhrases = [
  'in force',
  'told by',
  'most told',
  'losses told',
  'told authors',
  'told reconcile',
  'has untold',
  'never shown',
];

interface Exception {
  /** A name as it stands in the code. */
  readonly name: RegExp;
  readonly at: RegExp;
  readonly reason: string;
}

const exceptions: readonly Exception[] = [
  {
    name: /^(forgotten_)?happenings$/,
    at: /^src\//,
    reason: 'the tables happenings and forgotten_happenings',
  },
  {
    name: /^(requests\.)?wish$/,
    at: /^src\/store\/(tables|fleet)\.ts$/,
    reason: 'the column requests.wish',
  },
  {
    name: /^caretaker$/,
    at: /^src\/ports\/leases\.ts$/,
    reason: 'the scope of a stored lease, which workers of version 0.1 take too',
  },
  {
    name: /^lanes$/,
    at: /^src\/(engine\/(calls|control)|fleet\/recorder|http\/api\/schemas\/reconcile|ports\/reconciles)\.ts$/,
    reason: 'the field lanes of stored timelines',
  },
  {
    name: /^lane$/,
    at: /^src\/store\/budgets\/(postgres-shares|shares)\.ts$/,
    reason: 'the column budgets.lane, and the field lane of its column state',
  },
  {
    name: /^lane$/,
    at: /^src\/store\/redis\/rate-limits\.ts$/,
    reason: 'keys of Redis',
  },
  {
    name: /^((last_)?passes(\.at)?|pass(\.\w+)?)$/,
    at: /^src\/store\/(reconciles|retention|tables)\.ts$/,
    reason: 'the tables passes and last_passes',
  },
  {
    name: /^pass$/,
    at: /^src\/(http\/api\/(schemas\/event|visible-records)|ports\/events|queue\/jobs)\.ts$/,
    reason: 'a stored type of events, and the name of queued jobs',
  },
  {
    name: /^nextPassAt$/,
    at: /^src\/http\/api\/schemas\/event\.ts$/,
    reason: 'a field of events that version 0.1 stored',
  },
  {
    name: /^(letPass|mayPass|passTo|passMark)$/,
    at: /^(src|providers)\//,
    reason: 'the English verb',
  },
  {
    name: /^passes$/,
    at: /^sandbox\/(compute\/(filter|listing)|ec2\/(listing|actions\/(instance-credits|surroundings|tag)))\.ts$/,
    reason: 'the English verb: a record passes a filter',
  },
  {
    name: /^pass$/,
    at: /^bench\/queue\.ts$/,
    reason: 'the name of queued jobs, which the bench adds by BullMQ itself',
  },
  {
    name: /^second-pass$/,
    at: /^bench\//,
    reason: 'a figure that the bench prints',
  },
  {
    name: /^bells(\.rung)?$/,
    at: /^src\/store\/(sources|tables)\.ts$/,
    reason: 'the table bells',
  },
  {
    name: /^never_shown$/,
    at: /^src\/store\/(knowledge|settle|tables)\.ts$/,
    reason: 'the column intents.never_shown',
  },
  {
    name: /^in-force$/,
    at: /^src\/(ports\/queries|queries\/plans)\.ts$/,
    reason: 'a stored value of saved plans',
  },
];

/** The words of a name: `makeWish` has make and wish. Without a plural `s` or `es`, too. */
const wordsOf = (name: string): readonly string[] =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).flatMap((word) => {
    const small = word.toLowerCase();
    return [small, small.replace(/s$/, ''), small.replace(/es$/, '')];
  });

/** The words of a name in their order, with a space around each: ` make wish `. */
const phraseOf = (name: string): string =>
  ` ${(name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).join(' ').toLowerCase()} `;

const isInvented = (name: string): boolean =>
  wordsOf(name).some((word) => inventedNouns.includes(word)) ||
  inventedPhrases.some((phrase) => phraseOf(name).includes(` ${phrase} `));

/** Identifiers, and texts that are one word: members of enums, keys, names of columns. */
const named = parseCheckout()
  .filter(({ path }) => /^(src|providers|sandbox|bench|chaos|scripts)\//.test(path))
  .flatMap(({ path, tree }) =>
    [...nodesOf(tree)].flatMap((node) => {
      if (isIdentifier(node)) return [{ name: node.text, path }];
      return isStringLiteral(node) && /^[\w.-]+$/.test(node.text) ? [{ name: node.text, path }] : [];
    }),
  )
  .filter(({ name }) => isInvented(name));

describe('invented nouns', () => {
  it('name nothing but stored data, figures and the English verb', () => {
    const left = named.filter(({ name, path }) => !exceptions.some((one) => one.name.test(name) && one.at.test(path)));
    assert.deepEqual([...new Set(left.map(({ name, path }) => `${path}: ${name}`))], []);
  });

  for (const { name, at, reason } of exceptions)
    it(`the exception is still needed: ${reason}`, () =>
      assert.ok(named.some((one) => name.test(one.name) && at.test(one.path))));
});
