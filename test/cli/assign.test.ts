import assert from 'node:assert/strict';
import { test } from 'node:test';
import { served } from './server/support/served.ts';
import { commandLine, type Said } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';

const place = await sandboxed();
const here = commandLine();
const there = await served(here.database);
const store = here.database.connect();
const allow = '--allow-endpoint';
const address = 'aws/111122223333/eu-west-1/instance/web-0';
const applied = await here(['apply', place.specs, allow, '--yes']);
assert.equal(applied.code, 0, applied.stderr);

const asked = (args: readonly string[], who = 'operator'): Promise<Said> => there.ask(here, who)(args);
const notes = () => store.fleet.resourceNotes.list('acme', [address]);

test('a resource is taken on and let go here', async () => {
  const mine = await here(['assign', 'instance/web-0', place.specs, '--reason', 'I know this']);
  assert.equal(mine.code, 0, mine.stderr);
  assert.match(mine.stdout, /^Assigned: aws\/\S+\/instance\/web-0 to \S+\n$/);
  const [assignment] = (await notes()).assignments;
  assert.deepEqual([assignment?.address, assignment?.reason], [address, 'I know this']);
  const listed = await here(['ledger', address]);
  assert.match(listed.stdout, /note +assign by \S+: I know this\n/);
  const ended = await here(['assign', 'instance/web-0', place.specs, '--end']);
  assert.match(ended.stdout, /^Ended: the assignment of aws\/\S+ to \S+\n$/);
  const none = await here(['assign', address, place.specs, '--end', '--json']);
  assert.deepEqual(JSON.parse(none.stdout), {});
});

test('by a server it is taken on for the caller, with the words that it would be from here', async () => {
  const first = await here(['assign', address, place.specs]);
  const its = await asked(['assign', 'instance/web-0']);
  const person = first.stdout.match(/ to (\S+)\n/)?.[1] ?? '';
  assert.equal(
    its.stdout,
    `${first.stdout.replace(` to ${person}\n`, ' to operator of acme\n')}  Until now it was assigned to ${person}.\n`,
  );
  const json = JSON.parse((await asked(['assign', address, '--json', '--reason', 'still'])).stdout);
  assert.deepEqual([json.assignment.reason, json.replaced.actor], ['still', 'operator of acme']);
  const ended = await asked(['assign', address, '--end']);
  assert.equal(ended.stdout, `Ended: the assignment of ${address} to operator of acme\n`);
  assert.equal((await asked(['assign', address, '--end'])).stdout, 'Ended: nothing; nobody had taken it on\n');
});

test('a comment is written here and by a server', async () => {
  const mine = await here(['comment', 'instance/web-0', 'from the load test', place.specs]);
  const its = await asked(['comment', 'instance/web-0', 'ends on Friday']);
  assert.deepEqual([mine.stdout, its.stdout], [`Commented: ${address}\n`, `Commented: ${address}\n`]);
  assert.deepEqual(
    (await notes()).comments.map(({ text }) => text),
    ['ends on Friday', 'from the load test'],
  );
  const json = JSON.parse((await asked(['comment', address, 'more', '--json'])).stdout);
  assert.deepEqual(
    [json.comment.address, json.comment.text, json.comment.actor],
    [address, 'more', 'operator of acme'],
  );
});

const refused: readonly (readonly [args: readonly string[], says: RegExp])[] = [
  [['assign', 'nothing', place.specs], /The inventory has no such resource\.[\s\S]*setpoint inventory/],
  [['comment', 'instance/web-0', ' ', place.specs], /Add a reason/],
  [['comment', 'instance/web-0'], /missing required argument 'text'/],
  [['assign', address, place.specs, '--estate', 'acme'], /--estate needs --server/],
];
for (const [args, says] of refused)
  test(`refused: ${args.join(' ').replace(place.specs, 'specs')}`, async () => {
    const { code, stdout, stderr } = await here(args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, says);
  });

test('of several resources with one ending the command names them', async () => {
  const [row] = await store.rows.find({ seen: [{}], of: address });
  const twin = 'aws/111122223333/eu-west-1/group/web-0';
  const rows = row === undefined ? [] : [row, { ...row, key: twin, called: { ...row.called, address: twin } }];
  const where = { estate: 'acme', scope: 'aws/111122223333/eu-west-1' };
  await store.rows.keep(where, { at: Date.now() + 60_000, rows, gaps: [] });
  const { code, stderr } = await here(['comment', 'web-0', 'seen', place.specs]);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`Several resources[\\s\\S]*${twin}\\n[\\s\\S]*${address}`));
  assert.match((await asked(['comment', 'web-0', 'seen'])).stderr, /matches 2 addresses/);
});

test('refused by a server: what is not there, and without the permission', async () => {
  for (const args of [
    ['assign', 'nothing'],
    ['comment', 'nothing', 'seen'],
  ])
    assert.match((await asked(args)).stderr, /no such resource, or you may not see it/);
  assert.match((await asked(['assign', address], 'viewer')).stderr, /the permission plan/);
});
