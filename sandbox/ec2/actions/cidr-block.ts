import { type Cidr, overlaps, parseCidr } from '../../cidr.ts';
import { type Action, write } from '../action.ts';
import { missing, refused, required } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { flag, text } from '../query.ts';
import type { FurtherBlock, Route, Vpc } from '../records.ts';
import { freshId, type Region } from '../region.ts';
import { own, refuseInShared } from '../sharing.ts';
import { blocksOf } from '../vpc.ts';
import { el, wrap } from '../xml.ts';
import { subnetIpv6, subnetIpv6Xml } from './subnet.ts';
import { amazonIpv6, v4BlockXml, v6BlockXml, vpcCidr } from './vpc.ts';

/** Further blocks of VPCs and the IPv6 blocks of subnets: https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html */
export const cidrBlockActions: readonly Action[] = [
  write({
    name: 'AssociateVpcCidrBlock',
    fields: { VpcId: text, CidrBlock: text, AmazonProvidedIpv6CidrBlock: flag },
    run: ({ region }, input) => {
      const vpc = own(target(region.vpcs, ID.vpc, input.VpcId, 'vpcId'));
      const block = input.AmazonProvidedIpv6CidrBlock ? nextIpv6(region) : nextIpv4(region, vpc, input.CidrBlock);
      addBlock(region, vpc, block);
      const xml =
        block.family === 'ipv4'
          ? wrap('cidrBlockAssociation', v4BlockXml({ ...block, state: 'associating' }))
          : wrap('ipv6CidrBlockAssociation', v6BlockXml(region, { ...block, state: 'associating' }));
      return el('vpcId', vpc.id) + xml;
    },
  }),
  write({
    name: 'DisassociateVpcCidrBlock',
    fields: { AssociationId: text },
    run: ({ region, now }, input) => {
      const id = required(input.AssociationId, 'associationId');
      const vpc = [...region.vpcs.values()].find((one) => removable(one).some((block) => block.associationId === id));
      const block = vpc && removable(vpc).find(({ associationId }) => associationId === id);
      if (!vpc || !block)
        throw refused(
          'InvalidVpcCidrBlockAssociationIdError.NotFound',
          `The vpc CIDR block association ID '${id}' does not exist`,
        );
      refuseWhileUsed(region, vpc, block);
      removeBlock(region, own(vpc), block, now);
      const gone = { ...block, state: 'disassociating' };
      return (
        el('vpcId', vpc.id) +
        (block.family === 'ipv4'
          ? wrap('cidrBlockAssociation', v4BlockXml(gone))
          : wrap('ipv6CidrBlockAssociation', v6BlockXml(region, gone)))
      );
    },
  }),
  write({
    name: 'AssociateSubnetCidrBlock',
    fields: { SubnetId: text, Ipv6CidrBlock: text },
    run: ({ region }, input) => {
      const subnet = target(region.subnets, ID.subnet, input.SubnetId, 'subnetId');
      refuseInShared(region, subnet.vpcId);
      const vpc = target(region.vpcs, ID.vpc, subnet.vpcId, 'vpcId');
      if (subnet.ipv6)
        throw refused('InvalidParameterValue', `The subnet '${subnet.id}' already has an IPv6 CIDR block`);
      const ipv6 = subnetIpv6(region, vpc, required(input.Ipv6CidrBlock, 'ipv6CidrBlock'));
      region.subnets.put({ ...subnet, ipv6 });
      return el('subnetId', subnet.id) + wrap('ipv6CidrBlockAssociation', subnetIpv6Xml(ipv6, 'associating'));
    },
  }),
  write({
    name: 'DisassociateSubnetCidrBlock',
    fields: { AssociationId: text },
    run: ({ region }, input) => {
      const id = required(input.AssociationId, 'associationId');
      const subnet = [...region.subnets.values()].find(({ ipv6 }) => ipv6?.associationId === id);
      if (!subnet?.ipv6)
        throw refused(
          'InvalidSubnetCidrBlockAssociationID.NotFound',
          `The subnet CIDR block association ID '${id}' does not exist`,
        );
      region.subnets.put({ ...subnet, ipv6: undefined });
      return el('subnetId', subnet.id) + wrap('ipv6CidrBlockAssociation', subnetIpv6Xml(subnet.ipv6, 'disassociating'));
    },
  }),
];

