import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthorizeSecurityGroupIngressCommand, DescribeSecurityGroupsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { served } from './server/support/served.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { workerOn } from './support/worker.ts';

const allow = '--allow-endpoint';
const where = { estate: 'acme', scope: 'aws/111122223333/eu-west-1' };
const first = 'Withheld drift: 1 resource by mode: setpoint approve --reason "…"';
const field = [{ code: 'mode', count: 1, next: 'setpoint approve --reason "…"' }];

const { specs, sandbox } = await sandboxed();
const run = commandLine();
const worker = workerOn(run.database);

const lineOf = (text: string): string => text.split('\n')[0] ?? '';

test('drift that workers leave alone is the first line everywhere, until the command in it lets it pass', async (t) => {
  const client = new EC2Client({ endpoint: sandbox.url, region: 'eu-west-1' });
  t.after(() => client.destroy());
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  // The generation before still waits for people: this commit lifts no guard of its own.
  edit(specs, 'estate.yaml', 'mode: plan', 'mode: enforce');
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  const { SecurityGroups: groups = [] } = await client.send(new DescribeSecurityGroupsCommand({}));
  const group = groups.find(({ GroupName = '' }) => /core.*web/.test(GroupName))?.GroupId;
  const ssh = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '198.51.100.7/32' }] };
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: group, IpPermissions: [ssh] }));
  await worker(where);

  for (const verb of ['status', 'plan', 'drift']) {
    const args = verb === 'status' ? [verb, specs] : [verb, specs, allow];
    assert.equal(lineOf((await run(args)).stdout), `${first} ${specs} ${allow}`, verb);
    assert.deepEqual(JSON.parse((await run([...args, '--json'])).stdout).withheldDrift, field, `${verb} --json`);
  }
  edit(specs, 'estate.yaml', 'mode: enforce', 'mode: enforce # not in force yet');
  assert.match(lineOf((await run(['plan', specs, allow])).stdout), /^Plan: /, 'the inventory is of other specs');
  edit(specs, 'estate.yaml', 'mode: enforce # not in force yet', 'mode: enforce');
  const there = await served(run.database);
  const ask = there.ask(run, 'planner');
  assert.equal(lineOf((await ask(['drift'])).stdout), first);
  assert.equal(lineOf((await ask(['plan', '--active'])).stdout), first);
  assert.deepEqual(JSON.parse((await ask(['drift', '--json'])).stdout).withheldDrift, field);

  const approved = await run(['approve', specs, allow, '--reason', 'closed again', '--yes']);
  assert.match(approved.stdout, /Approved: 1 change/, approved.stderr);
  await worker(where);
  assert.match(lineOf((await run(['status', specs])).stdout), /^Status: /);
  assert.match(lineOf((await run(['drift', specs, allow])).stdout), /^Drift: none/);
});
