import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { draftOf, settlementOf, workerOf } from '../store/fixtures.ts';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';

const allow = '--allow-endpoint';
const scope = 'aws/111122223333/eu-west-1';
const where = { estate: 'acme', scope };
const hourMs = 3_600_000;
const because = ['--reason', 'a freeze'];

/** The example estate, applied. */
async function standing() {
  const place = await sandboxed();
  const run = commandLine();
  const { code, stderr } = await run(['apply', place.specs, allow, '--yes']);
  assert.equal(code, 0, stderr);
  place.sandbox.control.log.clear();
  return {
    ...place,
    run,
    store: run.database.connect(),
    writes: () => place.sandbox.control.log.entries({ mutating: true }).map(({ action }) => action),
  };
}

const { run, specs, store } = await standing();
const pausesNow = () => store.fleet.pauses.active('acme');

test('without options everything of the estate is held, for 24 h, and the answer says so', async () => {
  const before = Date.now();
  const { code, stdout, stderr } = await run(['pause', specs, ...because]);
  assert.equal(code, 0, stderr);
  const [verdict, hint] = stdout.split('\n');
  assert.match(
    verdict ?? '',
    /^Paused: everything of the estate until \d{4}-\d\d-\d\d \d\d:\d\d UTC \(24 h, the default\)$/,
  );
  assert.equal(hint, '  To resume earlier: setpoint resume --reason "…"');
  const [held] = await pausesNow();
  assert.deepEqual([held?.what, held?.of, held?.reason], ['all', { by: 'estate' }, 'a freeze']);
  assert.ok((held?.until ?? 0) >= before + 24 * hourMs && (held?.until ?? 0) <= Date.now() + 24 * hourMs);
  const { stdout: entries } = await run(['ledger', '--json']);
  assert.deepEqual(JSON.parse(entries).entries.at(-1).body.note.pause.reason, 'a freeze');
  const { request, reason } = await store.fleet.requests.pendingState(where);
  assert.ok(request > 0 && /paused everything of the estate: a freeze/.test(reason ?? ''), 'a pass now');
  assert.match((await run(['ledger'])).stdout, /note +pause by \S+: a freeze\n/);
  const ended = await run(['resume', specs, '--reason', 'it is over']);
  assert.equal(ended.stdout, 'Resumed: everything of the estate (1 pause ended)\n');
  assert.deepEqual(await pausesNow(), []);
  assert.ok((await store.fleet.requests.pendingState(where)).request > request, 'a pass now');
});

/** The options, the paused part of the estate, and the options that end exactly that pause. */
const held: readonly (readonly [given: readonly string[], says: string, flags: string])[] = [
  [['--healing'], 'healing of the estate', '--healing'],
  [['--rollout', '--owner', 'team-web'], 'rollout for owner team-web', '--rollout --owner team-web'],
  [['--target', 'aws-prod'], 'everything for target aws-prod', '--target aws-prod'],
  [['--address', 'web-0'], `everything for address ${scope}/instance/web-0`, `--address ${scope}/instance/web-0`],
  [['--address', 'instance/web'], `everything for address ${scope}/instance/web`, `--address ${scope}/instance/web`],
];
for (const [given, says, flags] of held)
  test(`pause ${given.join(' ')}, and the line that ends it`, async () => {
    const { code, stdout, stderr } = await run(['pause', specs, ...given, ...because, '--for', '4h']);
    assert.equal(code, 0, stderr);
    assert.ok(stdout.startsWith(`Paused: ${says} until `), stdout);
    assert.match(stdout, /\(4 h\)\n/);
    assert.ok(stdout.includes(`setpoint resume ${flags} --reason`), stdout);
    const ended = await run(['resume', specs, ...flags.split(' '), ...because]);
    assert.equal(ended.stdout, `Resumed: ${says} (1 pause ended)\n`, ended.stderr);
    assert.deepEqual(await pausesNow(), []);
  });

