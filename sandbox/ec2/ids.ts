import type { Refused } from '../protocol.ts';
import type { Table } from '../table.ts';
import { refused, required } from './errors.ts';

/** EC2's prefix and error codes for the ids of one type. Codes: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html */
export interface IdType {
  readonly prefix: string;
  readonly malformed: string;
  readonly notFound: (ids: readonly string[]) => Refused;
}

const idType = (prefix: string, code: string, noun: string, malformed = `${code}.Malformed`): IdType => ({
  prefix,
  malformed,
  notFound: (ids) =>
    ids.length > 1
      ? refused(`${code}.NotFound`, `The ${noun}s '${ids.join(', ')}' do not exist`)
      : refused(`${code}.NotFound`, `The ${noun} '${ids[0]}' does not exist`),
});

export const ID = {
  vpc: idType('vpc', 'InvalidVpcID', 'vpc ID'),
  subnet: idType('subnet', 'InvalidSubnetID', 'subnet ID'),
  gateway: idType('igw', 'InvalidInternetGatewayID', 'internetGateway ID', 'InvalidInternetGatewayId.Malformed'),
  routeTable: idType('rtb', 'InvalidRouteTableID', 'routeTable ID', 'InvalidRouteTableId.Malformed'),
  association: idType('rtbassoc', 'InvalidAssociationID', 'association ID'),
  natGateway: {
    prefix: 'nat',
    malformed: 'NatGatewayMalformed',
    notFound: (ids: readonly string[]): Refused =>
      refused('NatGatewayNotFound', `The Nat Gateway ${ids.join(', ')} was not found`),
  },
  elasticAddress: idType('eipalloc', 'InvalidAllocationID', 'allocation ID'),
  peering: idType(
    'pcx',
    'InvalidVpcPeeringConnectionID',
    'vpcPeeringConnection ID',
    'InvalidVpcPeeringConnectionId.Malformed',
  ),
  acl: idType('acl', 'InvalidNetworkAclID', 'networkAcl ID', 'InvalidNetworkAclId.Malformed'),
  group: idType('sg', 'InvalidGroup', 'security group', 'InvalidGroupId.Malformed'),
  rule: idType('sgr', 'InvalidSecurityGroupRuleId', 'security group rule ID'),
  instance: idType('i', 'InvalidInstanceID', 'instance ID'),
  volume: idType('vol', 'InvalidVolume', 'volume', 'InvalidVolumeID.Malformed'),
  networkInterface: idType(
    'eni',
    'InvalidNetworkInterfaceID',
    'networkInterface ID',
    'InvalidNetworkInterfaceId.Malformed',
  ),
  image: {
    prefix: 'ami',
    malformed: 'InvalidAMIID.Malformed',
    notFound: (ids: readonly string[]): Refused =>
      refused(
        'InvalidAMIID.NotFound',
        `The image id${ids.length > 1 ? 's' : ''} '[${ids.join(', ')}]' do${ids.length > 1 ? '' : 'es'} not exist`,
      ),
  },
  profileAssociation: idType('iip-assoc', 'InvalidAssociationID', 'association ID'),
} as const satisfies Readonly<Record<string, IdType>>;

export function wellFormed(type: IdType, id: string): string {
  if (!id.startsWith(`${type.prefix}-`) || !/^[0-9a-f]{8}(?:[0-9a-f]{9})?$/.test(id.slice(type.prefix.length + 1))) {
    throw refused(type.malformed, `Invalid id: "${id}" (expecting "${type.prefix}-...")`);
  }
  return id;
}

/** The record that a write is aimed at; refused when absent, malformed, or too fresh for the cloud to know. */
export function target<T extends { readonly id: string }>(
  table: Table<T>,
  type: IdType,
  id: string | undefined,
  parameter: string,
): T {
  const found = table.target(wellFormed(type, required(id, parameter)));
  if (!found) throw type.notFound([id ?? '']);
  return found;
}
