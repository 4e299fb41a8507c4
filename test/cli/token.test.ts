import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authenticator } from '../../src/http/auth/authenticator.ts';
import { commandLine, realClock } from './support/in-process.ts';

const run = commandLine();
const day = 86_400_000;
const form = /^setpoint_[0-9a-f]{16}_[\w-]{43}\n$/;
const who = async (text: string) => {
  const { tokens } = run.database.connect();
  return authenticator({ apiTokens: { tokens, clock: realClock } })(`Bearer ${text.trim()}`);
};

test('where there is no store yet, there is nothing to list', async () => {
  const { code, stderr } = await run(['token', 'list']);
  assert.equal(code, 1);
  assert.match(stderr, /There is no store in \.setpoint/);
});

test('make: the token alone on stdout, what it is on stderr, and it lets in as it says', async () => {
  const bounds = ['--estate', 'acme', '--target', 'aws', '--target', 'gcp', '--owner', 'team-web'];
  await run.database.connect().ledger.note('acme', { began: true });
  const args = ['token', 'make', '--name', 'ann', '--role', 'approver', ...bounds, '--for', 'ann@acme.example'];
  const { code, stdout, stderr } = await run(args);
  assert.equal(code, 0, stderr);
  assert.match(stdout, form);
  assert.match(
    stderr,
    /^Made: token ann \(\w{16}\) for ann@acme\.example · approver on .* · until .* · shown this once\n$/,
  );
  assert.ok(!stderr.includes(stdout.trim().slice(-43)));
  const caller = await who(stdout);
  assert.deepEqual(caller?.grants, [
    { role: 'approver', estates: ['acme'], targets: ['aws', 'gcp'], owners: ['team-web'] },
  ]);
  assert.deepEqual([caller.person, caller.identities], ['ann@acme.example (token ann)', ['ann@acme.example']]);
  const left = (caller.expiresAt ?? 0) - Date.now();
  assert.ok(left > 90 * day - 60_000 && left <= 90 * day, 'for 90 days, as nothing else was said');
});

test('make: an estate that the store does not know yet is told, with those that it knows, and the token is made', async () => {
  const own = commandLine();
  const make = ['token', 'make', '--name', 'ci', '--role', 'planner'];
  const none = await own([...make, '--estate', 'acme', '--json']);
  assert.equal(none.code, 0);
  assert.match(none.stderr, /^Made: .*\nwarning: The store knows no estate "acme", .* None is known now\.\n$/);
  assert.deepEqual(JSON.parse(none.stdout).token.grants, [{ role: 'planner', estates: ['acme'] }]);
  const { ledger } = own.database.connect();
  for (const estate of ['acme', 'beta']) await ledger.note(estate, { began: true });
  const some = await own([...make, '--estate', 'acme', '--estate', 'acmee', '--estate', 'btea', '--estate', 'acmee']);
  assert.match(some.stdout, form);
  assert.match(some.stderr, /\nwarning: The store knows no estate "acmee", "btea", .* Known now: acme, beta\.\n$/);
  assert.doesNotMatch((await own([...make, '--estate', 'acme'])).stderr, /warning/);
  assert.doesNotMatch((await own(make)).stderr, /warning/);
});

test('make: one that may approve and speaks for nobody is told so', async () => {
  const { stderr } = await run(['token', 'make', '--name', 'first', '--role', 'admin']);
  assert.match(stderr, /admin on everything/);
  assert.match(stderr, /has no person, so it cannot approve/);
});

test('make --json: one object, with the text', async () => {
  const { stdout } = await run(['token', 'make', '--name', 'ci', '--role', 'planner', '--expires', '30d', '--json']);
  const { token, text } = JSON.parse(stdout);
  assert.match(`${text}\n`, form);
  assert.deepEqual([token.name, token.state, token.grants], ['ci', 'live', [{ role: 'planner' }]]);
  assert.deepEqual(Date.parse(token.expiresAt) - Date.parse(token.createdAt) > 29 * day, true);
});

test('list: newest first, without anything of a secret', async () => {
  const { stdout: text } = await run(['token', 'make', '--name', 'newest', '--role', 'viewer']);
  const { stdout } = await run(['token', 'list']);
  const [verdict, head, first] = stdout.split('\n');
  assert.match(verdict ?? '', /^Tokens: \d tokens, \d live$/);
  assert.match(head ?? '', /^ID +NAME +STATE +MAY +FOR +USED +MADE BY$/);
  assert.match(first ?? '', /^\w{16} +newest +until .* +viewer on everything +- +never +\S+$/);
  assert.ok(!stdout.includes(text.trim().slice(-43)));
  await who(text);
  assert.match((await run(['token', 'list'])).stdout, /newest .* \d+ ms ago|newest .* ago/);
});

test('revoke: of no use from then on, and still in the list', async () => {
  const { stdout: text } = await run(['token', 'make', '--name', 'lost', '--role', 'viewer']);
  const id = text.slice('setpoint_'.length, 'setpoint_'.length + 16);
  assert.ok(await who(text));
  const { code, stdout } = await run(['token', 'revoke', id]);
  assert.deepEqual([code, stdout], [0, `Revoked: token lost (${id})\n`]);
  assert.equal(await who(text), undefined);
  const { tokens } = JSON.parse((await run(['token', 'list', '--json'])).stdout);
  const found = tokens.find((one: { id: string }) => one.id === id);
  assert.deepEqual([found.state, typeof found.revokedAt, typeof found.revokedBy], ['revoked', 'string', 'string']);
});

const wrong: readonly (readonly [name: string, args: readonly string[], said: RegExp])[] = [
  ['no name', ['make', '--role', 'viewer'], /--name/],
  ['no role', ['make', '--name', 'a'], /--role/],
  ['an unknown role', ['make', '--name', 'a', '--role', 'owner'], /viewer, planner, approver, operator, admin/],
  ['a name of two words', ['make', '--name', 'a b', '--role', 'viewer'], /letters, digits/],
  ['for ever', ['make', '--name', 'a', '--role', 'viewer', '--expires', '3650d'], /at most a year/],
  ['for no time', ['make', '--name', 'a', '--role', 'viewer', '--expires', '0'], /at most a year/],
  ['a line break in a person', ['make', '--name', 'a', '--role', 'viewer', '--for', 'a\nb'], /the name that commits/],
  ['an unknown id', ['revoke', '0000000000000000'], /no token with that id/],
  ['a whole token in place of its id', ['revoke', `setpoint_0000000000000000_${'A'.repeat(43)}`], /not its id/],
];
for (const [name, args, said] of wrong)
  test(`${name}: refused`, async () => {
    const { code, stderr, stdout } = await run(['token', ...args]);
    assert.equal(code, 1);
    assert.match(stderr, said);
    assert.equal(stdout, '');
  });

test('the ledger says who made which', async () => {
  const { ledger } = run.database.connect();
  await ledger.note('acme', { began: true });
  await run(['token', 'make', '--name', 'ci', '--role', 'planner']);
  assert.match((await run(['ledger'])).stdout, /note +makeToken by \S+: ci\n/);
});
