import type { IpPermission, SecurityGroup, UserIdGroupPair } from '@aws-sdk/client-ec2';
import type { CloudId, RuleAttributes, RuleMatch } from '../../src/core/resource.ts';
import { isTurnOver, nextTurn } from '../shared/turns.ts';
import { canonicalCidr } from './cidr-text.ts';
import { readTraffic, writeTraffic } from './traffic.ts';

/** One atom as the cloud holds it. `spelled`: its own words, where they differ from those we would send. */
export interface Atom {
  readonly id: CloudId;
  readonly attributes: RuleAttributes & { readonly group: CloudId };
  readonly spelled: readonly IpPermission[];
}

/**
 * The rules of a group, one for each protocol, port range and peer: AWS puts several peers in one permission. Two that say
 * the same in different words (a block stored before AWS canonicalised) are one atom with both spellings.
 */
export function atomsOf(group: SecurityGroup, account: string): readonly Atom[] {
  const steps = atomSteps(group, account);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same in turns of the loop, of which a group of many rules needs several. */
export async function atomsInTurns(group: SecurityGroup, account: string): Promise<readonly Atom[]> {
  const steps = atomSteps(group, account);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (isTurnOver()) await nextTurn();
  }
}

function* atomSteps(group: SecurityGroup, account: string): Generator<undefined, readonly Atom[]> {
  const atoms = new Map<CloudId, Atom>();
  const sides = [
    ['ingress', group.IpPermissions],
    ['egress', group.IpPermissionsEgress],
  ] as const;
  for (const [direction, permissions = []] of sides) {
    for (const spelling of permissions.flatMap(singles)) {
      const atom = atomOf(spelling, direction, group, account);
      const twin = atoms.get(atom.id);
      atoms.set(atom.id, twin ? { ...twin, spelled: [...wordsOf(twin), ...wordsOf(atom)] } : atom);
      yield;
    }
  }
  return [...atoms.values()];
}

const wordsOf = ({ spelled, attributes }: Atom): readonly IpPermission[] =>
  spelled.length > 0 ? spelled : [writePermission(attributes.match, '')];

/** An atom is known by its content, within its group. */
export const atomId = (group: CloudId, { direction, protocol, ports, peers }: RuleMatch): CloudId =>
  [group, direction, protocol, ports, ...peers].join('/');

export const groupOfAtom = (id: CloudId): CloudId => id.slice(0, id.indexOf('/'));

/** An atom as Authorize, Revoke and UpdateDescriptions take it. An empty description is not sent. */
export function writePermission({ protocol, ports, peers }: RuleMatch, description: string): IpPermission {
  const { protocol: IpProtocol, from: FromPort, to: ToPort } = writeTraffic(protocol, ports);
  const said = description === '' ? {} : { Description: description };
  return { IpProtocol, FromPort, ToPort, ...peerOf(peers[0] ?? '', said) };
}

const groupPrefix = 'group:';
const listPrefix = 'prefix-list:';

function peerOf(peer: string, said: { readonly Description?: string }): IpPermission {
  if (peer.startsWith(listPrefix)) return { PrefixListIds: [{ PrefixListId: peer.slice(listPrefix.length), ...said }] };
  if (peer.startsWith(groupPrefix)) {
    return { UserIdGroupPairs: [{ ...pairOf(peer.slice(groupPrefix.length)), ...said }] };
  }
  return peer.includes(':') ? { Ipv6Ranges: [{ CidrIpv6: peer, ...said }] } : { IpRanges: [{ CidrIp: peer, ...said }] };
}

/**
 *   peer                | pair
 *   --------------------+----------------------------------------------------------------
 *   `sg-1`              | a group of this account
 *   `<owner>/sg-1`      | a group of another account, or of a service
 *   `<owner>/<name>`    | a group of EC2-Classic, known by its name. No name begins `sg-`:
 *                       | https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
 */
function pairOf(text: string): UserIdGroupPair {
  const cut = text.indexOf('/');
  if (cut < 0) return { GroupId: text };
  const [UserId, group] = [text.slice(0, cut), text.slice(cut + 1)];
  return group.startsWith('sg-') ? { UserId, GroupId: group } : { UserId, GroupName: group };
}

function textOf({ UserId, GroupId, GroupName, VpcPeeringConnectionId }: UserIdGroupPair, account: string): string {
  const owner = UserId === undefined || UserId === '' ? account : UserId;
  if (!GroupId) return `${owner}/${GroupName ?? VpcPeeringConnectionId ?? ''}`;
  return owner === account ? GroupId : `${owner}/${GroupId}`;
}

