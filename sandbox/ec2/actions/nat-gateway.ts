import { type Action, type Context, dryRun, read, write } from '../action.ts';
import { once } from '../client-token.ts';
import { refused, required } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { describe, type Listing, listFields } from '../listing.ts';
import { addNatGateway } from '../nat-gateway.ts';
import { removeInterface } from '../network-interface.ts';
import { list, text } from '../query.ts';
import type { NatGateway } from '../records.ts';
import type { Region } from '../region.ts';
import { refuseInShared } from '../sharing.ts';
import { specifiedTags, tagField, tagSet } from '../tags.ts';
import { el, set, time, wrap } from '../xml.ts';

export const natGatewayActions: readonly Action[] = [
  read({
    name: 'DescribeNatGateways',
    fields: { ...listFields, ...dryRun, NatGatewayId: list(text) },
    run: (context, input) => describe(context, input, input.NatGatewayId, natGatewayListing(context)),
  }),
  write({
    name: 'CreateNatGateway',
    fields: {
      ...tagField,
      ...dryRun,
      SubnetId: text,
      AllocationId: text,
      ConnectivityType: text,
      PrivateIpAddress: text,
      ClientToken: text,
    },
    run: (context, input) => {
      const { region } = context;
      const [id = ''] = once(context, { action: 'CreateNatGateway', token: input.ClientToken, asked: input }, () => [
        makeNatGateway(context, input).id,
      ]);
      const gateway = region.natGateways.get(id);
      if (!gateway) throw ID.natGateway.notFound([id]);
      return wrap('natGateway', natGatewayXml(gateway)) + el('clientToken', input.ClientToken);
    },
  }),
  write({
    name: 'DeleteNatGateway',
    fields: { ...dryRun, NatGatewayId: text },
    run: ({ region, now }, input) => {
      const gateway = target(region.natGateways, ID.natGateway, input.NatGatewayId, 'natGatewayId');
      if (gateway.state !== 'deleted') beginDeletion(region, gateway, now);
      return el('natGatewayId', gateway.id);
    },
  }),
];

interface Order {
  readonly SubnetId?: string | undefined;
  readonly AllocationId?: string | undefined;
  readonly ConnectivityType?: string | undefined;
  readonly PrivateIpAddress?: string | undefined;
  readonly TagSpecification?: Parameters<typeof specifiedTags>[0];
}

/** The sandbox gives no Elastic IP address to a gateway, so a public one comes from an estate only. */
function makeNatGateway({ region, now }: Context, order: Order): NatGateway {
  const subnet = target(region.subnets, ID.subnet, order.SubnetId, 'subnetId');
  refuseInShared(region, subnet.vpcId);
  const connectivity = order.ConnectivityType ?? 'public';
  if (connectivity !== 'public' && connectivity !== 'private')
    throw refused('InvalidParameterValue', `Value (${connectivity}) for parameter connectivityType is invalid.`);
  if (connectivity === 'public') {
    const allocation = required(order.AllocationId, 'AllocationId');
    throw refused('InvalidAllocationID.NotFound', `The allocation ID '${allocation}' does not exist`);
  }
  if (order.AllocationId !== undefined)
    throw refused('InvalidParameterCombination', 'A private NAT gateway has no allocation ID');
  const tags = specifiedTags(order.TagSpecification, 'natgateway');
  const { id } = addNatGateway(region, {
    subnet,
    connectivity,
    state: 'pending',
    privateIp: order.PrivateIpAddress,
    tags,
    now,
  });
  region.timeline.schedule(now + region.durations.natGateway, () => {
    const pending = region.natGateways.get(id);
    if (pending?.state === 'pending') region.natGateways.put({ ...pending, state: 'available' });
  });
  const made = region.natGateways.get(id);
  if (!made) throw ID.natGateway.notFound([id]);
  return made;
}

function beginDeletion(region: Region, gateway: NatGateway, now: number): void {
  region.natGateways.put({ ...gateway, state: 'deleting' });
  const { natGateway, deletedListed } = region.durations;
  region.timeline.schedule(now + natGateway, () => {
    const eni = region.interfaces.get(gateway.interfaceId);
    if (eni) removeInterface(region, eni);
    region.natGateways.put({ ...gateway, state: 'deleted', deletedAt: now + natGateway });
  });
  region.timeline.schedule(now + natGateway + deletedListed, () => region.natGateways.remove(gateway.id));
}

function natGatewayListing({ region }: Context): Listing<NatGateway> {
  return {
    set: 'natGatewaySet',
    table: region.natGateways,
    rules: { ids: ID.natGateway, max: 1000 },
    filters: {
      'nat-gateway-id': (gateway) => [gateway.id],
      state: (gateway) => [gateway.state],
      'subnet-id': (gateway) => [gateway.subnetId],
      'vpc-id': (gateway) => [gateway.vpcId],
    },
    render: natGatewayXml,
  };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NatGateway.html */
function natGatewayXml(gateway: NatGateway): string {
  const { privateIp, publicIp } = gateway.address;
  const address =
    el('networkInterfaceId', gateway.interfaceId) +
    el('privateIp', privateIp) +
    (publicIp === undefined ? '' : el('allocationId', `eipalloc-${gateway.id.slice(4)}`) + el('publicIp', publicIp)) +
    el('isPrimary', true) +
    el('status', gateway.state === 'pending' ? 'associating' : 'succeeded');
  return (
    el('natGatewayId', gateway.id) +
    el('subnetId', gateway.subnetId) +
    el('vpcId', gateway.vpcId) +
    el('state', gateway.state) +
    el('connectivityType', gateway.connectivity) +
    el('createTime', time(gateway.createdAt)) +
    (gateway.deletedAt === undefined ? '' : el('deleteTime', time(gateway.deletedAt))) +
    set('natGatewayAddressSet', [address]) +
    tagSet(gateway.tags)
  );
}
