import { type Cidr, parseCidr } from '../../cidr.ts';
import { type Action, type Context, dryRun, read, write } from '../action.ts';
import { missing, refused, required } from '../errors.ts';
import { ID, target, wellFormed } from '../ids.ts';
import { describe, type Listing, listFields } from '../listing.ts';
import { flag, list, record, text } from '../query.ts';
import type { FurtherBlock, Vpc } from '../records.ts';
import { freshId } from '../region.ts';
import { own } from '../sharing.ts';
import { specifiedTags, tagField, tagSet } from '../tags.ts';
import { makeVpcParts } from '../vpc.ts';
import { el, set, wrap } from '../xml.ts';

/** https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html */
const SIZES = { widest: 16, narrowest: 28 };

export const vpcActions: readonly Action[] = [
  read({
    name: 'DescribeVpcs',
    fields: { ...listFields, ...dryRun, VpcId: list(text) },
    run: (context, input) => describe(context, input, input.VpcId, vpcListing(context)),
  }),
  write({
    name: 'CreateVpc',
    fields: { ...tagField, ...dryRun, CidrBlock: text, InstanceTenancy: text, AmazonProvidedIpv6CidrBlock: flag },
    run: (context, input) => {
      const { region } = context;
      const cidr = vpcCidr(required(input.CidrBlock, 'cidrBlock'));
      const tags = specifiedTags(input.TagSpecification, 'vpc');
      if ([...region.vpcs.values()].length >= region.quotas.vpcs) {
        throw refused('VpcLimitExceeded', 'The maximum number of VPCs has been reached.');
      }
      const vpc: Vpc = {
        id: freshId(region, 'vpc'),
        tags,
        cidr: cidr.text,
        associationId: freshId(region, 'vpc-cidr-assoc'),
        ipv6: input.AmazonProvidedIpv6CidrBlock
          ? { associationId: freshId(region, 'vpc-cidr-assoc'), cidr: amazonIpv6(region.vpcs.size) }
          : undefined,
        further: [],
        isDefault: false,
        tenancy: tenancy(input.InstanceTenancy),
        dns: { support: true, hostnames: false, addressMetrics: false },
      };
      region.vpcs.put(vpc);
      makeVpcParts(region, vpc);
      return wrap('vpc', vpcXml(context, vpc, 'pending'));
    },
  }),
  write({
    name: 'DeleteVpc',
    fields: { ...dryRun, VpcId: text },
    run: ({ region }, input) => {
      const vpc = own(target(region.vpcs, ID.vpc, input.VpcId, 'vpcId'));
      refuseWhileInUse({ region }, vpc);
      for (const table of region.routeTables.of(vpc.id)) region.routeTables.remove(table.id);
      for (const acl of region.acls.of(vpc.id)) region.acls.remove(acl.id);
      for (const group of region.groups.of(vpc.id)) {
        for (const rule of region.rules.of(group.id)) region.rules.remove(rule.id);
        region.groups.remove(group.id);
      }
      // why: https://docs.aws.amazon.com/vpc/latest/peering/delete-vpc-peering-connection.html: it goes with either VPC
      for (const peering of region.peerings.values())
        if ([peering.requester.vpcId, peering.accepter.vpcId].includes(vpc.id))
          region.peerings.put({ ...peering, status: 'deleted' });
      region.vpcs.remove(vpc.id);
      return el('return', true);
    },
  }),
  write({
    name: 'ModifyVpcAttribute',
    fields: {
      VpcId: text,
      EnableDnsSupport: record({ Value: flag }),
      EnableDnsHostnames: record({ Value: flag }),
      EnableNetworkAddressUsageMetrics: record({ Value: flag }),
    },
    run: ({ region }, input) => {
      const vpc = own(target(region.vpcs, ID.vpc, input.VpcId, 'vpcId'));
      const asked = [input.EnableDnsSupport, input.EnableDnsHostnames, input.EnableNetworkAddressUsageMetrics].filter(
        Boolean,
      );
      if (asked.length === 0) throw missing('attribute');
      if (asked.length > 1)
        throw refused('InvalidParameterCombination', 'Fields for multiple attribute types specified');
      region.vpcs.put({
        ...vpc,
        dns: {
          support: input.EnableDnsSupport?.Value ?? vpc.dns.support,
          hostnames: input.EnableDnsHostnames?.Value ?? vpc.dns.hostnames,
          addressMetrics: input.EnableNetworkAddressUsageMetrics?.Value ?? vpc.dns.addressMetrics,
        },
      });
      return el('return', true);
    },
  }),
  read({
    name: 'DescribeVpcAttribute',
    fields: { ...dryRun, VpcId: text, Attribute: text },
    run: ({ region }, input) => {
      const vpc = region.vpcs.see(wellFormed(ID.vpc, required(input.VpcId, 'vpcId')));
      if (!vpc) throw ID.vpc.notFound([input.VpcId ?? '']);
      const attribute = required(input.Attribute, 'attribute');
      const values: Readonly<Record<string, boolean>> = {
        enableDnsSupport: vpc.dns.support,
        enableDnsHostnames: vpc.dns.hostnames,
        enableNetworkAddressUsageMetrics: vpc.dns.addressMetrics,
      };
      if (!Object.hasOwn(values, attribute)) {
        throw refused(
          'InvalidParameterValue',
          `Value (${attribute}) for parameter attribute is invalid. Unknown attribute.`,
        );
      }
      return el('vpcId', vpc.id) + wrap(attribute, el('value', values[attribute]));
    },
  }),
];

