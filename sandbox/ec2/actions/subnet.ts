import { blockOf, type Cidr, contains, overlaps, parseCidr } from '../../cidr.ts';
import { type Action, type Context, dryRun, read, write } from '../action.ts';
import { missing, refused, required } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { describe, type Listing, listFields } from '../listing.ts';
import { freeAddressCount } from '../network-interface.ts';
import { flag, list, record, text } from '../query.ts';
import type { Ipv6Block, Subnet, Vpc } from '../records.ts';
import { freshId, type Region } from '../region.ts';
import { own, refuseInShared, sharerOf } from '../sharing.ts';
import { specifiedTags, tagField, tagSet } from '../tags.ts';
import { blocksOf } from '../vpc.ts';
import { el, set, wrap } from '../xml.ts';

/** https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html */
const SIZES = { widest: 16, narrowest: 28 };

export const subnetActions: readonly Action[] = [
  read({
    name: 'DescribeSubnets',
    fields: { ...listFields, ...dryRun, SubnetId: list(text) },
    run: (context, input) => describe(context, input, input.SubnetId, subnetListing(context)),
  }),
  write({
    name: 'CreateSubnet',
    fields: {
      ...tagField,
      ...dryRun,
      VpcId: text,
      CidrBlock: text,
      Ipv6CidrBlock: text,
      AvailabilityZone: text,
      AvailabilityZoneId: text,
    },
    run: (context, input) => {
      const { region } = context;
      const vpc = own(target(region.vpcs, ID.vpc, input.VpcId, 'vpcId'));
      const cidr = subnetCidr(region, vpc, required(input.CidrBlock, 'cidrBlock'));
      const subnet: Subnet = {
        id: freshId(region, 'subnet'),
        tags: specifiedTags(input.TagSpecification, 'subnet'),
        vpcId: vpc.id,
        cidr: cidr.text,
        zone: zoneOf(region, input.AvailabilityZone, input.AvailabilityZoneId),
        ipv6: input.Ipv6CidrBlock === undefined ? undefined : subnetIpv6(region, vpc, input.Ipv6CidrBlock),
        defaultForAz: false,
        onLaunch: { publicIp: false, ipv6: false },
      };
      region.subnets.put(subnet);
      return wrap('subnet', subnetXml(context, subnet));
    },
  }),
  write({
    name: 'DeleteSubnet',
    fields: { ...dryRun, SubnetId: text },
    run: ({ region }, input) => {
      const subnet = target(region.subnets, ID.subnet, input.SubnetId, 'subnetId');
      refuseInShared(region, subnet.vpcId);
      for (const _ of region.interfaces.of(subnet.id)) {
        throw refused('DependencyViolation', `The subnet '${subnet.id}' has dependencies and cannot be deleted.`);
      }
      for (const table of region.routeTables.of(subnet.vpcId)) {
        const associations = table.associations.filter((association) => association.subnetId !== subnet.id);
        if (associations.length < table.associations.length) region.routeTables.put({ ...table, associations });
      }
      for (const acl of region.acls.of(subnet.vpcId)) {
        const associations = acl.associations.filter((association) => association.subnetId !== subnet.id);
        if (associations.length < acl.associations.length) region.acls.put({ ...acl, associations });
      }
      region.subnets.remove(subnet.id);
      return el('return', true);
    },
  }),
  write({
    name: 'ModifySubnetAttribute',
    fields: {
      SubnetId: text,
      MapPublicIpOnLaunch: record({ Value: flag }),
      AssignIpv6AddressOnCreation: record({ Value: flag }),
    },
    run: ({ region }, input) => {
      const subnet = target(region.subnets, ID.subnet, input.SubnetId, 'subnetId');
      refuseInShared(region, subnet.vpcId);
      const asked = [input.MapPublicIpOnLaunch, input.AssignIpv6AddressOnCreation].filter(Boolean);
      if (asked.length === 0) throw missing('attribute');
      if (asked.length > 1)
        throw refused('InvalidParameterCombination', 'Fields for multiple attribute types specified');
      const publicIp = input.MapPublicIpOnLaunch?.Value ?? subnet.onLaunch.publicIp;
      region.subnets.put({
        ...subnet,
        onLaunch: { publicIp, ipv6: input.AssignIpv6AddressOnCreation?.Value ?? subnet.onLaunch.ipv6 },
      });
      return el('return', true);
    },
  }),
];

function subnetListing(context: Context): Listing<Subnet> {
  const { region } = context;
  return {
    set: 'subnetSet',
    table: region.subnets,
    rules: { ids: ID.subnet, max: 1000 },
    filters: {
      'subnet-id': (subnet) => [subnet.id],
      'vpc-id': (subnet) => [subnet.vpcId],
      'availability-zone': (subnet) => [subnet.zone],
      availabilityZone: (subnet) => [subnet.zone],
      'availability-zone-id': (subnet) => [zoneId(region, subnet.zone)],
      'available-ip-address-count': (subnet) => [String(freeAddressCount(region, subnet))],
      'cidr-block': (subnet) => [subnet.cidr],
      cidr: (subnet) => [subnet.cidr],
      cidrBlock: (subnet) => [subnet.cidr],
      'default-for-az': (subnet) => [String(subnet.defaultForAz)],
      'map-public-ip-on-launch': (subnet) => [String(subnet.onLaunch.publicIp)],
      'ipv6-cidr-block-association.ipv6-cidr-block': (subnet) => [subnet.ipv6?.cidr],
      'owner-id': ({ vpcId }) => [sharerOf(region, vpcId) ?? region.account],
      'subnet-arn': (subnet) => [arn(region, subnet)],
      state: () => ['available'],
    },
    render: (subnet) => subnetXml(context, subnet),
  };
}

