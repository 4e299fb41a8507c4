import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeInstanceCreditSpecificationsCommand,
  DescribeInstanceTypesCommand,
  EC2Client,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import { startSandbox } from '../../../sandbox/index.ts';

const sandbox = await startSandbox({ budgets: false });
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
const client = new EC2Client({ endpoint: sandbox.url, region: 'eu-west-1', credentials, maxAttempts: 1 });
after(async () => {
  client.destroy();
  await sandbox.close();
});

const vpc = await client.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
const subnet = await client.send(new CreateSubnetCommand({ VpcId: vpc.Vpc?.VpcId, CidrBlock: '10.0.0.0/24' }));
const SubnetId = subnet.Subnet?.SubnetId;

const launch = async (InstanceType: NonNullable<RunInstancesCommandInput['InstanceType']>, CpuCredits?: string) => {
  const CreditSpecification = CpuCredits === undefined ? undefined : { CpuCredits };
  const image = { ImageId: 'ami-0abc0abc0abc0abc0', MinCount: 1, MaxCount: 1, SubnetId };
  const made = await client.send(new RunInstancesCommand({ ...image, InstanceType, CreditSpecification }));
  return made.Instances?.[0]?.InstanceId ?? '';
};
const credits = async (InstanceIds?: string[]) => {
  const answer = await client.send(new DescribeInstanceCreditSpecificationsCommand({ InstanceIds }));
  return answer.InstanceCreditSpecifications?.map(({ InstanceId, CpuCredits }) => `${InstanceId} ${CpuCredits}`);
};

test('a burstable machine has the credits that were asked for, or those of its type', async () => {
  const [asked, newer, older] = [
    await launch('t3.small', 'standard'),
    await launch('t3.small'),
    await launch('t2.micro'),
  ];
  assert.deepEqual(await credits([asked]), [`${asked} standard`]);
  assert.deepEqual(await credits([newer]), [`${newer} unlimited`]);
  assert.deepEqual(await credits([older]), [`${older} standard`]);
  assert.deepEqual(await credits(), [`${newer} unlimited`], 'without ids only unlimited ones');
});

test('other types have none: neither asked for nor described', async () => {
  await assert.rejects(launch('m5.large', 'standard'), { name: 'InvalidParameterCombination' });
  await assert.rejects(launch('t3.small', 'much'), { name: 'InvalidParameterValue' });
  const other = await launch('m5.large');
  await assert.rejects(credits([other]), { name: 'InvalidParameterValue' });
});

test('a type says whether it is burstable', async () => {
  const InstanceTypes: ('t3.small' | 'm5.large')[] = ['t3.small', 'm5.large'];
  const answer = await client.send(new DescribeInstanceTypesCommand({ InstanceTypes }));
  assert.deepEqual(
    answer.InstanceTypes?.map((one) => [one.InstanceType, one.BurstablePerformanceSupported]),
    [
      ['t3.small', true],
      ['m5.large', false],
    ],
  );
});
