import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaintOf } from '../../../src/source/git/git-complaint.ts';
import { gitEnvironment } from '../../../src/source/git/git-environment.ts';
import { assertHidden, canary } from '../../support/canary.ts';

const token = { value: canary, url: 'https://git.acme.example/' };
const env = gitEnvironment('/srv/mirror', { isFile: false, token }, { PATH: '/bin' });
const complaint = (stderr: string): string => complaintOf({ code: 128, stdout: Buffer.alloc(0), stderr }, env);

const rows: readonly { said: string; want: RegExp }[] = [
  {
    said: "fatal: unable to access 'https://h/x/': Could not resolve host: h",
    want: /Could not resolve host: h\. Is the host written right/,
  },
  {
    said: "fatal: could not read Username for 'https://h': terminal prompts disabled",
    want: /SETPOINT_SECRET_GIT_TOKEN/,
  },
  { said: "fatal: unable to access 'https://h/x/': The requested URL returned error: 403", want: /TOKEN/ },
  { said: "fatal: unable to access 'https://h/x/': The requested URL returned error: 302", want: /not followed/ },
  { said: 'Host key verification failed.\nfatal: Could not read from remote repository.', want: /known_hosts/ },
  {
    said: 'git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    want: /ssh agent, or set SETPOINT_GIT_SSH_COMMAND/,
  },
  { said: "fatal: detected dubious ownership in repository at '/srv/x'", want: /run this as that user/ },
  { said: 'error: object abc: hasDotgit: contains .git\nfatal: fsck error in packed object', want: /git fsck/ },
  { said: "fatal: unable to access 'https://h/': SSL certificate problem: self-signed certificate", want: /CA_FILE/ },
  { said: "error: unknown option `batch-command'", want: /git 2\.36/ },
  { said: 'hint: think\nsomething new', want: /^something new$/ },
  { said: '', want: /^git ended with 128$/ },
];

for (const { said, want } of rows)
  test(`git says ${JSON.stringify(said.slice(0, 60))}`, () => assert.match(complaint(said), want));

test('no complaint shows a credential or moves a cursor, whatever the server says', () => {
  const basic = Buffer.from(`x-access-token:${canary}`).toString('base64');
  const lines = [
    `fatal: bad ${canary}`,
    `fatal: unable to access 'https://ada:${canary}@h/x'`,
    `fatal: sent Authorization: Basic ${basic}`,
    `fatal: ${basic}`,
  ];
  for (const line of lines) assertHidden(complaint(line));
  assert.equal(complaint('fatal: a\u001b[2J\u202eb'), 'a [2J b');
  assert.ok(complaint(`fatal: ${'x'.repeat(10_000)}`).length < 400);
});
