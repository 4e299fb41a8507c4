import type { RuleAttributes } from '../../src/core/resource.ts';
import { type EstateDraft, groupRef, type MachineDraft, ruleOf } from '../../test/core/effect/estate.ts';

/** One packet between two ends: a machine, or an address outside. For ICMP `port` is type × 256 + code. */
export interface Packet {
  readonly from: MachineDraft | string;
  readonly to: MachineDraft | string;
  readonly protocol: string;
  readonly port: number;
}

/** A rule as it stands: `holder` on Azure. */
export interface Standing {
  readonly attributes: RuleAttributes;
  readonly holder: string;
}

/** Answers what nobody listed: the same text has the same answer in one world. Notes that it was asked. */
export type Oracle = (question: string) => boolean;

/** The rules of an estate after changes, by what the clouds document, one machine and one packet at a time. */
export function rulesAfter({ cloud, rules }: EstateDraft, changes: readonly string[]): readonly Standing[] {
  const standing = new Map(
    rules.map(({ name, text, holder = 'own' }) => [name, { attributes: ruleOf(cloud, text), holder }]),
  );
  for (const change of changes) {
    const [, sign, name = '', text = ''] = /^([+~-])([^:]+)(?:: (.*))?$/.exec(change) ?? [];
    if (sign === '-') standing.delete(name);
    else standing.set(name, { attributes: ruleOf(cloud, text), holder: 'own' });
  }
  return [...standing.values()];
}

/** True where the rules at both ends let the packet through. Routes and public addresses do not count. */
export function isLetThrough(draft: EstateDraft, rules: readonly Standing[], packet: Packet, oracle: Oracle): boolean {
  const { from, to } = packet;
  const out =
    typeof from === 'string' || isAllowed(draft, rules, { self: from, peer: to, way: 'egress', packet }, oracle);
  return (
    out && (typeof to === 'string' || isAllowed(draft, rules, { self: to, peer: from, way: 'ingress', packet }, oracle))
  );
}

interface Side {
  readonly self: MachineDraft;
  readonly peer: MachineDraft | string;
  readonly way: 'ingress' | 'egress';
  readonly packet: Packet;
}

function isAllowed(draft: EstateDraft, rules: readonly Standing[], side: Side, oracle: Oracle): boolean {
  const { cloud } = draft;
  const here = rules.filter(({ attributes }) => attributes.match.direction === side.way);
  const fits = ({ attributes }: Standing): boolean =>
    isOfProtocol(cloud, attributes, side.packet) &&
    isForSelf(draft, attributes, side, oracle) &&
    isForPeer(draft, attributes, side, oracle);
  if (cloud === 'aws') return here.some(fits);
  const lists = cloud === 'gcp' ? ['own'] : ['own', ...(side.self.filters ?? [])];
  return lists.every((list) => {
    const sorted = here
      .filter(({ holder }) => holder === list)
      .toSorted(
        (a, b) =>
          priority(a) - priority(b) ||
          Number(a.attributes.match.action === 'allow') - Number(b.attributes.match.action === 'allow'),
      );
    const first = sorted.find(fits);
    if (first !== undefined) return first.attributes.match.action === 'allow';
    if (cloud === 'gcp') return side.way === 'egress';
    if (typeof side.peer !== 'string') return true;
    if (isPrivate(side.peer)) return oracle(`virtualnetwork ${side.peer}`);
    return side.way === 'egress';
  });
}

const priority = ({ attributes }: Standing): number => attributes.order?.priority ?? 0;

function isOfProtocol(cloud: string, { match }: RuleAttributes, { protocol, port }: Packet): boolean {
  if (match.protocol !== 'all' && match.protocol !== protocol) return false;
  if (match.ports === 'all') return true;
  if (match.protocol === 'all' && cloud === 'azure' && protocol !== 'tcp' && protocol !== 'udp') return true;
  return match.ports.split(',').some((text) => {
    const [first = '', last = first] = text.split('-');
    if (!text.includes('/')) return Number(first) <= port && port <= Number(last);
    const [type, code] = text.split('/');
    return Math.floor(port / 256) === Number(type) && (code === 'all' || port % 256 === Number(code));
  });
}

function isForSelf({ cloud }: EstateDraft, { group, match }: RuleAttributes, { self }: Side, oracle: Oracle): boolean {
  if (group !== undefined) return isMember(cloud, self, group, oracle);
  const targets = match.targets ?? [];
  const blocks = targets.filter((one) => /^(?:range:)?\d/.test(one)).map((one) => one.replace('range:', ''));
  const named = targets.filter((one) => !/^(?:range:)?\d/.test(one));
  return (
    (named.length === 0 || named.some((one) => isMember(cloud, self, one, oracle))) &&
    (blocks.length === 0 || blocks.some((one) => isAt(self, one, oracle)))
  );
}

function isForPeer({ cloud }: EstateDraft, { match }: RuleAttributes, { peer }: Side, oracle: Oracle): boolean {
  return match.peers.some((text) => {
    if (text === 'any') return true;
    if (/^\d/.test(text)) return typeof peer === 'string' ? isInBlock(peer, text) : isAt(peer, text, oracle);
    if (text.startsWith('prefix-list:')) return oracle(`${text} ${typeof peer === 'string' ? peer : peer.name}`);
    if (text.startsWith('service-tag:')) return hasTag(text.slice('service-tag:'.length), peer, oracle);
    return typeof peer !== 'string' && isMember(cloud, peer, text.replace(/^group:/, ''), oracle);
  });
}

function hasTag(tag: string, peer: MachineDraft | string, oracle: Oracle): boolean {
  const outside = typeof peer === 'string';
  if (tag === 'VirtualNetwork') return !outside || (isPrivate(peer) && oracle(`virtualnetwork ${peer}`));
  if (tag === 'Internet') return outside && !isPrivate(peer);
  return outside && !isPrivate(peer) && oracle(`${tag} ${peer}`);
}

function isMember(cloud: EstateDraft['cloud'], machine: MachineDraft, ref: string, oracle: Oracle): boolean {
  const { name, groups = [], identity } = machine;
  if (groups === 'unknown') return oracle(`${name} in ${ref}`);
  if (ref.startsWith('service-account:')) return ref === `service-account:${identity}`;
  return groups.some((group) => groupRef(cloud, group) === ref);
}

/** A machine whose address nobody told has one of its subnet. */
function isAt({ name, ip, subnet = 'near' }: MachineDraft, block: string, oracle: Oracle): boolean {
  if (ip !== undefined) return isInBlock(ip, block);
  const own = subnet === 'near' ? '10.0.1.0/24' : '10.0.2.0/24';
  if (isInBlock(own.replace(/\/.*/, ''), block) && Number(block.split('/')[1]) <= 24) return true;
  if (!isInBlock(block.replace(/\/.*/, ''), own)) return false;
  return oracle(`${name} at ${block}`);
}

export const isPrivate = (address: string): boolean =>
  ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].some((block) => isInBlock(address, block));

export function isInBlock(address: string, block: string): boolean {
  const [base = '', prefix = '32'] = block.split('/');
  const size = 2 ** (32 - Number(prefix));
  return Math.floor(number(address) / size) === Math.floor(number(base) / size);
}

const number = (address: string): number => address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
