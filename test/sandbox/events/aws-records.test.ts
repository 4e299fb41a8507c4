import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { type Bench, bench, given, START } from '../bench.ts';
import { ID, IMAGE, smallEstate } from '../ec2/estates.ts';
import { listening } from './receiver.ts';

// biome-ignore lint/suspicious/noExplicitAny: the reason stands beside it
type Json = any; // why: records of many forms, looked into by the table below

interface Row {
  readonly name: string;
  readonly act: (made: Bench) => Promise<Json>;
  /** The fields of request and answer that the record must name; each a function of both. */
  readonly want: (request: Json, response: Json, answer: Json) => readonly (readonly [unknown, unknown])[];
}

const tcp443 = {
  IpProtocol: 'tcp',
  FromPort: 443,
  ToPort: 443,
  IpRanges: [{ CidrIp: '192.0.2.0/24', Description: 'd' }],
};
const told443 = {
  ipProtocol: 'tcp',
  fromPort: 443,
  toPort: 443,
  groups: {},
  ipRanges: { items: [{ cidrIp: '192.0.2.0/24', description: 'd' }] },
  ipv6Ranges: {},
  prefixListIds: {},
};

const changedPower = (request: Json, response: Json): ReturnType<Row['want']> => [
  [request.instancesSet, { items: [{ instanceId: ID.machine }] }],
  [response.instancesSet.items.map(idIn), [ID.machine]],
  [response.instancesSet.items[0].previousState, { code: 16, name: 'running' }],
];

