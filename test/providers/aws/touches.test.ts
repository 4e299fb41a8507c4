import assert from 'node:assert/strict';
import { test } from 'node:test';
import { touches } from '../../../providers/aws/touches.ts';
import type { Touch } from '../../../src/core/last-modified.ts';

const bob = { type: 'IAMUser', arn: 'arn:aws:iam::111122223333:user/bob', accountId: '111122223333', userName: 'bob' };

/** As https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-log-file-examples.html shows them. */
const eventOf = (detail: object, rest: object = {}): object => ({
  version: '0',
  id: '41dff147-cfbc-492a-9a98-9dd00d082417',
  'detail-type': 'AWS API Call via CloudTrail',
  source: 'aws.ec2',
  account: '111122223333',
  region: 'eu-west-1',
  detail: {
    eventVersion: '1.09',
    userIdentity: bob,
    eventTime: '2026-01-01T00:00:07Z',
    eventSource: 'ec2.amazonaws.com',
    eventName: 'StopInstances',
    awsRegion: 'eu-west-1',
    sourceIPAddress: '203.0.113.9',
    userAgent: 'aws-cli/2.13.5',
    requestParameters: { instancesSet: { items: [{ instanceId: 'i-1' }] } },
    responseElements: null,
    requestID: 'r-1',
    eventID: 'e-1',
    readOnly: false,
    recipientAccountId: '111122223333',
    ...detail,
  },
  ...rest,
});

test('a call of a colleague', () => {
  assert.deepEqual(touches(eventOf({})), [
    {
      scope: 'aws/111122223333/eu-west-1',
      event: 'e-1',
      at: Date.UTC(2026, 0, 1, 0, 0, 7),
      actor: { who: bob.arn, action: 'StopInstances', from: '203.0.113.9', agent: 'aws-cli/2.13.5' },
      objects: ['i-1'],
      requestId: 'r-1',
    } satisfies Touch,
  ]);
});

const permission = (rest: object): object => ({ groups: {}, ipRanges: {}, ipv6Ranges: {}, prefixListIds: {}, ...rest });
const https = permission({
  ipProtocol: 'tcp',
  fromPort: 443,
  toPort: 443,
  ipRanges: { items: [{ cidrIp: '0.0.0.0/0' }] },
});
const ids = (name: string, item: string, ...of: string[]) => ({ [name]: { items: of.map((id) => ({ [item]: id })) } });

interface Row {
  readonly name: string;
  readonly eventName: string;
  readonly asked?: object | null;
  readonly answered?: object | null;
  readonly want: readonly string[] | 'nothing';
}

