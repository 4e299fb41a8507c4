import { overlaps, parseCidr } from '../../cidr.ts';
import { type Action, type Context, dryRun, read, write } from '../action.ts';
import { refused } from '../errors.ts';
import { ID, target, wellFormed } from '../ids.ts';
import { describe, type Listing, listFields } from '../listing.ts';
import { list, text } from '../query.ts';
import type { PeeredVpc, Peering, PeeringStatus, Vpc } from '../records.ts';
import { freshId, type Region } from '../region.ts';
import { own } from '../sharing.ts';
import { specifiedTags, tagField, tagSet } from '../tags.ts';
import { blocksOf } from '../vpc.ts';
import { el, set, time, wrap } from '../xml.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcPeeringConnection.html: "expires after 7 days" */
const EXPIRES_MS = 7 * 24 * 3_600_000;

export const vpcPeeringActions: readonly Action[] = [
  read({
    name: 'DescribeVpcPeeringConnections',
    fields: { ...listFields, ...dryRun, VpcPeeringConnectionId: list(text) },
    run: (context, input) => describe(context, input, input.VpcPeeringConnectionId, peeringListing(context)),
  }),
  write({
    name: 'CreateVpcPeeringConnection',
    fields: { ...tagField, ...dryRun, VpcId: text, PeerVpcId: text, PeerOwnerId: text, PeerRegion: text },
    run: (context, input) => {
      const { region, now } = context;
      const vpc = own(target(region.vpcs, ID.vpc, input.VpcId, 'vpcId'));
      const tags = specifiedTags(input.TagSpecification, 'vpc-peering-connection');
      const { PeerOwnerId: account = region.account, PeerRegion: name = region.name, PeerVpcId } = input;
      const isHere = account === region.account && name === region.name;
      const accepter = isHere
        ? sideOf(region, target(region.vpcs, ID.vpc, PeerVpcId, 'peerVpcId'))
        : { vpcId: wellFormed(ID.vpc, PeerVpcId ?? ''), account, region: name, cidrs: [] };
      const requester = sideOf(region, vpc);
      const peering = region.peerings.put({
        id: freshId(region, 'pcx'),
        tags,
        requester,
        accepter,
        status: doOverlap(requester, accepter) ? 'failed' : 'pending-acceptance',
        expiresAt: now + EXPIRES_MS,
      });
      expireLater(region, peering);
      return wrap('vpcPeeringConnection', peeringXml(peering, 'initiating-request'));
    },
  }),
  write({
    name: 'AcceptVpcPeeringConnection',
    fields: { ...dryRun, VpcPeeringConnectionId: text },
    run: ({ region }, input) => {
      const peering = answered(region, input.VpcPeeringConnectionId);
      const active = region.peerings.put({ ...peering, status: 'active' });
      return wrap('vpcPeeringConnection', peeringXml(active, 'provisioning'));
    },
  }),
  write({
    name: 'RejectVpcPeeringConnection',
    fields: { ...dryRun, VpcPeeringConnectionId: text },
    run: ({ region, now }, input) => {
      const peering = answered(region, input.VpcPeeringConnectionId);
      end(region, peering, 'rejected', now);
      return el('return', true);
    },
  }),
  write({
    name: 'DeleteVpcPeeringConnection',
    fields: { ...dryRun, VpcPeeringConnectionId: text },
    run: ({ region, now }, input) => {
      const peering = target(region.peerings, ID.peering, input.VpcPeeringConnectionId, 'vpcPeeringConnectionId');
      if (peering.status !== 'active' && peering.status !== 'pending-acceptance')
        throw refused('InvalidStateTransition', `Invalid state transition for ${peering.id}: it is ${peering.status}`);
      end(region, peering, 'deleted', now);
      return el('return', true);
    },
  }),
];

const sideOf = (region: Region, vpc: Vpc): PeeredVpc => ({
  vpcId: vpc.id,
  account: vpc.sharedBy ?? region.account,
  region: region.name,
  cidrs: blocksOf(vpc).map(({ cidr }) => cidr),
});

/** "If you create a VPC peering connection request between VPCs with overlapping CIDR blocks, [it] has a status of failed" */
function doOverlap({ cidrs }: PeeredVpc, other: PeeredVpc): boolean {
  const read = (all: readonly string[]) =>
    all.flatMap((cidr) => parseCidr(cidr, cidr.includes(':') ? 'ipv6' : 'ipv4') ?? []);
  return read(cidrs).some((one) => read(other.cidrs).some((two) => overlaps(one, two)));
}

