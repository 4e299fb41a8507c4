import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type Bench, bench, given, pass, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

async function look({ ec2 }: Bench, id: string): Promise<aws.Instance | undefined> {
  const { Reservations } = await ec2.send(new aws.DescribeInstancesCommand({ InstanceIds: [id] }));
  return Reservations?.[0]?.Instances?.[0];
}

const state = async (made: Bench, id: string) => (await look(made, id))?.State;
const one = (id: string) => ({ InstanceIds: [id] });

describe('power', () => {
  it('stops in its time, gives the public address back, and starts with another', async () => {
    await using made = await bench({ estate: smallEstate(), durations: { stop: 30_000, start: 20_000 } });
    const before = given((await look(made, ID.machine))?.PublicIpAddress);
    const { StoppingInstances } = await made.ec2.send(new aws.StopInstancesCommand(one(ID.machine)));
    assert.deepEqual(StoppingInstances?.[0]?.PreviousState, { Code: 16, Name: 'running' });
    pass(made, 29_999);
    assert.deepEqual(await state(made, ID.machine), { Code: 64, Name: 'stopping' });
    pass(made, 1);
    const stopped = await look(made, ID.machine);
    assert.deepEqual(stopped?.State, { Code: 80, Name: 'stopped' });
    assert.equal(stopped?.PublicIpAddress, undefined);
    assert.equal(stopped?.StateReason?.Code, 'Client.UserInitiatedShutdown');
    assert.match(given(stopped?.StateTransitionReason), /^User initiated \(2026-01-01 00:00:00 GMT\)$/);
    await made.ec2.send(new aws.StartInstancesCommand(one(ID.machine)));
    assert.deepEqual(await state(made, ID.machine), { Code: 0, Name: 'pending' });
    pass(made, 20_000);
    const after = await look(made, ID.machine);
    assert.equal(after?.State?.Name, 'running');
    assert.notEqual(after?.PublicIpAddress, before);
    assert.equal(after?.PrivateIpAddress, '10.0.1.4');
  });

  it('a terminated machine loses its parts, stays listed for an hour, then is gone', async () => {
    await using made = await bench({ estate: smallEstate() });
    await made.ec2.send(new aws.TerminateInstancesCommand(one(ID.machine)));
    assert.deepEqual(await state(made, ID.machine), { Code: 32, Name: 'shutting-down' });
    pass(made, 5_000);
    const gone = await look(made, ID.machine);
    assert.deepEqual(gone?.State, { Code: 48, Name: 'terminated' });
    assert.deepEqual([gone?.VpcId, gone?.SecurityGroups, gone?.BlockDeviceMappings], [undefined, [], []]);
    assert.deepEqual(gone?.Tags, [{ Key: 'tier', Value: 'web' }]);
    const Filters = [{ Name: 'attachment.instance-id', Values: [ID.machine] }];
    assert.deepEqual((await made.ec2.send(new aws.DescribeVolumesCommand({ Filters }))).Volumes, []);
    assert.equal(await refusal(made.ec2.send(new aws.DeleteSubnetCommand({ SubnetId: ID.app }))), 'accepted');
    pass(made, 3_599_000);
    assert.equal((await state(made, ID.machine))?.Name, 'terminated');
    pass(made, 2_000);
    assert.equal(await refusal(look(made, ID.machine)), 'InvalidInstanceID.NotFound');
  });

  it('a later order wins over what was under way', async () => {
    await using made = await bench({ estate: smallEstate(), durations: { terminate: 60_000 } });
    await made.ec2.send(new aws.StopInstancesCommand(one(ID.machine)));
    await made.ec2.send(new aws.StartInstancesCommand(one(ID.stopped)));
    await made.ec2.send(new aws.TerminateInstancesCommand({ InstanceIds: [ID.machine, ID.stopped] }));
    pass(made, 30_000);
    for (const id of [ID.machine, ID.stopped]) assert.equal((await state(made, id))?.Name, 'shutting-down');
  });

  it('terminating is repeatable', async () => {
    await using made = await bench({ estate: smallEstate() });
    for (const want of ['running', 'shutting-down']) {
      const { TerminatingInstances } = await made.ec2.send(new aws.TerminateInstancesCommand(one(ID.machine)));
      assert.equal(TerminatingInstances?.[0]?.PreviousState?.Name, want);
    }
  });
});

describe('power: what EC2 refuses', () => {
  it('one bad id, and none is terminated', async () => {
    await using made = await bench({ estate: smallEstate() });
    const InstanceIds = [ID.machine, 'i-0fffffff'];
    assert.equal(
      await refusal(made.ec2.send(new aws.TerminateInstancesCommand({ InstanceIds }))),
      'InvalidInstanceID.NotFound',
    );
    assert.equal((await state(made, ID.machine))?.Name, 'running');
  });

  it('a protected machine stays, and so do those of its zone', async () => {
    await using made = await bench({ estate: smallEstate() });
    const protect = (Value: boolean) =>
      made.ec2.send(
        new aws.ModifyInstanceAttributeCommand({ InstanceId: ID.machine, DisableApiTermination: { Value } }),
      );
    const InstanceIds = [ID.machine, ID.stopped];
    await protect(true);
    assert.equal(
      await refusal(made.ec2.send(new aws.TerminateInstancesCommand({ InstanceIds }))),
      'OperationNotPermitted',
    );
    assert.equal((await state(made, ID.machine))?.Name, 'running');
    assert.equal((await state(made, ID.stopped))?.Name, 'shutting-down', 'another zone proceeds');
    await protect(false);
    await made.ec2.send(new aws.TerminateInstancesCommand(one(ID.machine)));
  });

  it('starting what is stopping, stopping what is pending', async () => {
    await using made = await bench({ estate: smallEstate() });
    await made.ec2.send(new aws.StopInstancesCommand(one(ID.machine)));
    assert.equal(
      await refusal(made.ec2.send(new aws.StartInstancesCommand(one(ID.machine)))),
      'IncorrectInstanceState',
    );
    await made.ec2.send(new aws.StartInstancesCommand(one(ID.stopped)));
    assert.equal(await refusal(made.ec2.send(new aws.StopInstancesCommand(one(ID.stopped)))), 'IncorrectInstanceState');
  });

  it('starting what runs and stopping what is stopped changes nothing', async () => {
    await using made = await bench({ estate: smallEstate() });
    const started = await made.ec2.send(new aws.StartInstancesCommand(one(ID.machine)));
    assert.equal(started.StartingInstances?.[0]?.CurrentState?.Name, 'running');
    const stopped = await made.ec2.send(new aws.StopInstancesCommand(one(ID.stopped)));
    assert.equal(stopped.StoppingInstances?.[0]?.CurrentState?.Name, 'stopped');
  });

  it('more than a thousand at once', async () => {
    await using made = await bench();
    const InstanceIds = Array.from({ length: 1001 }, (_, i) => `i-${i.toString(16).padStart(8, '0')}`);
    assert.match(await refusal(made.ec2.send(new aws.TerminateInstancesCommand({ InstanceIds }))), /^Invalid/);
  });
});
