import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderProblem } from '../../src/core/documents/problem.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';
import { maskSecrets } from '../../src/source/source-lines.ts';

const masks: readonly { name: string; lines: readonly string[]; want: readonly string[] }[] = [
  { name: 'nothing secret', lines: ['a: 1', '  b: 2'], want: ['a: 1', '  b: 2'] },
  { name: 'a value', lines: ['password: hunter2'], want: ['password: ***'] },
  {
    name: 'a value in a flow, and all behind it',
    lines: ['a: { password: hunter2, b: 1 }'],
    want: ['a: { password: ***'],
  },
  { name: 'a quoted key', lines: ['"password" : "hunter2"'], want: ['"password" : ***'] },
  {
    name: 'other words for it',
    lines: ['apiToken: x', 'db_secret: y', 'privateKey: z'],
    want: ['apiToken: ***', 'db_secret: ***', 'privateKey: ***'],
  },
  {
    name: 'all lines that are indented deeper, blank ones between',
    lines: ['  password: |', '    hunter2', '', '    more', '  user: ops'],
    want: ['  password: ***', '    ***', '', '    ***', '  user: ops'],
  },
  {
    name: 'a key block, and what stands below it',
    lines: ['    -----BEGIN OPENSSH PRIVATE KEY-----', '    b3BlbnNzaC1rZXk', '  user: ops'],
    want: ['    -----BEGIN ***', '    ***', '  user: ops'],
  },
  { name: 'credentials', lines: ['credentials: AKIA'], want: ['credentials: ***'] },
  {
    name: 'what stands before the host of a URL, but for the user of ssh',
    lines: ['a: [https://t0ken@h/x, "ssh://git:hunter2@h/x"]', 'b: ssh://git@h/x'],
    want: ['a: [https://***@h/x, "ssh://***@h/x"]', 'b: ssh://git@h/x'],
  },
  {
    name: 'not a role',
    lines: [
      'credentials: { assumeRole: "arn:aws:iam::1:role/x" }',
      'credentials:',
      '  assumeRole: arn:aws:iam::1:role/x',
      '  env: x',
    ],
    want: [
      'credentials: { assumeRole: "arn:aws:iam::1:role/x" }',
      'credentials:',
      '  assumeRole: arn:aws:iam::1:role/x',
      '  ***',
    ],
  },
];

for (const { name, lines, want } of masks) {
  test(`mask: ${name}`, () => assert.deepEqual(maskSecrets(lines), want));
}

/** Each puts a secret where people put them by mistake, beside another slip that makes the line be shown. */
const leaks: readonly string[] = [
  'spec: { access: { password: hunter2 } }',
  'spec: { access: { pasword: x, password: hunter2 } }',
  'spec:\n  access:\n    password:\n      hunter2: x',
  'spec:\n  access:\n    password: |\n      hunter2\n    usr: x',
  'spec: { access: { password: { env: hunter2 } } }',
  'spec: { access: { password: [hunter2] } }',
  'spec: { credentials: hunter2 }',
  'spec: { access: { sshKeys: ["-----BEGIN OPENSSH PRIVATE KEY-----\\nhunter2"] } }',
  'spec:\n  access:\n    password: "hunter2',
  'spec:\n  access:\n    password: &hunter2 x',
  'spec:\n  access:\n    password: hunter2: hunter2',
];

for (const text of leaks) {
  test(`no problem shows the secret in ${JSON.stringify(text)}`, () => {
    for (const kind of ['Instance', 'Target']) {
      const file = { path: 'x.yaml', text: `kind: ${kind}\n${text}\n` };
      const shown = parseSpecs([file], '2027-01-31').problems.map((problem) => renderProblem(problem));
      assert.ok(shown.length > 1);
      assert.doesNotMatch(shown.join('\n'), /hunter2/);
    }
  });
}
