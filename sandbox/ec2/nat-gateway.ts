import { freshPublicIp, takeAddress } from './network-interface.ts';
import type { NatGateway, Subnet, Tags } from './records.ts';
import { freshId, type Region } from './region.ts';
import { noTags } from './tags.ts';

interface NatGatewayOrder {
  readonly id?: string | undefined;
  readonly subnet: Subnet;
  readonly connectivity: NatGateway['connectivity'];
  readonly state: NatGateway['state'];
  readonly privateIp?: string | undefined;
  readonly tags: Tags;
  readonly now: number;
}

/** A NAT gateway with its interface, which holds an address of the subnet: one that failed or is deleted has none any more. */
export function addNatGateway(region: Region, order: NatGatewayOrder): NatGateway {
  const { subnet, connectivity, state, now, tags, id = freshId(region, 'nat') } = order;
  const isGone = state === 'failed' || state === 'deleted';
  const gateway: NatGateway = {
    id,
    tags,
    vpcId: subnet.vpcId,
    subnetId: subnet.id,
    connectivity,
    state,
    interfaceId: freshId(region, 'eni'),
    address: {
      privateIp: takeAddress(region, subnet, order.privateIp),
      publicIp: connectivity === 'public' ? freshPublicIp(region) : undefined,
    },
    createdAt: now,
    deletedAt: state === 'deleted' ? now : undefined,
  };
  if (isGone) region.addresses.get(subnet.id)?.delete(gateway.address.privateIp);
  else addInterface(region, subnet, gateway);
  return region.natGateways.put(gateway);
}

function addInterface(region: Region, subnet: Subnet, { id, interfaceId, address, createdAt }: NatGateway): void {
  region.interfaces.put({
    id: interfaceId,
    tags: noTags,
    place: { subnetId: subnet.id, vpcId: subnet.vpcId, zone: subnet.zone },
    groups: [],
    address: { ...address, mac: '02:00:00:00:00:02', ipv6: [] },
    attachment: {
      id: freshId(region, 'eni-attach'),
      instanceId: '',
      deviceIndex: 1,
      deleteOnTermination: false,
      at: createdAt,
    },
    description: `Interface for NAT Gateway ${id}`,
    requester: { id: region.account, managed: true, type: 'nat_gateway', sourceDestCheck: false },
  });
}