/** Each write that the sandbox answers, and the ids of its subjects in the event. */
const rows: readonly Row[] = [
  {
    name: 'CreateSubnet',
    act: ({ ec2 }) => ec2.send(new aws.CreateSubnetCommand({ VpcId: ID.vpc, CidrBlock: '10.0.9.0/24' })),
    want: (request, response, answer) => [
      [request.vpcId, ID.vpc],
      [response.subnet.subnetId, answer.Subnet.SubnetId],
    ],
  },
  {
    name: 'CreateSecurityGroup',
    act: ({ ec2 }) =>
      ec2.send(
        new aws.CreateSecurityGroupCommand({
          GroupName: 'g',
          Description: 'of the web',
          VpcId: ID.vpc,
          TagSpecifications: [{ ResourceType: 'security-group', Tags: [{ Key: 'a', Value: '<1> & "true"' }] }],
        }),
      ),
    want: (request, response, answer) => [
      [request.groupDescription, 'of the web'],
      [
        request.tagSpecificationSet,
        { items: [{ resourceType: 'security-group', tags: [{ key: 'a', value: '<1> & "true"' }] }] },
      ],
      [response._return, true],
      [response.tagSet, { items: [{ key: 'a', value: '<1> & "true"' }] }],
      [response.groupId, answer.GroupId],
    ],
  },
  {
    name: 'AuthorizeSecurityGroupIngress',
    act: ({ ec2 }) =>
      ec2.send(new aws.AuthorizeSecurityGroupIngressCommand({ GroupId: ID.web, IpPermissions: [tcp443] })),
    want: (request, response, answer) => [
      [request, { groupId: ID.web, ipPermissions: { items: [told443] } }],
      [response.securityGroupRuleSet.items[0].groupId, ID.web],
      [response.securityGroupRuleSet.items[0].securityGroupRuleId, answer.SecurityGroupRules[0].SecurityGroupRuleId],
      [response.securityGroupRuleSet.items[0].fromPort, 443],
      [response.securityGroupRuleSet.items[0].isEgress, false],
    ],
  },
  {
    name: 'RevokeSecurityGroupEgress',
    act: ({ ec2 }) =>
      ec2.send(
        new aws.RevokeSecurityGroupEgressCommand({
          GroupId: ID.web,
          IpPermissions: [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] }],
        }),
      ),
    want: (request, response) => [
      [request.groupId, ID.web],
      [response.revokedSecurityGroupRuleSet.items[0].groupId, ID.web],
      [response.unknownIpPermissionSet, {}],
    ],
  },
  {
    name: 'RevokeSecurityGroupIngress',
    act: async ({ ec2 }) => {
      const Filters = [{ Name: 'group-id', Values: [ID.web] }];
      const { SecurityGroupRules = [] } = await ec2.send(new aws.DescribeSecurityGroupRulesCommand({ Filters }));
      const id = given(SecurityGroupRules.find(({ IsEgress }) => !IsEgress)?.SecurityGroupRuleId);
      await ec2.send(new aws.RevokeSecurityGroupIngressCommand({ GroupId: ID.web, SecurityGroupRuleIds: [id] }));
      return id;
    },
    want: (request, _, id) => [
      [request, { groupId: ID.web, securityGroupRuleIds: { items: [{ securityGroupRuleId: id }] } }],
    ],
  },
  {
    name: 'ModifySecurityGroupRules',
    act: async ({ ec2 }) => {
      const Filters = [{ Name: 'group-id', Values: [ID.web] }];
      const { SecurityGroupRules = [] } = await ec2.send(new aws.DescribeSecurityGroupRulesCommand({ Filters }));
      const SecurityGroupRuleId = given(SecurityGroupRules.find(({ IsEgress }) => !IsEgress)?.SecurityGroupRuleId);
      const SecurityGroupRule = { IpProtocol: 'tcp', FromPort: 8443, ToPort: 8443, CidrIpv4: '192.0.2.0/24' };
      const rules = [{ SecurityGroupRuleId, SecurityGroupRule }];
      await ec2.send(new aws.ModifySecurityGroupRulesCommand({ GroupId: ID.web, SecurityGroupRules: rules }));
      return { SecurityGroupRuleId, SecurityGroupRule, tag: 1 };
    },
    want: (request, response, rule) => [
      [request, { ModifySecurityGroupRulesRequest: { GroupId: ID.web, SecurityGroupRule: rule } }],
      [response.ModifySecurityGroupRulesResponse.return, true],
    ],
  },
  {
    name: 'DeleteSecurityGroup',
    act: ({ ec2 }) => ec2.send(new aws.DeleteSecurityGroupCommand({ GroupId: ID.foreign })),
    want: (request) => [[request.groupId, ID.foreign]],
  },
  {
    name: 'RunInstances',
    act: ({ ec2 }) =>
      ec2.send(
        new aws.RunInstancesCommand({
          ImageId: IMAGE,
          MinCount: 2,
          MaxCount: 2,
          InstanceType: 't3.small',
          UserData: Buffer.from('secret').toString('base64'),
          ClientToken: 'token',
          NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: ID.app, Groups: [ID.web] }],
        }),
      ),
    want: (request, response, answer) => [
      [request.instancesSet, { items: [{ imageId: IMAGE, minCount: 2, maxCount: 2 }] }],
      [request.userData, '<sensitiveDataRemoved>'],
      [
        request.networkInterfaceSet,
        { items: [{ deviceIndex: 0, subnetId: ID.app, groupSet: { items: [{ groupId: ID.web }] } }] },
      ],
      [response.instancesSet.items.map(idIn), answer.Instances.map(({ InstanceId }: Json) => InstanceId)],
      [response.instancesSet.items[1].amiLaunchIndex, 1],
      [response.instancesSet.items[0].instanceState, { code: 0, name: 'pending' }],
      [response.instancesSet.items[0].launchTime, START],
    ],
  },
  {
    name: 'StopInstances',
    act: ({ ec2 }) => ec2.send(new aws.StopInstancesCommand({ InstanceIds: [ID.machine] })),
    want: (request, response) => changedPower(request, response),
  },
  {
    name: 'TerminateInstances',
    act: ({ ec2 }) => ec2.send(new aws.TerminateInstancesCommand({ InstanceIds: [ID.machine] })),
    want: (request, response) => changedPower(request, response),
  },
  {
    name: 'StartInstances',
    act: ({ ec2 }) => ec2.send(new aws.StartInstancesCommand({ InstanceIds: [ID.stopped] })),
    want: (request) => [[request.instancesSet, { items: [{ instanceId: ID.stopped }] }]],
  },
  {
    name: 'ModifyInstanceAttribute',
    act: ({ ec2 }) =>
      ec2.send(new aws.ModifyInstanceAttributeCommand({ InstanceId: ID.machine, Groups: [ID.web, ID.data] })),
    want: (request) => [
      [request, { instanceId: ID.machine, groupSet: { items: [{ groupId: ID.web }, { groupId: ID.data }] } }],
    ],
  },
  {
    name: 'CreateTags',
    act: ({ ec2 }) =>
      ec2.send(new aws.CreateTagsCommand({ Resources: [ID.vpc, ID.app], Tags: [{ Key: 'a', Value: '1' }] })),
    want: (request, response) => [
      [request.resourcesSet, { items: [{ resourceId: ID.vpc }, { resourceId: ID.app }] }],
      [request.tagSet, { items: [{ key: 'a', value: '1' }] }],
      [response._return, true],
    ],
  },
  {
    name: 'DeleteTags',
    act: ({ ec2 }) => ec2.send(new aws.DeleteTagsCommand({ Resources: [ID.vpc], Tags: [{ Key: 'Name' }] })),
    want: (request) => [
      [request.resourcesSet, { items: [{ resourceId: ID.vpc }] }],
      [request.tagSet, { items: [{ key: 'Name' }] }],
    ],
  },
  {
    name: 'DeleteRoute',
    act: ({ ec2 }) =>
      ec2.send(new aws.DeleteRouteCommand({ RouteTableId: ID.table, DestinationCidrBlock: '0.0.0.0/0' })),
    want: (request) => [[request, { routeTableId: ID.table, destinationCidrBlock: '0.0.0.0/0' }]],
  },
  {
    name: 'CreateRouteTable',
    act: ({ ec2 }) => ec2.send(new aws.CreateRouteTableCommand({ VpcId: ID.vpc })),
    want: (request, response, answer) => [
      [request.vpcId, ID.vpc],
      [response.routeTable.routeTableId, answer.RouteTable.RouteTableId],
    ],
  },
  {
    name: 'ModifySubnetAttribute',
    act: ({ ec2 }) =>
      ec2.send(new aws.ModifySubnetAttributeCommand({ SubnetId: ID.app, MapPublicIpOnLaunch: { Value: true } })),
    want: (request) => [[request, { subnetId: ID.app, mapPublicIpOnLaunch: { value: true } }]],
  },
  {
    name: 'ModifyVolume',
    act: async ({ ec2 }) => {
      const { Volumes = [] } = await ec2.send(new aws.DescribeVolumesCommand({}));
      return ec2.send(new aws.ModifyVolumeCommand({ VolumeId: given(Volumes[0]?.VolumeId), Size: 30 }));
    },
    want: (request, response, answer) => [
      [request.ModifyVolumeRequest, { VolumeId: answer.VolumeModification.VolumeId, Size: 30 }],
      [response.ModifyVolumeResponse.volumeModification.volumeId, answer.VolumeModification.VolumeId],
      [response.ModifyVolumeResponse.volumeModification.targetSize, 30],
    ],
  },
  {
    name: 'AssociateIamInstanceProfile',
    act: ({ ec2 }) =>
      ec2.send(
        new aws.AssociateIamInstanceProfileCommand({ InstanceId: ID.machine, IamInstanceProfile: { Name: 'role' } }),
      ),
    want: (request, response) => [
      [request.AssociateIamInstanceProfileRequest, { InstanceId: ID.machine, IamInstanceProfile: { Name: 'role' } }],
      [response.AssociateIamInstanceProfileResponse.iamInstanceProfileAssociation.instanceId, ID.machine],
    ],
  },
];

const idIn = ({ instanceId }: Json): unknown => instanceId;

describe('the ids in a record of CloudTrail', () => {
  for (const { name, act, want } of rows)
    it(name, async () => {
      await using all = await listening((url) =>
        bench({ estate: smallEstate(), events: [{ cloud: 'aws', url, apiKey: 'k' }] }),
      );
      const answer = await act(all.made);
      const { eventName, requestParameters, responseElements } = (await all.heard.at(0)).body.detail;
      assert.equal(eventName, name);
      for (const [told, wanted] of want(requestParameters, responseElements, answer)) assert.deepEqual(told, wanted);
    });
});
