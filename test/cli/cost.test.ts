import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CreateSecurityGroupCommand,
  DescribeInstancesCommand,
  EC2Client,
  StopInstancesCommand,
} from '@aws-sdk/client-ec2';
import { served } from './server/support/served.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const run = commandLine();
const { specs, sandbox } = await sandboxed();
const allow = '--allow-endpoint';

const prices = `apiVersion: setpoint.dev/v1
kind: Prices
metadata: { name: list }
spec:
  currency: EUR
  prices:
    - { provider: aws, region: eu-west-1, size: t3.small, perHour: 0.02, source: "https://prices.example/", read: 2027-01-02 }
    - { provider: aws, region: eu-west-1, diskType: gp3, perGbMonth: 0.1, source: "https://prices.example/", read: 2027-01-02 }
    - { provider: aws, publicIp: true, perHour: 0.005, source: "https://prices.example/", read: 2027-01-02 }
`;
const web = 730 * 0.025 + 2;
const db = 10;

test('a plan without prices says nothing of cost', async () => {
  const { stdout } = await run(['plan', specs, allow]);
  assert.doesNotMatch(stdout, /Cost/);
  assert.ok(!('cost' in JSON.parse((await run(['plan', specs, allow, '--json'])).stdout)));
});

test('a plan shows the monthly cost, its change, and resources without a price', async () => {
  writeFileSync(join(specs, 'prices.yaml'), prices);
  const all = (3 * web + db).toFixed(2);
  const { stdout } = await run(['plan', specs, allow]);
  assert.match(
    stdout,
    new RegExp(`\nCost: at least ${all} EUR a month, ${all} more than now · not priced: 1 aws eu-west-1 t3\\.medium\n`),
  );
  const applied = await run(['apply', specs, allow, '--yes']);
  assert.equal(applied.code, 0, applied.stderr);
  assert.match(applied.stderr, /Cost: at least /);
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 2');
  const { cost } = JSON.parse((await run(['plan', specs, allow, '--json'])).stdout);
  const round = (amount: number): number => Math.round(amount * 100) / 100;
  assert.deepEqual(cost, {
    currency: 'EUR',
    before: round(3 * web + db),
    after: round(2 * web + db),
    change: round(-web),
    unpriced: [{ what: 'aws eu-west-1 t3.medium', count: 1 }],
  });
});

test('a server tells it to those who see all of the estate', async () => {
  const { ask } = await served(run.database);
  const line = /\nCost: at least .* EUR a month, as now · not priced: 1 aws/;
  assert.match((await ask(run, 'planner')(['plan', '--active'])).stdout, line);
});

test('the inventory lists idle objects, with their cost', async (t) => {
  const client = new EC2Client({ endpoint: sandbox.url, region: 'eu-west-1' });
  t.after(() => client.destroy());
  const { Reservations: all = [] } = await client.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'tag:tier', Values: ['web'] }] }),
  );
  const { InstanceId: id = '', VpcId } = all[0]?.Instances?.[0] ?? {};
  await client.send(new StopInstancesCommand({ InstanceIds: [id] }));
  const lab = new CreateSecurityGroupCommand({ GroupName: 'lab', Description: 'lab', VpcId });
  const { GroupId: group = '' } = await client.send(lab);
  const { stdout } = await run(['inventory', specs, '--idle', '--refresh', allow]);
  assert.match(stdout, /^Inventory: 2 idle objects in 1 scope · 1 ours · 1 unmanaged · 2\.00 EUR a month\n/);
  assert.match(stdout, new RegExp(`instance +web-\\d +ours +stopped +2\\.00 +${id}\n`));
  assert.match(stdout, new RegExp(`group +lab +unmanaged +no machine is in it +${group}\n`));
  assert.match(stdout, /\nDisks and addresses without a machine are not observed\.\n$/);
  const { idle, scopes } = JSON.parse((await run(['inventory', specs, '--idle', '--json'])).stdout);
  assert.deepEqual(idle, { currency: 'EUR', monthly: 2, unpriced: [] });
  const [machine] = scopes[0].objects.filter((one: { id: string }) => one.id === id);
  assert.deepEqual(machine.idle, { reason: 'stopped', cost: { currency: 'EUR', monthly: 2, unpriced: [] } });
  assert.match((await run(['inventory', specs, '--idle', '--kind', 'group'])).stdout, /^Inventory: 1 idle object /);
  const { ask } = await served(run.database);
  const remote = await ask(run, 'viewer')(['inventory', '--idle']);
  assert.match(remote.stdout, /^Inventory: \d idle objects? in 1 scope/);
  assert.doesNotMatch(remote.stdout, /EUR/);
});
