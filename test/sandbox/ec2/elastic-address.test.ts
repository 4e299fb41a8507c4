import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { ACCOUNT, type Bench, bench, given, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

const launched = async ({ ec2, sandbox }: Bench, AssociatePublicIpAddress: boolean): Promise<string> => {
  const nic = { DeviceIndex: 0, SubnetId: ID.app, AssociatePublicIpAddress };
  const size = { ImageId: 'ami-0abc0abc0abc0abc0', InstanceType: 't3.small', MinCount: 1, MaxCount: 1 } as const;
  const { Instances } = await ec2.send(new aws.RunInstancesCommand({ ...size, NetworkInterfaces: [nic] }));
  sandbox.control.clock.advance(60_000);
  return given(Instances?.[0]?.InstanceId);
};

const allocated = async ({ ec2 }: Bench) => {
  const { AllocationId, PublicIp, Domain } = await ec2.send(new aws.AllocateAddressCommand({ Domain: 'vpc' }));
  assert.equal(Domain, 'vpc');
  return { AllocationId: given(AllocationId), PublicIp: given(PublicIp) };
};

/** The public address of a machine, and its owner. */
const addressOf = async ({ ec2 }: Bench, id: string) => {
  const { Reservations } = await ec2.send(new aws.DescribeInstancesCommand({ InstanceIds: [id] }));
  const machine = given(Reservations?.[0]?.Instances?.[0]);
  const { PublicIp, IpOwnerId } = machine.NetworkInterfaces?.[0]?.Association ?? {};
  assert.equal(machine.PublicIpAddress, PublicIp);
  return [PublicIp, IpOwnerId];
};

describe('Elastic IP addresses: what EC2 does', () => {
  it('takes the place of the address of the pool, stays over a stop, and gives way again', async () => {
    await using made = await bench({ estate: smallEstate() });
    const { ec2, sandbox } = made;
    const id = await launched(made, true);
    assert.equal((await addressOf(made, id))[1], 'amazon');
    const { AllocationId, PublicIp } = await allocated(made);
    const { AssociationId } = await ec2.send(new aws.AssociateAddressCommand({ AllocationId, InstanceId: id }));
    assert.deepEqual(await addressOf(made, id), [PublicIp, ACCOUNT]);
    const { NetworkInterfaces } = await ec2.send(
      new aws.DescribeNetworkInterfacesCommand({ Filters: [{ Name: 'association.public-ip', Values: [PublicIp] }] }),
    );
    const { Association } = given(NetworkInterfaces?.[0]);
    assert.deepEqual([Association?.AllocationId, Association?.AssociationId], [AllocationId, AssociationId]);
    await ec2.send(new aws.StopInstancesCommand({ InstanceIds: [id] }));
    sandbox.control.clock.advance(60_000);
    assert.deepEqual(await addressOf(made, id), [PublicIp, ACCOUNT]);
    await ec2.send(new aws.StartInstancesCommand({ InstanceIds: [id] }));
    sandbox.control.clock.advance(60_000);
    assert.deepEqual(await addressOf(made, id), [PublicIp, ACCOUNT]);
    await ec2.send(new aws.DisassociateAddressCommand({ AssociationId }));
    assert.equal((await addressOf(made, id))[1], 'amazon');
  });

  it('is on one machine at a time', async () => {
    await using made = await bench({ estate: smallEstate() });
    const [one, other] = [await launched(made, false), await launched(made, false)];
    const { AllocationId, PublicIp } = await allocated(made);
    const onto = (InstanceId: string, more: { readonly AllowReassociation?: boolean } = {}) =>
      made.ec2.send(new aws.AssociateAddressCommand({ AllocationId, InstanceId, ...more }));
    await onto(one);
    assert.equal(await refusal(onto(other, { AllowReassociation: false })), 'Resource.AlreadyAssociated');
    await onto(other);
    assert.deepEqual(
      [await addressOf(made, one), await addressOf(made, other)],
      [
        [undefined, undefined],
        [PublicIp, ACCOUNT],
      ],
    );
    const unknown = made.ec2.send(new aws.DisassociateAddressCommand({ AssociationId: 'eipassoc-0abc' }));
    assert.equal(await refusal(unknown), 'InvalidAssociationID.NotFound');
  });
});