test('the answer says how many calls are still on the way, and --wait waits for their end', async () => {
  const one = await workerOf(store, 'acme');
  const intended = await store.ledger.intend(one.reconcile, [draftOf('create', 'a'), draftOf('create', 'b')]);
  const first = await run(['pause', specs, ...because]);
  assert.match(first.stdout, /\n {2}2 calls are still in flight, without an answer yet\. Setpoint sends no more\.\n$/);
  await store.ledger.settle(one.reconcile, [settlementOf(intended[0])]);
  const late = await run(['pause', specs, ...because, '--wait', '1s', '--json']);
  assert.equal(JSON.parse(late.stdout).inFlight, 1, 'it waits no longer than it was told');
  const waits = run(['pause', specs, ...because, '--wait', '10m']);
  await setTimeout(600);
  await store.ledger.settle(one.reconcile, [settlementOf(intended[1])]);
  assert.match((await waits).stdout, /\n {2}No call is in flight\.\n$/);
  await one.lease.release();
  assert.match((await run(['resume', specs, '--all', ...because])).stdout, /\(3 pauses ended\)/);
});

test('until a moment, as one object', async () => {
  const until = new Date(Math.ceil(Date.now() / 1000) * 1000 + hourMs);
  const { stdout } = await run([
    'pause',
    specs,
    ...because,
    '--until',
    until.toISOString().replace('.000', ''),
    '--json',
  ]);
  const { estate, pause, scopes } = JSON.parse(stdout);
  assert.deepEqual([estate, pause.until, scopes], ['acme', until.getTime(), [scope]]);
  const ended = await run(['resume', specs, '--all', ...because, '--json']);
  assert.deepEqual(
    JSON.parse(ended.stdout).pauses.map(({ id }: { id: number }) => id),
    [pause.id],
  );
});

const refused: readonly (readonly [args: readonly string[], says: RegExp])[] = [
  [['pause', specs], /required option '--reason <text>' not specified/],
  [['pause', specs, '--reason', ' '], /'--reason <text>' argument ' ' is invalid\. Add a reason/],
  [['pause', specs, '--reason', 'a\u001b[2Jb'], /Write one line of at most 500 characters/],
  [
    ['pause', specs, ...because, '--owner', 'team-wbe'],
    /There is no owner "team-wbe"\.\n.*Did you mean team-web\? There are: team-data, team-net, team-ops, team-web/,
  ],
  [['pause', specs, ...because, '--target', 'nope'], /There is no target "nope"\.\n.*There are: aws-prod/],
  [
    ['pause', specs, ...because, '--address', 'wev-0'],
    /Nothing here has the address "wev-0"[\s\S]*Did you mean web-0\?/,
  ],
  [['pause', specs, ...because, '--healing', '--rollout'], /'--(healing|rollout)' cannot be used with option/],
  [['pause', specs, ...because, '--owner', 'team-web', '--target', 'aws-prod'], /cannot be used with option/],
  [['pause', specs, ...because, '--for', '4h', '--until', '2036-12-01T08:00Z'], /cannot be used with option/],
  [['pause', specs, ...because, '--until', '2026-12-01T08:00'], /Write a moment with its time zone/],
  [['pause', specs, ...because, '--until', '2020-12-01T08:00Z'], /would have ended already/],
  [['pause', specs, ...because, '--for', '0'], /would have ended already/],
  [['pause', specs, ...because, '--for', '367d'], /A pause lasts a year at most[\s\S]*mode: observe/],
  [['resume', specs], /required option '--reason <text>' not specified/],
  [['resume', specs, ...because, '--all', '--healing'], /cannot be used with option/],
  [['resume', specs, ...because, '--quarantined', scope], /is not in quarantine\.\n.*No scope is in quarantine\./],
];
for (const [args, says] of refused)
  test(`refused: ${args.filter((arg) => arg !== specs).join(' ')}`, async () => {
    const { code, stdout, stderr } = await run(args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, says);
    assert.deepEqual(await pausesNow(), []);
  });

test('without a store there is nothing to hold still', async () => {
  const { code, stderr } = await commandLine()(['pause', specs, ...because]);
  assert.equal(code, 1);
  assert.match(stderr, /There is no store in .*--dir/s);
});

