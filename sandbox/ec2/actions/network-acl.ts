import { parseCidr } from '../../cidr.ts';
import { type Action, type Context, dryRun, read, write } from '../action.ts';
import { once } from '../client-token.ts';
import { missing, refused, required } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { describe, listFields } from '../listing.ts';
import { associationsOf } from '../network-acl.ts';
import { flag, type Input, integer, list, record, text } from '../query.ts';
import type { AclEntry, NetworkAcl } from '../records.ts';
import { freshId, type Region } from '../region.ts';
import { own, refuseInShared, sharerOf } from '../sharing.ts';
import { specifiedTags, tagField, tagSet } from '../tags.ts';
import { el, set, wrap } from '../xml.ts';

const entryFields = {
  ...dryRun,
  NetworkAclId: text,
  RuleNumber: integer,
  Protocol: text,
  RuleAction: text,
  Egress: flag,
  CidrBlock: text,
  Ipv6CidrBlock: text,
  PortRange: record({ From: integer, To: integer }),
  Icmp: record({ Type: integer, Code: integer }),
} as const;

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateNetworkAclEntry.html, and its like */
export const networkAclActions: readonly Action[] = [
  read({
    name: 'DescribeNetworkAcls',
    fields: { ...listFields, ...dryRun, NetworkAclId: list(text) },
    run: (context, input) =>
      describe(context, input, input.NetworkAclId, {
        set: 'networkAclSet',
        table: context.region.acls,
        rules: { ids: ID.acl, max: 1000 },
        filters: {
          'network-acl-id': (acl) => [acl.id],
          'vpc-id': (acl) => [acl.vpcId],
          default: (acl) => [String(acl.isDefault)],
          'owner-id': ({ vpcId }) => [sharerOf(context.region, vpcId) ?? context.region.account],
          'association.subnet-id': (acl) => associationsOf(context.region, acl).map(({ subnetId }) => subnetId),
          'association.association-id': (acl) => associationsOf(context.region, acl).map(({ id }) => id),
        },
        render: (acl) => aclXml(context, acl),
      }),
  }),
  write({
    name: 'CreateNetworkAcl',
    fields: { ...tagField, ...dryRun, VpcId: text, ClientToken: text },
    run: (context, input) => {
      const { region } = context;
      const [id = ''] = once(context, { action: 'CreateNetworkAcl', token: input.ClientToken, asked: input }, () => {
        const { id: vpcId } = own(target(region.vpcs, ID.vpc, input.VpcId, 'vpcId'));
        const tags = specifiedTags(input.TagSpecification, 'network-acl');
        const made = { id: freshId(region, 'acl'), tags, vpcId, isDefault: false, entries: [], associations: [] };
        return [region.acls.put(made).id];
      });
      const acl = region.acls.get(id);
      if (!acl) throw ID.acl.notFound([id]);
      return wrap('networkAcl', aclXml(context, acl)) + el('clientToken', input.ClientToken);
    },
  }),
  write({
    name: 'DeleteNetworkAcl',
    fields: { ...dryRun, NetworkAclId: text },
    run: ({ region }, input) => {
      const acl = ownAcl(region, input.NetworkAclId);
      if (acl.isDefault) throw refused('InvalidParameterValue', `cannot delete default network ACL ${acl.id}`);
      if (acl.associations.length > 0)
        throw refused('DependencyViolation', `The networkAcl '${acl.id}' has dependencies and cannot be deleted.`);
      region.acls.remove(acl.id);
      return el('return', true);
    },
  }),
  write({
    name: 'CreateNetworkAclEntry',
    fields: entryFields,
    run: ({ region }, input) => {
      const acl = ownAcl(region, input.NetworkAclId);
      const entry = entryOf(input);
      if (acl.entries.some((one) => isSame(one, entry)))
        throw refused(
          'NetworkAclEntryAlreadyExists',
          `The network acl entry identified by ${entry.number} already exists.`,
        );
      region.acls.put({ ...acl, entries: [...acl.entries, entry] });
      return el('return', true);
    },
  }),
  write({
    name: 'ReplaceNetworkAclEntry',
    fields: entryFields,
    run: ({ region }, input) => {
      const acl = ownAcl(region, input.NetworkAclId);
      const entry = entryOf(input);
      region.acls.put({ ...acl, entries: [...without(acl, entry), entry] });
      return el('return', true);
    },
  }),
  write({
    name: 'DeleteNetworkAclEntry',
    fields: { ...dryRun, NetworkAclId: text, RuleNumber: integer, Egress: flag },
    run: ({ region }, input) => {
      const acl = ownAcl(region, input.NetworkAclId);
      const entry = { number: input.RuleNumber ?? 0, egress: input.Egress ?? false };
      region.acls.put({ ...acl, entries: without(acl, entry) });
      return el('return', true);
    },
  }),
  write({
    name: 'ReplaceNetworkAclAssociation',
    fields: { ...dryRun, AssociationId: text, NetworkAclId: text },
    run: ({ region }, input) => {
      const next = ownAcl(region, input.NetworkAclId);
      const { acl, subnetId } = associated(region, required(input.AssociationId, 'associationId'));
      if (acl.vpcId !== next.vpcId)
        throw refused('InvalidParameterValue', `Network ACLs ${acl.id} and ${next.id} belong to different networks`);
      region.acls.put({ ...acl, associations: acl.associations.filter((one) => one.subnetId !== subnetId) });
      if (!next.isDefault) {
        const { associations } = region.acls.get(next.id) ?? next;
        const moved = { id: freshId(region, 'aclassoc'), subnetId };
        region.acls.put({ ...next, associations: [...associations.filter((one) => one.subnetId !== subnetId), moved] });
      }
      const now = associationsOf(region, region.acls.get(next.id) ?? next).find((one) => one.subnetId === subnetId);
      return el('newAssociationId', now?.id);
    },
  }),
];

