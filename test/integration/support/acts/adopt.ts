import assert from 'node:assert/strict';
import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeVpcsCommand,
} from '@aws-sdk/client-ec2';
import { rulesOf } from '../colleague-rules.ts';
import type { Life } from '../life.ts';
import { isMutating } from '../recording-proxy.ts';
import { grown } from './change.ts';
import { unchanged } from './create.ts';

export const shrunk = { ...grown, replicas: 1 } as const;

export async function adopts({ want, sees, colleague }: Life): Promise<void> {
  const { client, rules } = colleague;
  const { Vpc } = await client.send(new CreateVpcCommand({ CidrBlock: '10.40.0.0/16' }));
  const VpcId = Vpc?.VpcId ?? '';
  const { Subnet } = await client.send(new CreateSubnetCommand({ VpcId, CidrBlock: '10.40.1.0/24' }));
  const group = { VpcId, GroupName: 'by-hand', Description: 'made by hand' };
  await client.send(new CreateSecurityGroupCommand(group));
  await rules.add('by-hand', { IpProtocol: 'tcp', FromPort: 80, ToPort: 80, IpRanges: [{ CidrIp: '10.0.0.0/8' }] });
  const handMade = await rulesOf('by-hand', colleague);
  await sees(['inventory', '--refresh', '--claim', 'unmanaged'], { code: 0, shows: [new RegExp(`Rogue.*${VpcId}`)] });

  await want({ ...shrunk, adopt: { vpc: VpcId, subnet: Subnet?.SubnetId ?? '' } });
  await sees(['plan'], { code: 0, shows: [/^Plan: 1 to add, 0 to change, 0 to replace, 0 to delete, 2 to adopt/] });
  const { calls } = await sees(['apply', '--yes'], { code: 0, shows: [/2 adopted/] });
  const made = calls.filter(isMutating).map(({ action }) => action);
  assert.deepEqual(
    [...new Set(made)].toSorted(),
    ['CreateSecurityGroup', 'CreateTags'],
    'only the group of all is made',
  );
  const { Vpcs: [adopted] = [] } = await client.send(new DescribeVpcsCommand({ VpcIds: [VpcId] }));
  const tags = new Map(adopted?.Tags?.map(({ Key, Value }) => [Key, Value]));
  assert.equal(tags.get('setpoint:estate'), 'acme');
  assert.deepEqual(await rulesOf('by-hand', colleague), handMade, 'what others put into it stays');
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}