function vpcListing(context: Context): Listing<Vpc> {
  return {
    set: 'vpcSet',
    table: context.region.vpcs,
    rules: { ids: ID.vpc, max: 1000 },
    filters: {
      'vpc-id': (vpc) => [vpc.id],
      cidr: (vpc) => [vpc.cidr],
      'cidr-block': (vpc) => [vpc.cidr],
      'cidr-block-association.cidr-block': (vpc) => v4Of(vpc).map(({ cidr }) => cidr),
      'cidr-block-association.association-id': (vpc) => v4Of(vpc).map(({ associationId }) => associationId),
      'cidr-block-association.state': (vpc) => v4Of(vpc).map(({ state }) => state),
      'ipv6-cidr-block-association.ipv6-cidr-block': (vpc) => v6Of(vpc).map(({ cidr }) => cidr),
      'ipv6-cidr-block-association.association-id': (vpc) => v6Of(vpc).map(({ associationId }) => associationId),
      'ipv6-cidr-block-association.state': (vpc) => v6Of(vpc).map(({ state }) => state),
      'dhcp-options-id': () => ['dopt-0d0d0d0d0d0d0d0d0'],
      'is-default': (vpc) => [String(vpc.isDefault)],
      isDefault: (vpc) => [String(vpc.isDefault)],
      'owner-id': ({ sharedBy = context.region.account }) => [sharedBy],
      state: () => ['available'],
    },
    render: (vpc) => vpcXml(context, vpc, 'available'),
  };
}

function vpcXml({ region }: Context, vpc: Vpc, state: string): string {
  const v6 = v6Of(vpc).map((block) => v6BlockXml(region, block));
  return (
    el('vpcId', vpc.id) +
    el('ownerId', vpc.sharedBy ?? region.account) +
    el('state', state) +
    el('cidrBlock', vpc.cidr) +
    set('cidrBlockAssociationSet', v4Of(vpc).map(v4BlockXml)) +
    (v6.length > 0 ? set('ipv6CidrBlockAssociationSet', v6) : '') +
    el('dhcpOptionsId', 'dopt-0d0d0d0d0d0d0d0d0') +
    tagSet(vpc.tags) +
    el('instanceTenancy', vpc.tenancy) +
    el('isDefault', vpc.isDefault)
  );
}

type Block = Pick<FurtherBlock, 'associationId' | 'cidr'> & { readonly state: string };

function v4Of({ associationId, cidr, further }: Vpc): readonly Block[] {
  return [{ associationId, cidr, state: 'associated' }, ...further.filter(({ family }) => family === 'ipv4')];
}

function v6Of({ ipv6, further }: Vpc): readonly Block[] {
  const first: readonly Block[] = ipv6 ? [{ ...ipv6, state: 'associated' }] : [];
  return [...first, ...further.filter(({ family }) => family === 'ipv6')];
}

export function v4BlockXml({ associationId, cidr, state }: Block): string {
  return el('associationId', associationId) + el('cidrBlock', cidr) + wrap('cidrBlockState', el('state', state));
}

export function v6BlockXml({ name }: Pick<Context['region'], 'name'>, { associationId, cidr, state }: Block): string {
  return (
    el('associationId', associationId) +
    el('ipv6CidrBlock', cidr) +
    wrap('ipv6CidrBlockState', el('state', state)) +
    el('networkBorderGroup', name) +
    el('ipv6Pool', 'Amazon')
  );
}

export function vpcCidr(value: string): Cidr {
  const cidr = parseCidr(value, 'ipv4');
  if (!cidr)
    throw refused(
      'InvalidParameterValue',
      `Value (${value}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`,
    );
  if (cidr.prefix < SIZES.widest || cidr.prefix > SIZES.narrowest)
    throw refused('InvalidVpc.Range', `The CIDR '${value}' is invalid.`);
  return cidr;
}

export function amazonIpv6(count: number): string {
  return `2600:1f18:${(0x1000 + count).toString(16)}:ab00::/56`;
}

function tenancy(value = 'default'): string {
  if (!['default', 'dedicated', 'host'].includes(value))
    throw refused('InvalidParameterValue', `Value (${value}) for parameter instanceTenancy is invalid.`);
  return value;
}

function refuseWhileInUse({ region }: Pick<Context, 'region'>, vpc: Vpc): void {
  const held =
    [...region.subnets.of(vpc.id)].length > 0 ||
    [...region.gateways.values()].some((gateway) => gateway.vpcId === vpc.id) ||
    [...region.groups.of(vpc.id)].some((group) => group.name !== 'default') ||
    [...region.routeTables.of(vpc.id)].some(
      (table) => !table.associations.some((association) => association.subnetId === undefined),
    ) ||
    [...region.acls.of(vpc.id)].some((acl) => !acl.isDefault);
  if (held) throw refused('DependencyViolation', `The vpc '${vpc.id}' has dependencies and cannot be deleted.`);
}
