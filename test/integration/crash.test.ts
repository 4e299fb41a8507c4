import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { type Workplace, workplace } from './support/workplace.ts';

/**
 * Real processes that really die: `apply` is killed (SIGKILL) as soon as a call has reached the cloud, while its answer is
 * held back, so what it did is in no settlement. The next `apply` finds it, makes nothing twice, and completes the rest.
 */
const moments = ['CreateVpc', 'CreateSecurityGroup', 'AuthorizeSecurityGroupIngress', 'RunInstances'] as const;

describe('an apply that is killed', { concurrency: true }, () => {
  for (const moment of moments) {
    it(`at ${moment}, is completed by the next one, with nothing made twice`, async () => {
      const sandbox = await startSandbox({ clock: { rate: 20 } });
      const place = await workplace();
      try {
        await place.write(example(sandbox.url));
        await killAt(moment, place, sandbox);
        // why: a network or its gateway may still appear, and has no token; machines are sent again under theirs
        if (moment !== 'RunInstances') longAgo(6, place, sandbox);
        const from = performance.now();
        const recovered = await place.setpoint('apply', '--yes', '--allow-endpoint', '--lock-timeout', '60s');
        assert.equal(recovered.code, 0, recovered.stderr);
        if (moment === 'RunInstances') assert.ok(performance.now() - from < 200_000, 'the window was not waited out');
        assert.deepEqual(await standing(sandbox.url), { networks: 1, subnets: 2, groups: 3, machines: 4 });
        const again = await place.setpoint('plan', '--allow-endpoint', '--json');
        assert.deepEqual(JSON.parse(again.stdout).actions, []);
        const { code, stdout } = await place.setpoint('ledger', 'verify');
        assert.equal(code, 0, stdout);
      } finally {
        await place.leave();
        await sandbox.close();
      }
    });
  }
});

/** The commands' clock advances and the database's does not, so its dates on the cloud are moved back. */
function longAgo(minutes: number, place: Workplace, sandbox: Sandbox): void {
  place.later(minutes);
  const { vpcs } = sandbox.control.ec2.region('111122223333', 'eu-west-1');
  for (const vpc of vpcs.values()) {
    const asked = Number(vpc.tags.get('setpoint:gateway'));
    if (asked > 0)
      vpcs.put({ ...vpc, tags: new Map([...vpc.tags, ['setpoint:gateway', `${asked - minutes * 60_000}`]]) });
  }
}

/** The call is carried out, its answer waits, and nobody is left to hear it. */
async function killAt(action: string, place: Workplace, sandbox: Sandbox): Promise<void> {
  sandbox.control.faults.add({ match: { action, times: 1 }, effect: { kind: 'reset-after' } });
  const child = place.start('apply', '--yes', '--allow-endpoint');
  const ended = once(child, 'exit');
  for (let waited = 0; sandbox.control.log.counts()[action] === undefined; waited += 1) {
    assert.ok(waited < 60_000, `${action} was never sent`);
    await sleep(1);
  }
  child.kill('SIGKILL');
  const [code, signal] = await ended;
  assert.deepEqual([code, signal], [null, 'SIGKILL'], 'it was at work when it was killed');
}

function example(url: string): Readonly<Record<string, string>> {
  const folder = join(import.meta.dirname, '../support/aws-estate');
  const names = readdirSync(folder).filter((name) => !name.startsWith('schema'));
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(join(folder, name), 'utf8').replace('http://127.0.0.1:4566', url)]),
  );
}

/** Our existing resources, as the cloud itself lists them. */
async function standing(endpoint: string) {
  const ec2 = new EC2Client({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const ours = [{ Name: 'tag:setpoint:estate', Values: ['acme'] }];
  const alive = { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] };
  const [vpcs, subnets, groups, machines] = await Promise.all([
    ec2.send(new DescribeVpcsCommand({ Filters: ours })),
    ec2.send(new DescribeSubnetsCommand({ Filters: ours })),
    ec2.send(new DescribeSecurityGroupsCommand({ Filters: ours })),
    ec2.send(new DescribeInstancesCommand({ Filters: [...ours, alive] })),
  ]);
  ec2.destroy();
  return {
    networks: vpcs.Vpcs?.length,
    subnets: subnets.Subnets?.length,
    groups: groups.SecurityGroups?.length,
    machines: machines.Reservations?.flatMap(({ Instances = [] }) => Instances).length,
  };
}
