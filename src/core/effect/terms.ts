import { type Cidr, containsCidr, overlapsCidr, parseCidr } from '../cidr.ts';
import type { Ref } from '../resource.ts';
import type { Machine, Subnet } from './state.ts';

/** How certain it is that something applies or matches. */
export type Certainty = 'no' | 'maybe' | 'yes';

const order: Readonly<Record<Certainty, number>> = { no: 0, maybe: 1, yes: 2 };

export const least = (a: Certainty, b: Certainty): Certainty => (order[a] < order[b] ? a : b);

export function anyOf<T>(all: readonly T[], how: (one: T) => Certainty): Certainty {
  let found: Certainty = 'no';
  for (const one of all) {
    const answer = how(one);
    if (answer === 'yes') return answer;
    if (answer === 'maybe') found = answer;
  }
  return found;
}

/** Something that rules name machines or addresses by. */
export type Term =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'block'; readonly cidr: Cidr }
  | { readonly kind: 'group'; readonly ref: Ref }
  | { readonly kind: 'tag'; readonly tag: string }
  /** A list of the cloud whose addresses nobody told, or text that nobody can read. */
  | { readonly kind: 'unknown'; readonly text: string };

export function termOf(text: string): Term {
  if (text === 'any') return { kind: 'anyone' };
  if (text.startsWith('group:')) return { kind: 'group', ref: text.slice('group:'.length) };
  if (/^(?:tag|service-account):/.test(text)) return { kind: 'group', ref: text };
  if (text.startsWith('service-tag:')) return { kind: 'tag', tag: text.slice('service-tag:'.length).toLowerCase() };
  const cidr = parseCidr(text.replace(/^range:/, ''));
  return cidr === undefined ? { kind: 'unknown', text } : { kind: 'block', cidr };
}

/** On the side of the machines themselves, text that is no block or name is the Ref of a group. */
export function targetOf(text: string): Term {
  const term = termOf(text);
  return term.kind === 'unknown' && !text.startsWith('range:') ? { kind: 'group', ref: text } : term;
}

/** One end of the traffic as the rules of the other end see it. */
export type Party =
  | { readonly kind: 'machine'; readonly machine: Machine; readonly subnet: Subnet | undefined }
  /** A block outside of the network, without the narrower blocks that the rules in question name. */
  | { readonly kind: 'outside'; readonly block: Cidr };

/** Whether service tags of Azure mean what they usually mean: routes and peerings of people change that. */
export type TagMeaning = 'usual' | 'unusual';

/** Whether the party is one of those that the term names. Groups have members within a network only. */
export function meets(term: Term, party: Party, tags: TagMeaning): Certainty {
  switch (term.kind) {
    case 'anyone':
      return 'yes';
    case 'unknown':
      return 'maybe';
    case 'block':
      return isWithin(term.cidr, party);
    case 'group':
      return party.kind === 'machine' ? isIn(party.machine, term.ref) : 'no';
    case 'tag':
      return hasTag(term.tag, party, tags);
  }
}

export function isIn({ memberships }: Machine, group: Ref): Certainty {
  if (memberships === undefined) return 'maybe';
  return memberships.includes(group) ? 'yes' : 'no';
}

/**
 *   the machine's address     | the block                     | within
 *   --------------------------+-------------------------------+--------
 *   known, IPv4               | contains it                   | yes
 *   known, IPv4               | of IPv4, does not contain it  | no
 *   not known, or of IPv6     | contains its subnet           | yes (IPv4), maybe (IPv6: it may have no such address)
 *   not known, or of IPv6     | part of its subnet            | maybe
 *   not known, or of IPv6     | apart from its subnet         | no
 *   nor its subnet            | any                           | maybe
 */
function isWithin(cidr: Cidr, party: Party): Certainty {
  if (party.kind === 'outside') return containsCidr(cidr, party.block) ? 'yes' : 'no';
  const { machine, subnet } = party;
  if (machine.address !== undefined && machine.address.family === cidr.family)
    return containsCidr(cidr, machine.address) ? 'yes' : 'no';
  if (subnet === undefined) return 'maybe';
  const blocks = subnet.blocks.filter(({ family }) => family === cidr.family);
  if (!blocks.some((block) => overlapsCidr(block, cidr))) return 'no';
  return cidr.family === 4 && blocks.every((block) => containsCidr(cidr, block)) ? 'yes' : 'maybe';
}

/**
 * Tags of Azure: https://learn.microsoft.com/azure/virtual-network/service-tags-overview#available-service-tags
 *
 *   tag               | machine of the network | private block outside    | public block outside
 *   ------------------+------------------------+--------------------------+----------------------
 *   VirtualNetwork    | yes                    | maybe: it may be peered  | no; maybe if unusual
 *   Internet          | no                     | no                       | yes; maybe if unusual
 *   AzureLoadBalancer | no                     | no                       | no
 *   a service         | no; maybe if its subnet is of public addresses | no | maybe
 */
function hasTag(tag: string, party: Party, meaning: TagMeaning): Certainty {
  const isPublic = isPublicParty(party);
  const unusual: Certainty = meaning === 'usual' ? 'no' : 'maybe';
  if (tag === 'virtualnetwork') {
    if (party.kind === 'machine') return 'yes';
    return isPublic ? unusual : 'maybe';
  }
  if (tag === 'azureloadbalancer') return 'no';
  if (tag === 'internet') {
    if (party.kind === 'machine' || !isPublic) return 'no';
    return meaning === 'usual' ? 'yes' : 'maybe';
  }
  return isPublic ? 'maybe' : 'no';
}

const isPublicParty = (party: Party): boolean =>
  party.kind === 'outside'
    ? !isPrivate(party.block)
    : (party.subnet?.blocks.some((block) => !isPrivate(block)) ?? true);

/**
 * Blocks that nobody reaches through the internet: https://www.rfc-editor.org/rfc/rfc1918, of carriers
 * https://www.rfc-editor.org/rfc/rfc6598, link-local https://www.rfc-editor.org/rfc/rfc3927, of this host
 * https://www.rfc-editor.org/rfc/rfc1122, and of IPv6 https://www.rfc-editor.org/rfc/rfc4193, https://www.rfc-editor.org/rfc/rfc4291
 */
const privateBlocks: readonly Cidr[] = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '127.0.0.0/8',
  'fc00::/7',
  'fe80::/10',
].flatMap((text) => parseCidr(text) ?? []);

/** True where no address of it is reached through the internet. */
export const isPrivate = (block: Cidr): boolean => privateBlocks.some((one) => containsCidr(one, block));
