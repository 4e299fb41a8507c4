import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { ACTIONS } from '../../../sandbox/ec2/actions/index.ts';
import { bench, refusal } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

/** https://github.com/boto/botocore, data/ec2/2016-11-15/service-2.json: the actions here without the parameter. */
const WITHOUT = [
  'ModifyVpcAttribute',
  'ModifySubnetAttribute',
  'AssociateIamInstanceProfile',
  'AssociateSubnetCidrBlock',
  'AssociateVpcCidrBlock',
  'ReplaceIamInstanceProfileAssociation',
  'DisassociateIamInstanceProfile',
  'DisassociateSubnetCidrBlock',
  'DisassociateVpcCidrBlock',
  'DescribeIamInstanceProfileAssociations',
];

describe('dry runs', () => {
  it('are known to every action that has them', () => {
    const without = [...ACTIONS.values()].filter((action) => !('DryRun' in action.fields)).map(({ name }) => name);
    assert.deepEqual(without.sort(), WITHOUT.sort());
  });

  it('say that it would have worked, with 412, and do nothing', async () => {
    await using made = await bench({ estate: smallEstate() });
    const terminate = made.ec2.send(new aws.TerminateInstancesCommand({ InstanceIds: [ID.machine], DryRun: true }));
    await assert.rejects(terminate, (error: aws.EC2ServiceException) => {
      assert.deepEqual([error.name, error.$metadata.httpStatusCode], ['DryRunOperation', 412]);
      return true;
    });
    const { InstanceStatuses } = await made.ec2.send(new aws.DescribeInstanceStatusCommand({}));
    assert.equal(InstanceStatuses?.[0]?.InstanceState?.Name, 'running');
    assert.equal(made.sandbox.control.log.entries({ action: 'TerminateInstances' })[0]?.applied, false);
  });

  it('say so when they may not', async () => {
    await using made = await bench();
    made.sandbox.control.faults.add({ match: { action: 'CreateVpc' }, effect: { kind: 'access-denied' } });
    const dry = made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/16', DryRun: true }));
    assert.equal(await refusal(dry), 'UnauthorizedOperation');
  });
});
