import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { workerOn } from './support/worker.ts';

const run = commandLine();
const { specs } = await sandboxed();
const allow = '--allow-endpoint';

const row = (price: string): string =>
  `    - { provider: aws, ${price}, source: "https://prices.example/", read: 2027-01-02 }\n`;
const medium = row('size: t3.medium, perHour: 0.04');
const prices = `apiVersion: setpoint.dev/v1
kind: Prices
metadata: { name: list }
spec:
  currency: EUR
  prices:
${row('size: t3.small, perHour: 0.02')}${row('diskType: gp3, perGbMonth: 0.1')}${row('publicIp: true, perHour: 0.005')}`;
const web = 730 * 0.025 + 2;
const db = 730 * 0.04 + 10;
const most = Math.ceil(2 * web + db);
const limit = (cost: string): void => edit(specs, 'estate.yaml', '    deletes: 5', `    cost: ${cost}\n    deletes: 5`);
const plan = async (...more: readonly string[]): Promise<string> => (await run(['plan', specs, allow, ...more])).stdout;

test('a limit on the cost needs prices in its currency', async () => {
  limit('{ monthly: 10, currency: USD }');
  const bare = await run(['validate', specs]);
  assert.equal(bare.code, 1);
  assert.match(bare.stdout + bare.stderr, /a limit on the cost, and no prices/);
  writeFileSync(join(specs, 'prices.yaml'), prices);
  const other = await run(['validate', specs]);
  assert.match(other.stdout + other.stderr, /this limit is in USD, the prices are in EUR/);
  edit(specs, 'estate.yaml', '10, currency: USD', `${most}, currency: EUR`);
  assert.equal((await run(['validate', specs])).code, 0);
});

test('a machine without a price is withheld, and the rest is not', async () => {
  const held = await plan();
  assert.match(held, /no price for aws eu-west-1 t3\.medium: add it to prices\.yaml/);
  const { summary } = JSON.parse(await plan('--json'));
  assert.equal(summary.withheld, 1);
  writeFileSync(join(specs, 'prices.yaml'), prices + medium);
});

test('changes that raise the cost above the limit are withheld, and a person allows a sum', async () => {
  const held = await plan();
  const sum = (3 * web + db).toFixed(2);
  assert.match(held, new RegExp(`^Cost: 0\\.00 EUR a month, as now · limit ${most}\\.00$`, 'm'));
  assert.match(
    held,
    new RegExp(`the estate would cost ${sum} EUR a month, the limit is ${most}\\.00 \\(limits\\.cost\\)`),
  );
  assert.match(held, /this change adds 20\.25\. Raise limits\.cost, or allow it with: setpoint apply --allow-cost /);
  const { cost, summary } = JSON.parse(await plan('--json'));
  assert.deepEqual([cost.limit, summary.withheld], [most, 4]);
  assert.equal(JSON.parse(await plan('--json', '--allow-cost', sum)).summary.withheld, 0);
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 2');
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  edit(specs, 'instances.yaml', 'replicas: 2', 'replicas: 3');
  const refused = await run(['apply', specs, allow, '--yes']);
  assert.equal(refused.code, 3, refused.stderr);
  const explained = await run(['explain', 'aws/111122223333/eu-west-1/instance/web-2', '--specs', specs, allow]);
  assert.match(explained.stdout, /limits\.cost/, explained.stderr);
  const allowed = await run(['apply', specs, allow, '--yes', '--allow-cost', sum]);
  assert.equal(allowed.code, 0, allowed.stdout + allowed.stderr);
  assert.match(await plan(), new RegExp(`^Cost: ${sum} EUR a month, as now · limit ${most}\\.00$`, 'm'));
});

test('the ledger says by how much an intent raised the cost', async () => {
  const { entries } = JSON.parse((await run(['ledger', '--json', '--limit', '200'])).stdout);
  const raises = entries.flatMap(({ type, body }: { type: string; body: { raisesCostBy?: number } }) =>
    type === 'intent' && body.raisesCostBy !== undefined ? [Math.round(body.raisesCostBy * 100) / 100] : [],
  );
  assert.deepEqual(raises.toSorted(), [20.25, 20.25, 20.25, 39.2]);
});

test('a removal of the limit counts from the next commit on', async () => {
  edit(specs, 'estate.yaml', `    cost: { monthly: ${most}, currency: EUR }\n`, '');
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 4');
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 3);
  assert.match(await plan(), /limits\.cost/);
  edit(specs, 'instances.yaml', 'tier: web', 'tier: web, a: b');
  const free = await run(['apply', specs, allow, '--yes']);
  assert.equal(free.code, 0, free.stderr);
});

test('an approval lets workers launch the withheld machines, and no more', async () => {
  const own = await sandboxed();
  const line = commandLine();
  const store = line.database.connect();
  const worker = workerOn(line.database);
  const where = { estate: 'acme', scope: 'aws/111122223333/eu-west-1' };
  const machines = () => [...own.sandbox.control.ec2.region('111122223333', 'eu-west-1').instances.values()].length;
  writeFileSync(join(own.specs, 'prices.yaml'), prices + medium);
  edit(own.specs, 'estate.yaml', '    deletes: 5', '    cost: { monthly: 10, currency: EUR }\n    deletes: 5');
  edit(own.specs, 'estate.yaml', 'mode: plan ', 'mode: enforce ');
  await line(['apply', own.specs, allow, '--yes']);
  await worker(where);
  assert.equal(machines(), 0);
  const status = await line(['status', own.specs]);
  assert.match(status.stdout, /Withheld by a limit[\s\S]*would cost \d+\.\d\d EUR a month/);
  const approved = await line(['approve', own.specs, allow, '--reason', 'budget 12'], 'yes\n');
  assert.equal(approved.code, 0, approved.stderr);
  assert.match(approved.stdout, /^Approved: 4 changes of acme/);
  await worker(where);
  assert.equal(machines(), 4);
  const costs = await store.fleet.costs.list('acme');
  assert.equal(costs[0]?.cost?.monthly.toFixed(2), (3 * web + db).toFixed(2));
  edit(own.specs, 'instances.yaml', 'replicas: 3', 'replicas: 4');
  await line(['apply', own.specs, allow, '--yes']);
  await worker(where);
  assert.equal(machines(), 4);
});
