import type { IpPermission } from '@aws-sdk/client-ec2';
import type { CloudId } from '../../src/core/resource.ts';
import { type Fields, fieldsOf, textOf } from '../shared/event-fields.ts';
import { atomsOf } from './permission.ts';

/** One record of CloudTrail, as far as it names objects. */
interface TrailRecord {
  readonly action: string;
  readonly account: string;
  readonly asked: Fields;
  readonly answered: Fields;
}

/**
 * The cloud's ids of the resources that a call changed; undefined if it changed none of our kinds. Resources that the call
 * only refers to are left out: launching a machine into a subnet does not change the subnet.
 */
export function touchedIds(record: TrailRecord): readonly CloudId[] | undefined {
  const direction = ruleCalls.get(record.action);
  if (direction !== undefined) return ruleIds(record, direction);
  const paths = calls.get(record.action);
  if (paths === undefined) return undefined;
  return paths.flatMap((path) => {
    const [where = '', ...rest] = path.split('.');
    return textsAt(where === 'asked' ? record.asked : record.answered, rest);
  });
}

const instances = ['asked.instancesSet.instanceId'];
const instance = ['asked.instanceId'];
const vpc = ['asked.vpcId'];
const subnet = ['asked.subnetId'];
const table = ['asked.routeTableId'];
const gateway = ['asked.internetGatewayId', 'asked.vpcId'];
const volume = ['asked.volumeId', 'asked.instanceId'];
const address = ['asked.instanceId', 'asked.networkInterfaceId'];

/**
 * The places of the ids in a record: https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-log-file-examples.html,
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitor-with-cloudtrail.html. Newer actions are wrapped in their own name.
 */
const calls: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    CreateVpc: ['answered.vpc.vpcId'],
    DeleteVpc: vpc,
    ModifyVpcAttribute: vpc,
    AssociateVpcCidrBlock: vpc,
    DisassociateVpcCidrBlock: ['answered.vpcId'],
    CreateSubnet: ['answered.subnet.subnetId'],
    DeleteSubnet: subnet,
    ModifySubnetAttribute: subnet,
    CreateInternetGateway: ['answered.internetGateway.internetGatewayId'],
    DeleteInternetGateway: gateway,
    AttachInternetGateway: gateway,
    DetachInternetGateway: gateway,
    CreateRouteTable: ['answered.routeTable.routeTableId'],
    DeleteRouteTable: table,
    CreateRoute: table,
    ReplaceRoute: table,
    DeleteRoute: table,
    AssociateRouteTable: [...table, ...subnet],
    ReplaceRouteTableAssociation: table,
    DisassociateRouteTable: [],
    CreateSecurityGroup: ['answered.groupId'],
    DeleteSecurityGroup: ['asked.groupId'],
    ModifySecurityGroupRules: ['asked.ModifySecurityGroupRulesRequest.GroupId'],
    RunInstances: ['answered.instancesSet.instanceId'],
    StartInstances: instances,
    StopInstances: instances,
    RebootInstances: instances,
    TerminateInstances: instances,
    ModifyInstanceAttribute: instance,
    ResetInstanceAttribute: instance,
    ModifyInstanceMetadataOptions: ['asked.ModifyInstanceMetadataOptionsRequest.InstanceId', ...instance],
    AssociateIamInstanceProfile: ['asked.AssociateIamInstanceProfileRequest.InstanceId', ...instance],
    ReplaceIamInstanceProfileAssociation: [
      'answered.ReplaceIamInstanceProfileAssociationResponse.iamInstanceProfileAssociation.instanceId',
    ],
    DisassociateIamInstanceProfile: [
      'answered.DisassociateIamInstanceProfileResponse.iamInstanceProfileAssociation.instanceId',
    ],
    ModifyNetworkInterfaceAttribute: ['asked.networkInterfaceId'],
    AssignPrivateIpAddresses: ['asked.networkInterfaceId'],
    UnassignPrivateIpAddresses: ['asked.networkInterfaceId'],
    AssociateAddress: address,
    DisassociateAddress: address,
    AttachVolume: volume,
    DetachVolume: volume,
    DeleteVolume: volume,
    ModifyVolume: ['asked.ModifyVolumeRequest.VolumeId', ...volume],
    CreateTags: ['asked.resourcesSet.resourceId'],
    DeleteTags: ['asked.resourcesSet.resourceId'],
  }),
);

const ruleCalls: ReadonlyMap<string, Side> = new Map(
  Object.entries({
    AuthorizeSecurityGroupIngress: 'IpPermissions',
    RevokeSecurityGroupIngress: 'IpPermissions',
    UpdateSecurityGroupRuleDescriptionsIngress: 'IpPermissions',
    AuthorizeSecurityGroupEgress: 'IpPermissionsEgress',
    RevokeSecurityGroupEgress: 'IpPermissionsEgress',
    UpdateSecurityGroupRuleDescriptionsEgress: 'IpPermissionsEgress',
  } satisfies Record<string, Side>),
);

type Side = 'IpPermissions' | 'IpPermissionsEgress';

/** A rule's id follows from its content. If the record holds only the cloud's id or a deprecated form, its group is returned. */
function ruleIds({ action, account, asked, answered }: TrailRecord, side: Side): readonly CloudId[] {
  const wrapped = fieldsOf(asked[`${action}Request`]);
  const group =
    textOf(asked['groupId']) ?? textOf(wrapped['GroupId']) ?? textsAt(answered, ['securityGroupRuleSet', 'groupId'])[0];
  if (group === undefined) return [];
  const permissions = valuesAt(asked['ipPermissions'], [])
    .map((one) => permissionOf(fieldsOf(one)))
    .filter(({ IpProtocol }) => IpProtocol !== undefined);
  const atoms = atomsOf({ GroupId: group, [side]: permissions }, account).map(({ id }) => id);
  return atoms.length === 0 ? [group] : atoms;
}

function permissionOf(permission: Fields): IpPermission {
  const port = (name: string): number | undefined =>
    typeof permission[name] === 'number' ? permission[name] : undefined;
  const of = (set: string, field: string): readonly string[] => textsAt(permission[set], [field]);
  return {
    IpProtocol: textOf(permission['ipProtocol']),
    FromPort: port('fromPort'),
    ToPort: port('toPort'),
    IpRanges: of('ipRanges', 'cidrIp').map((CidrIp) => ({ CidrIp })),
    Ipv6Ranges: of('ipv6Ranges', 'cidrIpv6').map((CidrIpv6) => ({ CidrIpv6 })),
    PrefixListIds: of('prefixListIds', 'prefixListId').map((PrefixListId) => ({ PrefixListId })),
    UserIdGroupPairs: valuesAt(permission['groups'], []).flatMap((pair) => {
      const { groupId, userId } = fieldsOf(pair);
      const id = textOf(groupId);
      return id === undefined ? [] : [{ GroupId: id, UserId: textOf(userId) }];
    }),
  };
}

/** Every text at `path`, through lists and the `items` that AWS wraps them in. */
function textsAt(value: unknown, path: readonly string[]): readonly string[] {
  const found = valuesAt(value, path);
  return found.flatMap((one) => textOf(one) ?? []);
}

function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, path));
  const fields = fieldsOf(value);
  if (Array.isArray(fields['items'])) return valuesAt(fields['items'], path);
  const [first, ...rest] = path;
  if (first === undefined) return [value];
  return fields[first] === undefined ? [] : valuesAt(fields[first], rest);
}