function ownAcl(region: Region, id: string | undefined): NetworkAcl {
  const acl = target(region.acls, ID.acl, id, 'networkAclId');
  refuseInShared(region, acl.vpcId);
  return acl;
}

function associated(region: Region, id: string): { readonly acl: NetworkAcl; readonly subnetId: string } {
  for (const acl of region.acls.values()) {
    const found = associationsOf(region, acl).find((one) => one.id === id);
    if (found) return { acl, subnetId: found.subnetId };
  }
  throw refused('InvalidAssociationID.NotFound', `The association ID '${id}' does not exist`);
}

type Place = Pick<AclEntry, 'number' | 'egress'>;

const isSame = (a: Place, b: Place): boolean => a.number === b.number && a.egress === b.egress;

function without({ entries }: NetworkAcl, entry: Place): NetworkAcl['entries'] {
  if (!entries.some((one) => isSame(one, entry)))
    throw refused('InvalidNetworkAclEntry.NotFound', `The network acl entry ${entry.number} does not exist.`);
  return entries.filter((one) => !isSame(one, entry));
}

function entryOf(input: Input<typeof entryFields>): AclEntry {
  const { RuleNumber: number = 0, RuleAction: action = '', Egress: egress = false } = input;
  const protocol = required(input.Protocol, 'protocol');
  if (number < 1 || number > 32_766) throw invalid(`${number}`, 'ruleNumber');
  if (action !== 'allow' && action !== 'deny') throw invalid(action, 'ruleAction');
  if (!/^(?:-1|\d{1,3})$/.test(protocol)) throw invalid(protocol, 'protocol');
  return { number, egress, action, protocol, ...blockOf(input), ...trafficOf(protocol, input) };
}

function blockOf({ CidrBlock, Ipv6CidrBlock }: Input<typeof entryFields>): Pick<AclEntry, 'family' | 'cidr'> {
  const family = Ipv6CidrBlock === undefined ? 'ipv4' : 'ipv6';
  const cidr = required(Ipv6CidrBlock ?? CidrBlock, 'cidrBlock');
  const block = parseCidr(cidr, family);
  if (block === undefined) throw invalid(cidr, 'cidrBlock');
  return { family, cidr: block.text };
}

/** "If the protocol is 6 or 17, you must specify a port range", and for ICMP its type and code. */
function trafficOf(protocol: string, { PortRange, Icmp }: Input<typeof entryFields>): Pick<AclEntry, 'ports' | 'icmp'> {
  if (protocol === '6' || protocol === '17') {
    if (PortRange?.From === undefined || PortRange.To === undefined) throw missing('portRange');
    return { ports: { from: PortRange.From, to: PortRange.To }, icmp: undefined };
  }
  if (protocol !== '1' && protocol !== '58') return { ports: undefined, icmp: undefined };
  if (Icmp?.Type === undefined || Icmp.Code === undefined) throw missing('icmpTypeCode');
  return { ports: undefined, icmp: { type: Icmp.Type, code: Icmp.Code } };
}

const invalid = (value: string, parameter: string): Error =>
  refused('InvalidParameterValue', `Value (${value}) for parameter ${parameter} is invalid.`);

function aclXml({ region }: Context, acl: NetworkAcl): string {
  const hasV6 = region.vpcs.get(acl.vpcId)?.ipv6 !== undefined;
  const denial = { action: 'deny', protocol: '-1', ports: undefined, icmp: undefined } as const;
  const last = (egress: boolean): readonly AclEntry[] => [
    { ...denial, number: 32_767, egress, family: 'ipv4', cidr: '0.0.0.0/0' },
    ...(hasV6 ? [{ ...denial, number: 32_768, egress, family: 'ipv6', cidr: '::/0' } as const] : []),
  ];
  const sorted = acl.entries.toSorted((a, b) => a.number - b.number);
  const entries = [true, false].flatMap((egress) => [
    ...sorted.filter((entry) => entry.egress === egress),
    ...last(egress),
  ]);
  const associations = associationsOf(region, acl).map(
    ({ id, subnetId }) => el('networkAclAssociationId', id) + el('networkAclId', acl.id) + el('subnetId', subnetId),
  );
  return (
    el('networkAclId', acl.id) +
    el('vpcId', acl.vpcId) +
    el('default', acl.isDefault) +
    set('entrySet', entries.map(entryXml)) +
    set('associationSet', associations) +
    tagSet(acl.tags) +
    el('ownerId', sharerOf(region, acl.vpcId) ?? region.account)
  );
}

const entryXml = ({ number, protocol, action, egress, family, cidr, ports, icmp }: AclEntry): string =>
  el('ruleNumber', number) +
  el('protocol', protocol) +
  el('ruleAction', action) +
  el('egress', egress) +
  el(family === 'ipv4' ? 'cidrBlock' : 'ipv6CidrBlock', cidr) +
  (icmp === undefined ? '' : wrap('icmpTypeCode', el('code', icmp.code) + el('type', icmp.type))) +
  (ports === undefined ? '' : wrap('portRange', el('from', ports.from) + el('to', ports.to)));