function subnetXml({ region }: Context, subnet: Subnet): string {
  const v6 = subnet.ipv6;
  const association = v6 && subnetIpv6Xml(v6, 'associated');
  return (
    el('subnetId', subnet.id) +
    el('subnetArn', arn(region, subnet)) +
    el('state', 'available') +
    el('ownerId', sharerOf(region, subnet.vpcId) ?? region.account) +
    el('vpcId', subnet.vpcId) +
    el('cidrBlock', subnet.cidr) +
    set('ipv6CidrBlockAssociationSet', association ? [association] : []) +
    el('availableIpAddressCount', freeAddressCount(region, subnet)) +
    el('availabilityZone', subnet.zone) +
    el('availabilityZoneId', zoneId(region, subnet.zone)) +
    el('defaultForAz', subnet.defaultForAz) +
    el('mapPublicIpOnLaunch', subnet.onLaunch.publicIp) +
    el('assignIpv6AddressOnCreation', subnet.onLaunch.ipv6) +
    el('mapCustomerOwnedIpOnLaunch', false) +
    el('enableDns64', false) +
    el('ipv6Native', false) +
    wrap(
      'privateDnsNameOptionsOnLaunch',
      el('hostnameType', 'ip-name') +
        el('enableResourceNameDnsARecord', false) +
        el('enableResourceNameDnsAAAARecord', false),
    ) +
    tagSet(subnet.tags)
  );
}

export function subnetIpv6Xml({ associationId, cidr }: Ipv6Block, state: string): string {
  return (
    el('associationId', associationId) + el('ipv6CidrBlock', cidr) + wrap('ipv6CidrBlockState', el('state', state))
  );
}

function arn(region: Region, subnet: Subnet): string {
  return `arn:aws:ec2:${region.name}:${sharerOf(region, subnet.vpcId) ?? region.account}:subnet/${subnet.id}`;
}

/** `eu-west-1b` is `euw1-az2`. */
export function zoneId(region: Region, zone: string): string {
  const [area = '', side = '', number = ''] = region.name.split('-');
  const short = side.replace(
    /(north|south)?(east|west|central)?/,
    (_, ns = '', ew = '') => `${ns.slice(0, 1)}${ew.slice(0, 1)}`,
  );
  return `${area}${short}${number}-az${region.zones.indexOf(zone) + 1}`;
}

function zoneOf(region: Region, zone: string | undefined, id: string | undefined): string {
  const found =
    id === undefined ? (zone ?? region.zones[0]) : region.zones.find((candidate) => zoneId(region, candidate) === id);
  if (!found || !region.zones.includes(found)) {
    const valid = region.zones.join(', ');
    throw refused(
      'InvalidParameterValue',
      `Value (${zone ?? id}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${valid}.`,
    );
  }
  return found;
}

function subnetCidr(region: Region, vpc: Vpc, value: string): Cidr {
  const cidr = parseCidr(value, 'ipv4');
  if (!cidr)
    throw refused(
      'InvalidParameterValue',
      `Value (${value}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`,
    );
  const isInside = blocksOf(vpc).some((block) => isWithin(block, cidr));
  if (!isInside || cidr.prefix < SIZES.widest || cidr.prefix > SIZES.narrowest) {
    throw refused('InvalidSubnet.Range', `The CIDR '${value}' is invalid.`);
  }
  let siblings = 0;
  for (const sibling of region.subnets.of(vpc.id)) {
    siblings++;
    const taken = blockOf(sibling);
    if (taken && overlaps(taken, cidr))
      throw refused('InvalidSubnet.Conflict', `The CIDR '${value}' conflicts with another subnet`);
  }
  if (siblings >= region.quotas.subnetsPerVpc)
    throw refused('SubnetLimitExceeded', 'The maximum number of subnets has been reached.');
  return cidr;
}

function isWithin({ cidr, family }: ReturnType<typeof blocksOf>[number], inner: Cidr): boolean {
  const whole = parseCidr(cidr, family);
  return whole !== undefined && contains(whole, inner);
}

export function subnetIpv6(region: Region, vpc: Vpc, value: string): Ipv6Block {
  const cidr = parseCidr(value, 'ipv6');
  if (!cidr)
    throw refused(
      'InvalidParameterValue',
      `Value (${value}) for parameter ipv6CidrBlock is invalid. This is not a valid CIDR block.`,
    );
  if (cidr.prefix !== 64 || !blocksOf(vpc).some((block) => isWithin(block, cidr)))
    throw refused('InvalidSubnet.Range', `The CIDR '${value}' is invalid.`);
  for (const sibling of region.subnets.of(vpc.id)) {
    if (sibling.ipv6?.cidr === cidr.text)
      throw refused('InvalidSubnet.Conflict', `The CIDR '${value}' conflicts with another subnet`);
  }
  return { associationId: freshId(region, 'subnet-cidr-assoc'), cidr: cidr.text };
}
