import { DescribeSecurityGroupsCommand, type IpPermission } from '@aws-sdk/client-ec2';
import type { Colleague } from './colleague.ts';

/** The rules of a group, one line for each peer, as `in tcp 443-443 0.0.0.0/0 "why"`. */
export async function rulesOf(name: string, { client, group }: Colleague): Promise<readonly string[]> {
  const asked = new DescribeSecurityGroupsCommand({ GroupIds: [await group(name)] });
  const { SecurityGroups: [found] = [] } = await client.send(asked);
  const lines = [
    ...(found?.IpPermissions ?? []).flatMap((permission) => linesOf('in', permission)),
    ...(found?.IpPermissionsEgress ?? []).flatMap((permission) => linesOf('out', permission)),
  ];
  return lines.toSorted();
}

function linesOf(way: string, permission: IpPermission): readonly string[] {
  const { IpProtocol, FromPort, ToPort } = permission;
  const ports = FromPort === undefined || FromPort === -1 ? '' : ` ${FromPort}-${ToPort}`;
  const peers = [
    ...(permission.IpRanges ?? []).map(({ CidrIp, Description }) => ({ peer: CidrIp, Description })),
    ...(permission.Ipv6Ranges ?? []).map(({ CidrIpv6, Description }) => ({ peer: CidrIpv6, Description })),
    ...(permission.UserIdGroupPairs ?? []).map(({ GroupId, Description }) => ({ peer: GroupId, Description })),
  ];
  return peers.map(
    ({ peer, Description }) => `${way} ${IpProtocol}${ports} ${peer}${Description ? ` "${Description}"` : ''}`,
  );
}