const rows: readonly Row[] = [
  {
    name: 'a rule is known by what it says',
    eventName: 'AuthorizeSecurityGroupIngress',
    asked: { groupId: 'sg-1', ipPermissions: { items: [https] } },
    answered: { _return: true },
    want: ['sg-1/ingress/tcp/443/0.0.0.0/0'],
  },
  {
    name: 'many rules, one for each peer',
    eventName: 'RevokeSecurityGroupEgress',
    asked: {
      groupId: 'sg-1',
      ipPermissions: {
        items: [
          permission({
            ipProtocol: '-1',
            groups: {
              items: [
                { groupId: 'sg-2', userId: '111122223333' },
                { groupId: 'sg-3', userId: '999988887777' },
              ],
            },
          }),
          permission({
            ipProtocol: 'udp',
            fromPort: 53,
            toPort: 54,
            ipv6Ranges: { items: [{ cidrIpv6: '::/0' }] },
            prefixListIds: { items: [{ prefixListId: 'pl-1' }] },
          }),
        ],
      },
    },
    want: [
      'sg-1/egress/all/all/group:sg-2',
      'sg-1/egress/all/all/group:999988887777/sg-3',
      'sg-1/egress/udp/53-54/::/0',
      'sg-1/egress/udp/53-54/prefix-list:pl-1',
    ],
  },
  {
    name: 'rules by their ids: the group',
    eventName: 'RevokeSecurityGroupIngress',
    asked: { groupId: 'sg-1', ipPermissions: {}, securityGroupRuleIds: { items: [{ securityGroupRuleId: 'sgr-1' }] } },
    want: ['sg-1'],
  },
  {
    name: 'a group by its name: as it was answered',
    eventName: 'AuthorizeSecurityGroupIngress',
    asked: { groupName: 'web', cidrIp: '0.0.0.0/0' },
    answered: ids('securityGroupRuleSet', 'groupId', 'sg-7'),
    want: ['sg-7'],
  },
  {
    name: 'a group by its name, and no answer',
    eventName: 'AuthorizeSecurityGroupIngress',
    asked: { groupName: 'web' },
    answered: { _return: true },
    want: [],
  },
  {
    name: 'rules modified: wrapped',
    eventName: 'ModifySecurityGroupRules',
    asked: {
      ModifySecurityGroupRulesRequest: { GroupId: 'sg-1', SecurityGroupRule: { tag: 1, SecurityGroupRuleId: 'sgr-1' } },
    },
    want: ['sg-1'],
  },
  {
    name: 'descriptions: wrapped',
    eventName: 'UpdateSecurityGroupRuleDescriptionsIngress',
    asked: { UpdateSecurityGroupRuleDescriptionsIngressRequest: { GroupId: 'sg-1', IpPermissions: { tag: 1 } } },
    want: ['sg-1'],
  },
  {
    name: 'a launch: what it made, not where',
    eventName: 'RunInstances',
    asked: { instancesSet: { items: [{ imageId: 'ami-1' }] }, subnetId: 'subnet-1' },
    answered: ids('instancesSet', 'instanceId', 'i-1', 'i-2'),
    want: ['i-1', 'i-2'],
  },
  {
    name: 'an attribute',
    eventName: 'ModifyInstanceAttribute',
    asked: { instanceId: 'i-1', instanceType: { value: 't3.large' } },
    want: ['i-1'],
  },
  {
    name: 'a part of a machine',
    eventName: 'ModifyNetworkInterfaceAttribute',
    asked: { networkInterfaceId: 'eni-1', groupSet: { items: [{ groupId: 'sg-1' }] } },
    want: ['eni-1'],
  },
  {
    name: 'tags of several',
    eventName: 'DeleteTags',
    asked: ids('resourcesSet', 'resourceId', 'vpc-1', 'i-1', 'vpc-1'),
    want: ['vpc-1', 'i-1'],
  },
  {
    name: 'a network made',
    eventName: 'CreateVpc',
    asked: { cidrBlock: '10.0.0.0/16' },
    answered: { vpc: { vpcId: 'vpc-1', state: 'pending' } },
    want: ['vpc-1'],
  },
  {
    name: 'a part of a network',
    eventName: 'DetachInternetGateway',
    asked: { internetGatewayId: 'igw-1', vpcId: 'vpc-1' },
    want: ['igw-1', 'vpc-1'],
  },
  {
    name: 'a route',
    eventName: 'DeleteRoute',
    asked: { routeTableId: 'rtb-1', destinationCidrBlock: '0.0.0.0/0' },
    want: ['rtb-1'],
  },
  {
    name: 'an association, by a name that nobody keeps',
    eventName: 'DisassociateRouteTable',
    asked: { associationId: 'rtbassoc-1' },
    want: [],
  },
  {
    name: 'a disk, wrapped',
    eventName: 'ModifyVolume',
    asked: { ModifyVolumeRequest: { VolumeId: 'vol-1', Size: 30 } },
    want: ['vol-1'],
  },
  {
    name: 'a role, only in the answer',
    eventName: 'DisassociateIamInstanceProfile',
    asked: { DisassociateIamInstanceProfileRequest: { AssociationId: 'iip-1' } },
    answered: { DisassociateIamInstanceProfileResponse: { iamInstanceProfileAssociation: { instanceId: 'i-1' } } },
    want: ['i-1'],
  },
  { name: 'what we keep nothing of', eventName: 'CreateKeyPair', asked: { keyName: 'k' }, want: 'nothing' },
  { name: 'a name of every object', eventName: 'constructor', want: 'nothing' },
  { name: 'nothing asked', eventName: 'StopInstances', asked: null, want: [] },
  {
    name: 'ids that are none',
    eventName: 'StopInstances',
    asked: {
      instancesSet: {
        items: [{ instanceId: 7 }, 'i-1', null, { instanceId: '' }, { instanceId: 'i\u0000' }, { instanceId: 'i-2' }],
      },
    },
    want: ['i-2'],
  },
  {
    name: 'rules that are none',
    eventName: 'AuthorizeSecurityGroupIngress',
    asked: { groupId: 'sg-1', ipPermissions: { items: [null, 'x', { ipRanges: { items: [{ cidrIp: 'nowhere' }] } }] } },
    want: ['sg-1'],
  },
];

for (const { name, eventName, asked = {}, answered = null, want } of rows)
  test(`AWS: ${name}`, () => {
    const [touch] = touches(eventOf({ eventName, requestParameters: asked, responseElements: answered }));
    assert.deepEqual(touch?.objects ?? 'nothing', want);
  });

const quiet: Readonly<Record<string, unknown>> = {
  'a refused call': eventOf({ errorCode: 'Client.UnauthorizedOperation', errorMessage: 'no' }),
  'a dry run': eventOf({ errorCode: 'Client.DryRunOperation' }),
  'a call that reads': eventOf({ readOnly: true }),
  'another service': eventOf({ eventSource: 's3.amazonaws.com' }),
  'no time': eventOf({ eventTime: 'yesterday' }),
  'no region': eventOf({ awsRegion: 'eu-west-1/../x' }),
  'no account': eventOf({ recipientAccountId: '12' }),
  'no action': eventOf({ eventName: undefined }),
  'no detail': eventOf({}, { detail: undefined }),
  'a detail that is text': eventOf({}, { detail: '{"eventSource":"ec2.amazonaws.com"}' }),
  nothing: undefined,
  null: null,
  text: 'StopInstances',
  'a list': [eventOf({})],
  'what throws when it is looked at': new Proxy({}, { get: () => assert.fail('looked at') }),
};
for (const [name, event] of Object.entries(quiet))
  test(`AWS says nothing of ${name}`, () => assert.deepEqual(touches(event), []));

const people: Readonly<Record<string, readonly [object | undefined, string]>> = {
  'a role': [
    { type: 'AssumedRole', arn: 'arn:aws:sts::111122223333:assumed-role/admin/ann' },
    'arn:aws:sts::111122223333:assumed-role/admin/ann',
  ],
  'a service': [{ type: 'AWSService', invokedBy: 'autoscaling.amazonaws.com' }, 'autoscaling.amazonaws.com'],
  'another account': [{ type: 'AWSAccount', principalId: 'AIDA', accountId: '9' }, 'AIDA'],
  nobody: [undefined, 'unknown'],
};
for (const [name, [userIdentity, who]] of Object.entries(people))
  test(`AWS names ${name}`, () => assert.equal(touches(eventOf({ userIdentity }))[0]?.actor.who, who));
