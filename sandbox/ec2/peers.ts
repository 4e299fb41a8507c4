import { parseCidr } from '../cidr.ts';
import { refused } from './errors.ts';
import { ID, wellFormed } from './ids.ts';
import type { Peer, SecurityGroup } from './records.ts';
import type { Region } from './region.ts';

export function cidrPeer(value: string, family: 'ipv4' | 'ipv6'): Peer {
  const cidr = parseCidr(value, family);
  if (!cidr) throw refused('InvalidParameterValue', `CIDR block ${value} is malformed`);
  return { kind: family, cidr: cidr.text };
}

export function prefixPeer(id: string): Peer {
  if (!/^pl-[0-9a-f]{8}(?:[0-9a-f]{9})?$/.test(id))
    throw refused('InvalidPrefixListId.Malformed', `Invalid id: "${id}" (expecting "pl-...")`);
  return { kind: 'prefix-list', prefixListId: id };
}

export function groupPeer(
  region: Region,
  group: SecurityGroup,
  pair: {
    readonly GroupId?: string | undefined;
    readonly GroupName?: string | undefined;
    readonly UserId?: string | undefined;
  },
): Peer {
  const userId = pair.UserId || region.account;
  if (pair.GroupId === undefined)
    throw refused(
      'InvalidGroup.NotFound',
      `The security group '${pair.GroupName ?? ''}' does not exist in default VPC 'none'`,
    );
  const groupId = wellFormed(ID.group, pair.GroupId);
  if (userId !== region.account) return { kind: 'group', groupId, userId };
  const other = groupId === group.id ? group : region.groups.target(groupId);
  if (!other) throw ID.group.notFound([groupId]);
  if (other.vpcId !== group.vpcId)
    throw refused('InvalidGroup.NotFound', 'You have specified two resources that belong to different networks.');
  return { kind: 'group', groupId, userId };
}
