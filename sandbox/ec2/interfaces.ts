import { hexDigits } from '../random.ts';
import { freshPublicIp, takeAddress } from './addresses.ts';
import { refused } from './errors.ts';
import { ID, target } from './ids.ts';
import type { InterfaceAttachment, NetworkInterface, Subnet, Tags } from './records.ts';
import { freshId, type Region } from './region.ts';

export interface InterfaceOrder {
  readonly subnet: Subnet;
  readonly groups: readonly string[];
  readonly privateIp: string | undefined;
  readonly publicIp: boolean;
  readonly tags: Tags;
  readonly attachment: Pick<InterfaceAttachment, 'instanceId' | 'deviceIndex' | 'deleteOnTermination'> & {
    readonly at: number;
    readonly description: string;
  };
}

export function launchInterface(region: Region, order: InterfaceOrder): NetworkInterface {
  const { subnet, attachment } = order;
  const mac = hexDigits(region.random, 10).replace(/../g, ':$&');
  return region.interfaces.put({
    id: freshId(region, 'eni'),
    tags: order.tags,
    place: { subnetId: subnet.id, vpcId: subnet.vpcId, zone: subnet.zone },
    groups: order.groups,
    address: {
      privateIp: takeAddress(region, subnet, order.privateIp),
      publicIp: order.publicIp ? freshPublicIp(region) : undefined,
      mac: `02${mac}`,
      ipv6: [],
    },
    attachment: {
      id: freshId(region, 'eni-attach'),
      instanceId: attachment.instanceId,
      deviceIndex: attachment.deviceIndex,
      deleteOnTermination: attachment.deleteOnTermination,
      at: attachment.at,
    },
    description: attachment.description,
    requester: { id: undefined, managed: false, type: 'interface', sourceDestCheck: true },
  });
}

export function removeInterface(region: Region, eni: NetworkInterface): void {
  region.addresses.get(eni.place.subnetId)?.delete(eni.address.privateIp);
  region.interfaces.remove(eni.id);
}

/** The groups an interface is to have: known, of this VPC, and no more than the quota. Without any: the VPC's default group. */
export function checkedGroups(
  region: Region,
  place: { readonly vpcId: string; readonly subnetId: string },
  ids: readonly string[] | undefined,
): readonly string[] {
  if (!ids?.length) {
    for (const group of region.groups.of(place.vpcId)) if (group.name === 'default') return [group.id];
    return [];
  }
  const groups = [...new Set(ids)].map((id) => target(region.groups, ID.group, id, 'groupId'));
  for (const group of groups) {
    if (group.vpcId !== place.vpcId) {
      throw refused(
        'InvalidParameter',
        `Security group ${group.id} and subnet ${place.subnetId} belong to different networks.`,
      );
    }
  }
  if (groups.length > region.quotas.groupsPerInterface) {
    throw refused(
      'SecurityGroupsPerInterfaceLimitExceeded',
      'The maximum number of security groups per interface has been reached.',
    );
  }
  return groups.map((group) => group.id);
}
