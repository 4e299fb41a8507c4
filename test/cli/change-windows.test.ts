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
const freeze = (to: string) =>
  `\n  freezes:\n    - { name: sale, from: 2020-01-01T00:00, to: ${to}, timeZone: Europe/Berlin, reason: the sale }\n`;
const newImage = 'groups: [db]\n  image: ami-0abcdef1234567891';
const dbImage = 'groups: [db]\n  image: ami-0abcdef1234567890';
const spec = 'spec:';
edit(specs, 'estate.yaml', spec, `${spec}${freeze('2100-01-01T00:00')}`);

test('plan shows what a freeze holds, and until when, with a store and without one', async () => {
  for (const how of [[], ['--dir', '/nowhere']]) {
    const { code, stdout } = await run(['plan', specs, allow, ...how]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /· firewall-rule \S+ withheld {2}frozen by sale: the sale\. It opens Fri 2100-01-01 00:00 Europe\/Berlin\./,
    );
  }
});

test('apply changes nothing within a freeze, says so, and exits 3', async () => {
  const { code, stdout } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /refused +update \S+\/firewall-rule\/\S+: frozen by sale: the sale/);
  assert.deepEqual(writes(), []);
});

test('--break-glass needs a reason', async () => {
  const { code, stderr } = await run(['apply', specs, allow, '--yes', '--break-glass']);
  assert.notEqual(code, 0);
  assert.match(stderr, /--break-glass needs a reason/);
  assert.deepEqual(writes(), []);
});

test('--break-glass passes a freeze and no protection, and says so loudly, and for ever', async () => {
  edit(specs, 'instances.yaml', dbImage, newImage);
  const how = ['--yes', '--break-glass', '--reason', 'incident 4711'];
  const { code, stdout, stderr } = await run(['apply', specs, allow, ...how]);
  assert.match(
    stderr,
    /BREAK GLASS: 1 change passes change windows and freezes: incident 4711\n {2}1 change frozen by sale: the sale\. It opens Fri 2100-01-01 00:00 Europe\/Berlin\.\n/,
  );
  assert.match(stdout, /BREAK GLASS: no change window and no freeze held 1 change \(ledger entry \d+\): incident 4711/);
  assert.match(stdout, /refused +replace \S+\/instance\/db-0: protected/);
  assert.equal(code, 3);
  assert.notDeepEqual(writes(), []);
  edit(specs, 'instances.yaml', newImage, dbImage);
  const entries = JSON.parse((await run(['ledger', '--json'])).stdout).entries;
  const note = entries
    .map(({ body }: { body: { note?: { breakGlass?: object } } }) => body.note?.breakGlass)
    .find(Boolean);
  assert.equal(note.reason, 'incident 4711');
  assert.equal(note.changes, 1);
  assert.match(note.addresses[0], /firewall-rule/);
  assert.match((await run(['ledger'])).stdout, /breakGlass by \S+: incident 4711/);
  const status = await run(['status', specs]);
  assert.match(
    status.stdout,
    /^Status: acme · generation 3 \(folder \w+\) · 1 BREAK GLASS · 1 freeze · 1 change withheld\n/,
  );
  assert.match(status.stdout, /\nBREAK GLASS\n {2}\S+ \S+ UTC, by \S+: incident 4711 \(1 change, ledger entry \d+\)\n/);
  assert.match(
    status.stdout,
    /\nChange windows and freezes\n {2}freeze sale: on, ends Fri 2100-01-01 00:00 Europe\/Berlin, in \d+ d: the sale\n/,
  );
  const { calendar, breakGlass } = JSON.parse((await run(['status', specs, '--json'])).stdout);
  assert.deepEqual([calendar[0].type, calendar[0].active, breakGlass[0].reason], ['freeze', true, 'incident 4711']);
});

test('--break-glass says where it has no effect, and writes no entry', async () => {
  const before = JSON.parse((await run(['ledger', '--json'])).stdout).total;
  const how = ['--yes', '--break-glass', '--reason', 'to be sure'];
  const { code, stderr, stdout } = await run(['apply', specs, allow, ...how]);
  assert.equal(code, 0, stdout);
  assert.match(stderr, /--break-glass has no effect/);
  assert.equal(JSON.parse((await run(['ledger', '--json'])).stdout).total, before);
});

test('a freeze that is removed holds until the next commit', async () => {
  edit(specs, 'network.yaml', 'description: our site', 'description: a site');
  edit(specs, 'estate.yaml', freeze('2100-01-01T00:00'), '');
  const { code, stdout } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /That is so in the generation before; that it is looser counts from the next one on\./);
  assert.deepEqual(writes(), []);
  edit(specs, 'network.yaml', 'description: a site', 'description: the site');
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  assert.notDeepEqual(writes(), []);
});

test('a freeze that begins while apply sends holds the unsent changes', async () => {
  const own = commandLine();
  const { specs: other, sandbox: cloud } = await sandboxed();
  assert.equal((await own(['apply', other, allow, '--yes'])).code, 0);
  const begins = { name: 'later', from: '2090-01-01T00:00', to: '2099-01-01T00:00', reason: 'the sale' };
  edit(other, 'estate.yaml', spec, `${spec}\n  freezes: [${JSON.stringify(begins)}]`);
  edit(other, 'network.yaml', 'description: public site', 'description: our site');
  const store = own.database.connect();
  let time = Date.parse('2089-12-31T23:59Z');
  const { intend } = store.ledger;
  const ledger = {
    ...store.ledger,
    now: async () => time,
    intend: (...args: Parameters<typeof intend>) => {
      time = Date.parse('2090-01-01T00:00Z');
      return intend(...args);
    },
  };
  const database = { ...own.database, connect: () => ({ ...store, ledger }) };
  cloud.control.log.clear();
  const { code, stdout } = await commandLine({ database })(['apply', other, allow, '--yes']);
  assert.match(stdout, /refused +update \S+\/firewall-rule\/\S+: frozen by later: the sale\. It opens Thu 2099-01-01/);
  assert.equal(code, 1, 'what was approved is not done');
  assert.deepEqual(cloud.control.log.entries({ mutating: true }), []);
});