/** A request that this account and region may answer, and that waits for it. */
function answered(region: Region, id: string | undefined): Peering {
  const peering = target(region.peerings, ID.peering, id, 'vpcPeeringConnectionId');
  const { account, region: name } = peering.accepter;
  if (account !== region.account || name !== region.name)
    throw refused('OperationNotPermitted', `User ${region.account} cannot accept or reject peering ${peering.id}`);
  if (peering.status !== 'pending-acceptance')
    throw refused('InvalidStateTransition', `Invalid state transition for ${peering.id}: it is ${peering.status}`);
  return peering;
}

/** A peering that ended stays listed for a while: https://docs.aws.amazon.com/vpc/latest/peering/vpc-peering-basics.html#vpc-peering-lifecycle */
function end(region: Region, peering: Peering, status: PeeringStatus, now: number): void {
  region.peerings.put({ ...peering, status });
  region.timeline.schedule(now + region.durations.deletedListed, () => region.peerings.remove(peering.id));
}

function expireLater(region: Region, { id, expiresAt }: Peering): void {
  region.timeline.schedule(expiresAt, () => {
    const peering = region.peerings.get(id);
    if (peering?.status === 'pending-acceptance') end(region, peering, 'expired', expiresAt);
  });
}

function peeringListing({ region }: Context): Listing<Peering> {
  return {
    set: 'vpcPeeringConnectionSet',
    table: region.peerings,
    rules: { ids: ID.peering, max: 1000 },
    filters: {
      'vpc-peering-connection-id': (peering) => [peering.id],
      'status-code': (peering) => [peering.status],
      'status-message': (peering) => [MESSAGES[peering.status]],
      'expiration-time': (peering) => [time(peering.expiresAt)],
      'requester-vpc-info.vpc-id': ({ requester }) => [requester.vpcId],
      'requester-vpc-info.owner-id': ({ requester }) => [requester.account],
      'requester-vpc-info.cidr-block': ({ requester }) => requester.cidrs,
      'accepter-vpc-info.vpc-id': ({ accepter }) => [accepter.vpcId],
      'accepter-vpc-info.owner-id': ({ accepter }) => [accepter.account],
      'accepter-vpc-info.cidr-block': ({ accepter }) => accepter.cidrs,
    },
    render: (peering) => peeringXml(peering),
  };
}

const MESSAGES: Readonly<Record<PeeringStatus, string>> = {
  'initiating-request': 'Initiating Request',
  'pending-acceptance': 'Pending Acceptance',
  failed: 'Failed due to incorrect VPC-ID, Account ID, or overlapping CIDR range',
  expired: 'Expired',
  rejected: 'Rejected',
  provisioning: 'Provisioning',
  active: 'Active',
  deleting: 'Deleting',
  deleted: 'Deleted',
};

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VpcPeeringConnection.html */
function peeringXml(peering: Peering, status = peering.status): string {
  return (
    el('vpcPeeringConnectionId', peering.id) +
    wrap('requesterVpcInfo', sideXml(peering.requester)) +
    wrap('accepterVpcInfo', sideXml(peering.accepter)) +
    wrap('status', el('code', status) + el('message', MESSAGES[status])) +
    (status === 'initiating-request' || status === 'pending-acceptance'
      ? el('expirationTime', time(peering.expiresAt))
      : '') +
    tagSet(peering.tags)
  );
}

function sideXml({ vpcId, account, region, cidrs }: PeeredVpc): string {
  const v4 = cidrs.filter((cidr) => !cidr.includes(':'));
  const v6 = cidrs.filter((cidr) => cidr.includes(':'));
  return (
    el('ownerId', account) +
    el('vpcId', vpcId) +
    el('cidrBlock', v4[0]) +
    (v4.length > 0
      ? set(
          'cidrBlockSet',
          v4.map((cidr) => el('cidrBlock', cidr)),
        )
      : '') +
    (v6.length > 0
      ? set(
          'ipv6CidrBlockSet',
          v6.map((cidr) => el('ipv6CidrBlock', cidr)),
        )
      : '') +
    el('region', region)
  );
}