test('a name that no document has any more can still be resumed; nothing paused is no error', async () => {
  const of = { by: 'owner', name: 'team-gone' } as const;
  await store.fleet.pauses.begin('acme', { what: 'all', of, reason: 'x', person: 'ann', until: Date.now() + hourMs });
  assert.equal((await run(['resume', specs, '--owner', 'team-gone', ...because])).code, 0);
  assert.deepEqual(await pausesNow(), []);
  const again = await run(['resume', specs, '--owner', 'team-gone', ...because]);
  assert.deepEqual([again.code, again.stdout], [0, 'Resumed: nothing was paused\n']);
});

test('resume ends what holds exactly that: of another it says which there are', async () => {
  await run(['pause', specs, '--healing', ...because]);
  await run(['pause', specs, '--owner', 'team-web', ...because]);
  const wrong = await run(['resume', specs, ...because]);
  assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /No pause covers exactly everything of the estate/);
  assert.match(wrong.stderr, /setpoint resume --healing --reason "…" {2}# .*: a freeze/);
  const near = await run(['resume', specs, '--owner', 'team-wen', ...because]);
  assert.match(near.stderr, /There is no owner "team-wen"\.\n.*Did you mean team-web\?/);
  assert.equal((await pausesNow()).length, 2);
  const all = await run(['resume', specs, '--all', ...because]);
  assert.equal(all.stdout, 'Resumed: healing of the estate, everything for owner team-web (2 pauses ended)\n');
});

test('a rollout that stopped goes on: by its name, or all', async () => {
  const [web, db] = ['web', 'db'].map((name) => `${scope}/instance/${name}`);
  const { rollouts } = store.fleet;
  for (const document of [web, db])
    await rollouts.stop(where, { document: document ?? '', generation: 1, why: 'web-0 failed' });
  const wrong = await run(['resume', specs, '--rollout-of', 'nope', ...because]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, new RegExp(`No rollout of "nope" has stopped[\\s\\S]*--rollout-of ${db}`));
  const { request } = await store.fleet.requests.pendingState(where);
  const one = await run(['resume', specs, '--rollout-of', 'web', ...because]);
  assert.deepEqual([one.code, one.stdout], [0, `Resumed: the rollout of ${web}\n`]);
  assert.deepEqual(
    (await rollouts.stopped(where)).map(({ document }) => document),
    [db],
  );
  assert.ok((await store.fleet.requests.pendingState(where)).request > request);
  assert.equal(
    (await run(['resume', specs, '--rollout-of', 'all', ...because])).stdout,
    `Resumed: the rollout of ${db}\n`,
  );
  assert.deepEqual(await rollouts.stopped(where), []);
  const none = await run(['resume', specs, '--rollout-of', 'all', ...because]);
  assert.deepEqual([none.code, none.stdout], [0, 'Resumed: no rollout was stopped\n']);
});

test('a scope in quarantine has passes again', async () => {
  const { quarantine } = store.fleet;
  await quarantine.put(where, 'x is not a function', 1);
  const wrong = await run(['resume', specs, '--quarantined', 'aws/1/x', ...because]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, new RegExp(`aws/1/x is not in quarantine\\.\n.*Scopes in quarantine: ${scope}`));
  const { code, stdout } = await run(['resume', specs, '--quarantined', scope, ...because]);
  assert.deepEqual([code, stdout], [0, `Resumed: ${scope} is out of quarantine\n`]);
  assert.deepEqual(await quarantine.list(), []);
  assert.match((await run(['ledger'])).stdout, /resumeQuarantined by \S+: /);
});

test('what runs in a scope that this folder does not know looks again too', async () => {
  const elsewhere = { estate: 'acme', scope: 'aws/111122223333/us-east-1' };
  const held = await store.leases.acquire('acme', elsewhere.scope, 'worker-1');
  const duty = await store.leases.acquire('acme', 'specs', 'worker-1');
  assert.ok(held.ok && duty.ok);
  await run(['pause', specs, ...because]);
  await run(['resume', specs, ...because]);
  assert.ok((await store.fleet.requests.pendingState(elsewhere)).request > 0);
  assert.equal((await store.fleet.requests.pendingState({ estate: 'acme', scope: 'specs' })).request, 0);
  await Promise.all([held.lease.release(), duty.lease.release()]);
});