/** All but the first IPv4 block, which a VPC keeps. */
const removable = ({ ipv6, further }: Vpc): readonly FurtherBlock[] => [
  ...(ipv6 ? [{ ...ipv6, family: 'ipv6' as const, state: 'associated' as const }] : []),
  ...further.filter(({ state }) => state === 'associated'),
];

type NewBlock = Pick<FurtherBlock, 'associationId' | 'family' | 'cidr'>;

const nextIpv6 = (region: Region): NewBlock => ({
  associationId: freshId(region, 'vpc-cidr-assoc'),
  family: 'ipv6',
  // why: each VPC took one at most when it was made
  cidr: amazonIpv6(region.vpcs.size + [...region.vpcs.values()].flatMap(blocksOf).length),
});

function nextIpv4(region: Region, vpc: Vpc, value: string | undefined): NewBlock {
  if (value === undefined) throw missing('cidrBlock');
  const cidr = vpcCidr(value);
  if (blocksOf(vpc).some((block) => doesOverlap(block.cidr, cidr)))
    throw refused('InvalidVpc.Range', `The CIDR '${value}' overlaps a block of ${vpc.id}`);
  return { associationId: freshId(region, 'vpc-cidr-assoc'), family: 'ipv4', cidr: cidr.text };
}

function doesOverlap(text: string, cidr: Cidr): boolean {
  const other = parseCidr(text, text.includes(':') ? 'ipv6' : 'ipv4');
  return other !== undefined && overlaps(other, cidr);
}

function addBlock(region: Region, vpc: Vpc, block: NewBlock): void {
  const { associationId, cidr, family } = block;
  if (family === 'ipv6' && !vpc.ipv6) region.vpcs.put({ ...vpc, ipv6: { associationId, cidr } });
  else region.vpcs.put({ ...vpc, further: [...vpc.further, { ...block, state: 'associated' }] });
  const local: Route = { destination: cidr, family, target: 'local', origin: 'CreateRouteTable' };
  for (const table of region.routeTables.of(vpc.id))
    region.routeTables.put({ ...table, routes: [...table.routes, local] });
}

function removeBlock(region: Region, vpc: Vpc, block: FurtherBlock, now: number): void {
  const { associationId } = block;
  const others = vpc.further.filter((one) => one.associationId !== associationId);
  const ipv6 = vpc.ipv6?.associationId === associationId ? undefined : vpc.ipv6;
  region.vpcs.put({ ...vpc, ipv6, further: [...others, { ...block, state: 'disassociated' }] });
  for (const table of region.routeTables.of(vpc.id))
    region.routeTables.put({
      ...table,
      routes: table.routes.filter(({ destination, target: to }) => to !== 'local' || destination !== block.cidr),
    });
  region.timeline.schedule(now + region.durations.deletedListed, () => {
    const after = region.vpcs.get(vpc.id);
    if (after)
      region.vpcs.put({
        ...after,
        further: after.further.filter((one) => one.associationId !== associationId),
      });
  });
}

function refuseWhileUsed(region: Region, vpc: Vpc, { cidr, family }: FurtherBlock): void {
  const block = parseCidr(cidr, family);
  for (const subnet of region.subnets.of(vpc.id)) {
    const taken = family === 'ipv4' ? subnet.cidr : subnet.ipv6?.cidr;
    if (block && taken !== undefined && doesOverlap(taken, block))
      throw refused('DependencyViolation', `The CIDR block '${cidr}' is in use by subnet '${subnet.id}'`);
  }
}
