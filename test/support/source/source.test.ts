import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unexplainedEscapesOf } from './escapes.ts';
import { importsOf } from './imports.ts';
import { impuritiesOf } from './impurity.ts';
import { trespassesOf } from './layers.ts';
import { type ParsedFile, parseTexts } from './project.ts';

const TRICKS = '// import a from "x"; await any!\nexport const s = "import(\'x\') await Promise any as T";\n';

/** For each reader: a text, its path, and the expected result. */
const table: readonly {
  readonly name: string;
  readonly path?: string;
  readonly text: string;
  readonly read: (file: ParsedFile) => readonly unknown[];
  readonly want: readonly unknown[];
}[] = [
  {
    name: 'imports: every way to name a module',
    path: 'src/core/a.ts',
    text: [
      "import { b } from './b.ts';",
      "import type { c } from '../c.ts';",
      "export { d } from './d.ts';",
      "export * from 'e';",
      "type F = import('f').F;",
      "const g = import('node:fs');",
      'const h = import(b);',
      "const i = require('i');",
    ].join('\n'),
    read: (file) => importsOf(file).map(({ specifier, file: named }) => named ?? specifier),
    want: ['src/core/b.ts', 'src/c.ts', 'src/core/d.ts', 'e', 'f', 'node:fs', '<computed>', 'i'],
  },
  { name: 'imports: none in comments and strings', text: TRICKS, read: importsOf, want: [] },
  ...[
    ['core may not look outward', 'src/core/a.ts', '../ports/clock.ts', 'core may not import ports'],
    ['core may not use Node', 'src/core/a.ts', 'node:crypto', "core may not use Node's modules"],
    ['core may use zod', 'src/core/a.ts', 'zod', undefined],
    ['a package is not its namesake', 'src/core/a.ts', 'zod-plus', 'core may not use that package'],
    ['a package has inner paths', 'src/core/a.ts', 'zod/mini', undefined],
    [
      'a command may not reach the store',
      'src/cli/commands/plan.ts',
      '../../store/open.ts',
      'cli may not import store',
    ],
    ['one command is the sandbox', 'src/cli/commands/sandbox.ts', '../../../sandbox/index.ts', undefined],
    ['another is not', 'src/cli/commands/plan.ts', '../../../sandbox/index.ts', 'cli may not import sandbox'],
    [
      'a cloud may not know another',
      'providers/aws/a.ts',
      '../memory/b.ts',
      'providers/aws may not import providers/memory',
    ],
    ['a cloud keeps to its SDK', 'providers/gcp/a.ts', '@aws-sdk/client-ec2', 'providers/gcp may not use that package'],
    [
      'the sandbox knows no provider',
      'sandbox/a.ts',
      '../providers/aws/rate-limits.ts',
      'sandbox may not import providers/aws',
    ],
    ['the sandbox knows no core', 'sandbox/a.ts', '../src/core/cidr.ts', 'sandbox may not import core'],
    ['a root wires the store', 'src/bootstrap/cli.ts', '../store/open.ts', undefined],
    [
      'a root takes providers from the registry only',
      'src/bootstrap/cli.ts',
      '../../providers/aws/index.ts',
      'roots may not import providers/aws',
    ],
    ['an extension is written', 'src/core/a.ts', './b', 'relative imports end in .ts'],
    ['another folder is no layer', 'src/core/a.ts', '../lost/b.ts', 'that file lies in no layer'],
  ].map(([name = '', path = '', specifier, wrong]) => ({
    name: `trespass: ${name}`,
    path,
    text: `import '${specifier}';`,
    read: trespassesOf,
    want: wrong === undefined ? [] : [`${path}:1 imports ${specifier}: ${wrong}`],
  })),
  {
    name: 'trespass: a file in no layer',
    path: 'src/lost/a.ts',
    text: 'export {};',
    read: trespassesOf,
    want: ['src/lost/a.ts lies in no layer of test/support/source/layers.ts'],
  },
  {
    name: 'impurity: each kind',
    path: 'src/core/a.ts',
    text: [
      'async function a() { await b; }',
      'const c = Date.now() + Math.random();',
      'const d = new Date();',
      'const e = process.env;',
      'function f(): Promise<void> { return setTimeout(g, 1); }',
      'const h = [..."ab"].sort((x, y) => x.localeCompare(y));',
      'const i = Temporal.Now.instant(); const j = new Intl.Collator();',
    ].join('\n'),
    read: impuritiesOf,
    want: [
      'src/core/a.ts:1 async',
      'src/core/a.ts:1 await',
      'src/core/a.ts:2 Date.now',
      'src/core/a.ts:2 Math.random',
      'src/core/a.ts:3 the clock, through Date',
      'src/core/a.ts:4 process',
      'src/core/a.ts:5 Promise',
      'src/core/a.ts:5 setTimeout',
      'src/core/a.ts:6 localeCompare',
      'src/core/a.ts:7 Temporal.Now',
      'src/core/a.ts:7 Intl',
    ],
  },
  {
    name: 'impurity: a date that was given, and names of our own',
    text: 'const a = new Date("2026-01-01"); const b = { process: 1, m: (x: { fetch: 1 }) => x.fetch }; b.process;',
    read: impuritiesOf,
    want: [],
  },
  {
    name: 'impurity: a time that was given, in a time zone, and the names of time zones',
    text: 'const a = Temporal.PlainTime.from("09:00"); const b = Intl.supportedValuesOf("timeZone");',
    read: impuritiesOf,
    want: [],
  },
  { name: 'impurity: none in comments and strings', text: TRICKS, read: impuritiesOf, want: [] },
  {
    name: 'escapes: each kind, unexplained',
    path: 'src/core/a.ts',
    text: 'const a: any = 1;\nconst b = a!.c;\nconst d = a as string;\n// @ts-expect-error\nconst e = <string>a;',
    read: unexplainedEscapesOf,
    want: [
      'src/core/a.ts:4 @ts-',
      'src/core/a.ts:1 any',
      'src/core/a.ts:2 !',
      'src/core/a.ts:3 as',
      'src/core/a.ts:5 <type>',
    ],
  },
  {
    name: 'escapes: explained on the line, or alone above it',
    text: 'const d = a as string; // why: checked\n// why: checked\nconst e = a as string;\nconst f = [1] as const;',
    read: unexplainedEscapesOf,
    want: [],
  },
  {
    name: 'escapes: a reason at the end of the line above is that line’s',
    path: 'src/core/a.ts',
    text: 'const d = a as string; // why: checked\nconst e = a as string; // why:',
    read: unexplainedEscapesOf,
    want: ['src/core/a.ts:2 as'],
  },
  { name: 'escapes: none in comments and strings', text: TRICKS, read: unexplainedEscapesOf, want: [] },
];

describe('reading sources', () => {
  for (const { name, path = 'src/core/a.ts', text, read, want } of table) {
    it(name, () => assert.deepEqual(parseTexts({ [path]: text }).flatMap(read), want));
  }
});
