import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  EC2Client,
  type Instance,
  ModifyVolumeCommand,
} from '@aws-sdk/client-ec2';
import { served } from './server/support/served.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { workerOn } from './support/worker.ts';

const allow = '--allow-endpoint';
const where = { estate: 'acme', scope: 'aws/111122223333/eu-west-1' };

/** An estate in enforce that stands, a worker, and a colleague with a client of his own. */
async function standing(t: { after(work: () => void): void }) {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  edit(specs, 'estate.yaml', 'mode: plan', 'mode: enforce');
  edit(specs, 'estate.yaml', '  region: eu-west-1\n', '  region: eu-west-1\n  minReady: 0\n');
  const { code, stderr } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 0, stderr);
  const client = new EC2Client({
    endpoint: sandbox.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' },
  });
  t.after(() => client.destroy());
  const named = async (name: string): Promise<Instance> => {
    const { settled } = await run.database.connect().inventory.knowledge('acme', where.scope);
    const [id] = [...settled].find(([, { address }]) => address.endsWith(`/instance/${name}`)) ?? [];
    const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ InstanceIds: [id ?? ''] }));
    return Reservations[0]?.Instances?.[0] ?? assert.fail(`${name} does not stand`);
  };
  sandbox.control.log.clear();
  return {
    specs,
    run,
    client,
    named,
    worker: workerOn(run.database),
    ended: () => sandbox.control.log.entries().filter(({ action }) => action === 'TerminateInstances').length,
  };
}

test('a disk that somebody grew is kept: nothing is terminated, its label is healed, and the spec takes its size up', async (t) => {
  const { specs, run, client, named, worker, ended } = await standing(t);
  const { InstanceId = '', BlockDeviceMappings = [] } = await named('web-0');
  const VolumeId = BlockDeviceMappings[0]?.Ebs?.VolumeId;
  await client.send(new ModifyVolumeCommand({ VolumeId, Size: 40 }));
  await client.send(new CreateTagsCommand({ Resources: [InstanceId], Tags: [{ Key: 'tier', Value: 'by hand' }] }));
  await worker(where);
  await worker(where);
  assert.equal(ended(), 0);
  const { InstanceId: after, Tags = [] } = await named('web-0');
  assert.equal(after, InstanceId);
  assert.ok(Tags.some(({ Key, Value }) => Key === 'tier' && Value === 'web'));
  const told = await run(['explain', 'instance/web-0', '--specs', specs, allow]);
  const way = /blocked: disk\.size is 40, wanted 20[\s\S]*write `disk: \{ size: 40 \}` in (\S+):\d+/.exec(told.stdout);
  assert.equal(way?.[1], join(specs, 'instances.yaml'), told.stdout);
  const applied = await run(['apply', specs, allow, '--yes']);
  assert.match(applied.stdout + applied.stderr, /0 to replace|0 replaced|Nothing to do/);
  assert.equal(ended(), 0, 'nor does a person who applies end it');
  edit(
    specs,
    'instances.yaml',
    'disk: { size: 20, type: gp3, encrypted: true }',
    'disk: { size: 40, type: gp3, encrypted: true }',
  );
  const taken = await run(['apply', specs, allow, '--yes']);
  assert.equal(taken.code, 0, taken.stderr);
  assert.equal(ended(), 0);
});

test('what only a new machine would have is withheld from everybody until that action is approved by its address', async (t) => {
  const { specs, run, client, named, worker, ended } = await standing(t);
  const { InstanceId = '' } = await named('web-1');
  const Tags = [{ Key: 'setpoint:user-data', Value: 'another hash' }];
  await client.send(new CreateTagsCommand({ Resources: [InstanceId], Tags }));
  await worker(where);
  const planned = await run(['plan', specs, allow]);
  assert.match(
    planned.stdout,
    /instance web-1 withheld {2}boot\.userData is "another hash"[\s\S]*setpoint approve --address \S+\/instance\/web-1/,
  );
  await run(['apply', specs, allow, '--yes']);
  const approve = (...args: readonly string[]) =>
    run(['approve', specs, allow, '--reason', 'its data is saved', '--yes', ...args]);
  assert.match((await approve()).stdout, /Approved: nothing/, 'no approval of all that waits takes it along');
  assert.match((await approve('--address', 'instance/web-0')).stdout, /Approved: nothing/);
  await worker(where);
  assert.equal(ended(), 0);
  const given = await approve('--address', 'instance/web-1');
  assert.match(given.stdout, /Approved: 1 change/, given.stderr);
  await worker(where);
  assert.equal(ended(), 1);
  assert.notEqual((await named('web-1')).InstanceId, InstanceId);
});

test('by a server an approver lets that action pass by its address, and nothing else', async (t) => {
  const { specs, run, client, named, worker, ended } = await standing(t);
  const there = await served(run.database);
  const { InstanceId = '' } = await named('web-1');
  const Tags = [{ Key: 'setpoint:user-data', Value: 'another hash' }];
  await client.send(new CreateTagsCommand({ Resources: [InstanceId], Tags }));
  await worker(where);
  const asked = (who: string, ...args: readonly string[]) =>
    there.ask(run, who)(['approve', '--reason', 'its data is saved', '--yes', ...args]);
  assert.match((await asked('approver')).stdout, /Approved: nothing/, 'it is not among all that waits');
  assert.match((await asked('approver', '--address', 'instance/web-0')).stdout, /Approved: nothing/);
  const refused = await asked('operator', '--address', 'instance/web-1');
  assert.match(refused.stderr, /Nothing was approved/);
  await worker(where);
  assert.equal(ended(), 0);
  const given = await asked('approver', '--address', 'instance/web-1');
  assert.equal(given.code, 0, given.stderr);
  assert.match(given.stdout, /Approved: 1 change/);
  const { stdout } = await run(['status', specs]);
  assert.match(stdout, /Approved\n .*1 change, 1 of them destructive until .*, by approver of acme: its data is saved/);
  await worker(where);
  assert.equal(ended(), 1);
  assert.notEqual((await named('web-1')).InstanceId, InstanceId);
});
