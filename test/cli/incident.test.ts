import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const allow = '--allow-endpoint';
const place = await sandboxed();
const { specs, sandbox } = place;
const run = commandLine();
assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
const writes = () => sandbox.control.log.entries({ mutating: true }).map(({ action }) => action);
test.beforeEach(() => sandbox.control.log.clear());
edit(specs, 'network.yaml', 'description: public site', 'description: our site');
const outage = ['incident', 'start', 'db-outage', specs, '--reason', '#4711', '--for', '4h'];

test('an incident shows the held work, the other work, its end, and the command that ends it', async () => {
  const { code, stdout } = await run(outage);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^Incident db-outage: it holds everything of the estate until \S+ \S+ UTC \(4 h\)\n/);
  assert.match(stdout, /\n {2}Goes on: healing that only narrows traffic\n/);
  assert.match(stdout, /\n {2}To end it: setpoint incident end db-outage --reason "…"\n/);
});

test('apply changes nothing, and names the incident', async () => {
  const { code, stdout } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 3);
  assert.match(stdout, /refused +update \S+: paused for the estate in incident db-outage by \S+ until /);
  assert.deepEqual(writes(), []);
});

test('the same name holds a further part, and status shows all of it at the top', async () => {
  const more = ['incident', 'start', 'db-outage', specs, '--owner', 'team-web', '--hold', 'healing'];
  assert.equal((await run([...more, '--hold-narrowing', '--reason', '#4711'])).code, 0);
  const { stdout } = await run(['status', specs]);
  assert.match(stdout, /^Status: acme · generation \d+ \(folder \w+\) · 1 INCIDENT · 1 change withheld\n/);
  const [, incident = ''] = stdout.split('\nINCIDENT\n');
  const lines = [
    /^ {2}db-outage until \S+ \S+ UTC, in 4 h, by \S+: #4711$/,
    /^ {4}holds everything of the estate; goes on: healing that only narrows traffic$/,
    /^ {4}setpoint incident end db-outage --reason "…"$/,
    /^ {2}db-outage until /,
    /^ {4}holds healing for owner team-web; goes on: changes of the specs$/,
  ];
  for (const [i, line] of lines.entries()) assert.match(incident.split('\n')[i] ?? incident, line);
  assert.doesNotMatch(stdout, /\nPaused\n/);
  const { pauses } = JSON.parse((await run(['status', specs, '--json'])).stdout);
  assert.deepEqual(
    pauses.map(({ incident: name, holdNarrowing }: { incident: string; holdNarrowing: boolean }) => [
      name,
      holdNarrowing,
    ]),
    [
      ['db-outage', false],
      ['db-outage', true],
    ],
  );
});

test('resume --all leaves an incident, and resume names the line that ends it', async () => {
  const because = ['--reason', 'x'];
  assert.match((await run(['resume', specs, '--all', ...because])).stdout, /^Resumed: nothing was paused/);
  const { code, stderr } = await run(['resume', specs, ...because]);
  assert.equal(code, 1);
  assert.match(stderr, /setpoint incident end db-outage --reason "…" {2}# /);
});

test('incidents are listed, and end by their name with everything that they hold', async () => {
  assert.match(
    (await run(['incident', 'list', specs])).stdout,
    /^Incidents: 1\ndb-outage until .*\n {2}holds everything/,
  );
  assert.equal(JSON.parse((await run(['incident', 'list', specs, '--json'])).stdout).incidents.length, 2);
  const unknown = await run(['incident', 'end', 'outage', specs, '--reason', 'over']);
  assert.match(unknown.stderr, /There is no active incident outage\.[\s\S]*Active incidents: db-outage/);
  const { stdout } = await run(['incident', 'end', 'db-outage', specs, '--reason', 'over']);
  assert.equal(stdout, 'Ended: incident db-outage (2 pauses)\n');
  assert.equal((await run(['incident', 'list', specs])).stdout, 'Incidents: none\n');
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  const entries = (await run(['ledger'])).stdout;
  assert.match(entries, /pause of incident db-outage by \S+: #4711[\s\S]*resume of incident db-outage by \S+: over/);
});

test('a name that nobody can type again is refused', async () => {
  const { code, stderr } = await run(['incident', 'start', 'db outage', specs, '--reason', 'x']);
  assert.notEqual(code, 0);
  assert.match(stderr, /Write a name of 1 to 63 letters/);
});