/** One permission for each peer of a permission. */
function singles({ IpProtocol, FromPort, ToPort, ...peers }: IpPermission): readonly IpPermission[] {
  const traffic = { IpProtocol, FromPort, ToPort };
  return [
    ...(peers.IpRanges ?? []).map((range) => ({ ...traffic, IpRanges: [range] })),
    ...(peers.Ipv6Ranges ?? []).map((range) => ({ ...traffic, Ipv6Ranges: [range] })),
    ...(peers.PrefixListIds ?? []).map((list) => ({ ...traffic, PrefixListIds: [list] })),
    ...(peers.UserIdGroupPairs ?? []).map((pair) => ({ ...traffic, UserIdGroupPairs: [pair] })),
  ];
}

function atomOf(spelling: IpPermission, direction: 'ingress' | 'egress', group: SecurityGroup, account: string): Atom {
  const { peer, description } = readPeer(spelling, account);
  const { protocol, ports } = readTraffic({
    protocol: spelling.IpProtocol ?? '',
    from: spelling.FromPort,
    to: spelling.ToPort,
  });
  const match: RuleMatch = { direction, action: 'allow', protocol, ports, peers: [peer] };
  const id = group.GroupId ?? '';
  return {
    id: atomId(id, match),
    attributes: { network: group.VpcId ?? '', group: id, match, description: description ?? '' },
    spelled: isSamePermission(spelling, writePermission(match, '')) ? [] : [permissionTextOf(spelling)],
  };
}

interface Peer {
  readonly peer: string;
  readonly description: string | undefined;
}

function readPeer({ IpRanges, Ipv6Ranges, PrefixListIds, UserIdGroupPairs }: IpPermission, account: string): Peer {
  const block = IpRanges?.[0]?.CidrIp ?? Ipv6Ranges?.[0]?.CidrIpv6;
  const list = PrefixListIds?.[0];
  const pair = UserIdGroupPairs?.[0];
  const description = (IpRanges?.[0] ?? Ipv6Ranges?.[0] ?? list ?? pair)?.Description;
  if (block !== undefined) return { peer: canonicalCidr(block), description };
  if (list) return { peer: listPrefix + list.PrefixListId, description };
  return { peer: groupPrefix + textOf(pair ?? {}, account), description };
}

/** True where Revoke would know the one by the other. No port and -1 are the same to AWS, and a group's id has one form. */
function isSamePermission(a: IpPermission, b: IpPermission): boolean {
  const text = (permission: IpPermission): string =>
    [
      permission.IpProtocol,
      permission.FromPort ?? -1,
      permission.ToPort ?? -1,
      permission.IpRanges?.[0]?.CidrIp ?? permission.Ipv6Ranges?.[0]?.CidrIpv6,
      ...(permission.UserIdGroupPairs ?? []).flatMap(({ UserId, GroupId, GroupName }) =>
        GroupId ? [] : [UserId, GroupName],
      ),
    ].join(' ');
  return text(a) === text(b);
}

/** Only what identifies: a description in a Revoke would have to match too. */
function permissionTextOf({
  IpProtocol,
  FromPort,
  ToPort,
  IpRanges,
  Ipv6Ranges,
  PrefixListIds,
  UserIdGroupPairs,
}: IpPermission): IpPermission {
  return {
    IpProtocol,
    ...(FromPort === undefined ? {} : { FromPort }),
    ...(ToPort === undefined ? {} : { ToPort }),
    ...(IpRanges ? { IpRanges: IpRanges.map(({ CidrIp }) => ({ CidrIp })) } : {}),
    ...(Ipv6Ranges ? { Ipv6Ranges: Ipv6Ranges.map(({ CidrIpv6 }) => ({ CidrIpv6 })) } : {}),
    ...(PrefixListIds ? { PrefixListIds: PrefixListIds.map(({ PrefixListId }) => ({ PrefixListId })) } : {}),
    ...(UserIdGroupPairs ? { UserIdGroupPairs: UserIdGroupPairs.map(identityOf) } : {}),
  };
}

const identityOf = ({ GroupId, UserId, GroupName, VpcPeeringConnectionId }: UserIdGroupPair): UserIdGroupPair =>
  GroupId ? { GroupId, UserId } : { UserId, GroupName, VpcPeeringConnectionId };
