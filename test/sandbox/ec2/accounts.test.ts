import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSServiceException } from '@aws-sdk/client-sts';
import { ACCOUNT, bench, given, refusal } from '../bench.ts';

const accounts = [
  { id: ACCOUNT, accessKeyIds: ['AKIDEXAMPLE'] },
  { id: '444455556666', accessKeyIds: ['AKIDOTHER'] },
];

const vpcs = async (client: aws.EC2Client) => given((await client.send(new aws.DescribeVpcsCommand({}))).Vpcs);

describe('accounts', () => {
  it('and regions hold each their own', async () => {
    await using made = await bench({ accounts });
    await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
    assert.deepEqual(
      (await vpcs(made.ec2)).map(({ OwnerId }) => OwnerId),
      [ACCOUNT],
    );
    assert.deepEqual(await vpcs(made.client({ key: 'AKIDOTHER' })), []);
    assert.deepEqual(await vpcs(made.client({ region: 'us-east-1' })), []);
  });

  it('nobody’s key is AuthFailure with 401, to STS InvalidClientTokenId', async () => {
    await using made = await bench({ accounts });
    await assert.rejects(vpcs(made.client({ key: 'AKIDNOBODY' })), (error: aws.EC2ServiceException) => {
      assert.deepEqual([error.name, error.$metadata.httpStatusCode], ['AuthFailure', 401]);
      return true;
    });
    const sts = made.sts;
    sts.config.credentials = Object.assign(async () => ({ accessKeyId: 'AKIDNOBODY', secretAccessKey: 'x' }), {});
    assert.equal(await refusal(sts.send(new GetCallerIdentityCommand({}))), 'InvalidClientTokenId');
  });

  it('say who asks', async () => {
    await using made = await bench({ accounts });
    const { Account, Arn } = await made.sts.send(new GetCallerIdentityCommand({}));
    assert.deepEqual([Account, Arn], [ACCOUNT, `arn:aws:iam::${ACCOUNT}:user/sandbox`]);
  });
});

describe('roles', () => {
  const assume = (account: string, more: object = {}) =>
    new AssumeRoleCommand({ RoleArn: `arn:aws:iam::${account}:role/team/setpoint`, RoleSessionName: 'test', ...more });

  it('give credentials of their account, good only with their token', async () => {
    await using made = await bench({ accounts });
    const { Credentials, AssumedRoleUser } = await made.sts.send(assume('444455556666'));
    assert.equal(AssumedRoleUser?.Arn, 'arn:aws:sts::444455556666:assumed-role/setpoint/test');
    assert.ok(given(Credentials?.Expiration).getTime() > Date.now() + 3_000_000);
    const key = given(Credentials?.AccessKeyId);
    const client = made.client({ key, sessionToken: given(Credentials?.SessionToken) });
    await client.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
    assert.equal((await vpcs(made.client({ key: 'AKIDOTHER' })))[0]?.OwnerId, '444455556666');
    assert.equal(await refusal(vpcs(made.client({ key }))), 'AuthFailure');
    assert.equal(await refusal(vpcs(made.client({ key, sessionToken: 'forged' }))), 'AuthFailure');
  });

  const refusals = [
    { name: 'of an account that is not here', command: assume('999988887777'), want: ['AccessDenied', 403] },
    {
      name: 'with a session name of one letter',
      command: assume(ACCOUNT, { RoleSessionName: 'x' }),
      want: ['ValidationError', 400],
    },
    { name: 'for a minute', command: assume(ACCOUNT, { DurationSeconds: 60 }), want: ['ValidationError', 400] },
  ] as const;
  for (const { name, command, want } of refusals) {
    it(`${name}: ${want.join(' ')}`, async () => {
      await using made = await bench({ accounts });
      await assert.rejects(made.sts.send(command), (error: STSServiceException) => {
        assert.ok(error instanceof STSServiceException);
        assert.deepEqual([error.name, error.$metadata.httpStatusCode], want);
        return true;
      });
    });
  }

  it('an account id has twelve digits', async () => {
    await assert.rejects(bench({ accounts: [{ id: '1', accessKeyIds: [] }] }), RangeError);
  });
});
