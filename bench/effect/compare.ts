import type { Effect, End, TrafficChange } from '../../src/core/effect/effect.ts';
import type { ServiceEntry } from '../../src/core/effect/service-set.ts';
import { type EstateDraft, effectOn, type MachineDraft } from '../../test/core/effect/estate.ts';
import { at } from '../../test/core/plan/fixture.ts';
import type { Random } from '../world/random.ts';
import { isInBlock, isLetThrough, isPrivate, type Packet, rulesAfter, type Standing } from './brute-force.ts';
import type { RandomEstate } from './random-estate.ts';

/** A packet of which the effect says something else than one machine after another does. */
export interface Disagreement {
  readonly packet: string;
  readonly said: string;
  readonly reason: string;
}

/** Packets compared, changes among them, those of which the effect says that it cannot tell, and disagreements. */
export interface Comparison {
  readonly packets: number;
  readonly changed: number;
  readonly unknown: number;
  readonly disagreements: readonly Disagreement[];
}

/** Ways in which what nobody listed may be. */
const worlds = 4;

/** Compares the effect of the changes of an estate with the packets that rules let through before and after. */
export function compareEffect({ draft, changes }: RandomEstate, random: Random): Comparison {
  const effect = effectOn(draft, changes);
  const [before, after] = [rulesAfter(draft, []), rulesAfter(draft, changes)];
  const disagreements: Disagreement[] = [];
  const comparison = { packets: 0, changed: 0, unknown: 0, disagreements };
  for (const packet of packetsIn(draft, [...before, ...after], random)) {
    const seen = Array.from({ length: worlds }, () => seenIn(packet));
    const claims = claimsOf(effect, packet);
    const exact = claimsOf(effect, packet, narrowestOf(packet, [...before, ...after]));
    comparison.packets += 1;
    if (seen.some((one) => one.was !== one.is)) comparison.changed += 1;
    if (claims.has('unknown')) comparison.unknown += 1;
    const reason = disagreement({ claims, exact }, seen);
    if (reason !== undefined)
      comparison.disagreements.push({ packet: packetText(packet), said: [...claims].join(), reason });
  }
  return comparison;

  function seenIn(packet: Packet): Seen {
    const answers = new Map<string, boolean>();
    let asked = false;
    const oracle = (question: string): boolean => {
      asked = true;
      const answer = answers.get(question) ?? random.whole(2) === 0;
      answers.set(question, answer);
      return answer;
    };
    const was = isLetThrough(draft, before, packet, oracle);
    return { was, is: isLetThrough(draft, after, packet, oracle), asked };
  }
}

/** In one world. `asked`: something was asked there that nobody listed. */
interface Seen {
  readonly was: boolean;
  readonly is: boolean;
  readonly asked: boolean;
}

type Claim = 'opens' | 'cuts' | 'unknown';

/** `exact`: of the very block of an address. `claims`: of blocks around it too, which are told without the narrower ones in them. */
interface Claims {
  readonly claims: ReadonlySet<Claim>;
  readonly exact: ReadonlySet<Claim>;
}

function disagreement({ claims, exact }: Claims, seen: readonly Seen[]): string | undefined {
  if (exact.has('opens') && seen.some(({ was, is }) => was || !is)) return 'it is not opened';
  if (exact.has('cuts') && seen.some(({ was, is }) => !was || is)) return 'it is not cut';
  if (exact.has('unknown') && exact.size === 1 && !seen.some(({ asked }) => asked)) return 'nothing is unknown there';
  const [opened, cut] = [seen.every(({ was, is }) => !was && is), seen.every(({ was, is }) => was && !is)];
  if (opened && !claims.has('opens') && !claims.has('unknown')) return 'it is opened';
  if (cut && !claims.has('cuts') && !claims.has('unknown')) return 'it is cut';
  if (claims.size === 0 && seen.some(({ was, is }) => was !== is)) return 'it may change';
  return undefined;
}

const services: readonly (readonly [protocol: string, port: number])[] = [
  ['tcp', 22],
  ['tcp', 80],
  ['tcp', 443],
  ['tcp', 5432],
  ['tcp', 6000],
  ['udp', 53],
  ['icmp', 2048],
  ['icmp', 0],
  ['47', 0],
];

function packetsIn({ cloud, machines }: EstateDraft, rules: readonly Standing[], random: Random): readonly Packet[] {
  const named = new Set(rules.flatMap(({ attributes }) => attributes.match.peers.flatMap(outsideAddresses)));
  // why: of the private part of the world only blocks that rules name have an answer of their own
  const outside = [...named].filter((address) => cloud !== 'azure' || !isPrivate(address)).concat('198.51.100.9');
  const ends: readonly (readonly [MachineDraft | string, MachineDraft | string])[] = machines.flatMap((one) => [
    ...machines.filter((other) => other !== one).map((other) => [one, other] as const),
    ...outside.flatMap((address) => [[one, address] as const, [address, one] as const]),
  ]);
  return ends.flatMap(([from, to]) =>
    services.filter(() => random.whole(3) === 0).map(([protocol, port]) => ({ from, to, protocol, port })),
  );
}

/** The second address of a block outside of the network: that of a wide block is in no narrower one. */
function outsideAddresses(peer: string): readonly string[] {
  const [base, prefix] = peer.split('/');
  if (base === undefined || prefix === undefined || prefix === '0' || !/^\d/.test(base) || base.startsWith('10.0.'))
    return [];
  return [prefix === '32' ? base : base.replace(/\d+$/, '1')];
}

/** `block`: only changes of exactly this one, where an end is outside. */
function claimsOf(effect: Effect, packet: Packet, block?: string): ReadonlySet<Claim> {
  const about = (change: TrafficChange): boolean =>
    isAt(change.from, packet.from, block) && isAt(change.to, packet.to, block) && isOf(change.services, packet);
  const claims = new Set<Claim>();
  if (effect.opens.some(about)) claims.add('opens');
  if (effect.cuts.some(about)) claims.add('cuts');
  if (effect.unknown.some(about)) claims.add('unknown');
  return claims;
}

function isAt(end: End, subject: MachineDraft | string, block: string | undefined): boolean {
  if (typeof subject !== 'string')
    return end.kind === 'instances' && end.instances.includes(at('instance', subject.name));
  return end.kind === 'block' && isInBlock(subject, end.cidr) && (block === undefined || block === end.cidr);
}

/** The narrowest block of any rule around the end of a packet that is outside. */
function narrowestOf({ from, to }: Packet, rules: readonly Standing[]): string | undefined {
  const outside = [from, to].find((end) => typeof end === 'string');
  if (outside === undefined) return undefined;
  const blocks = rules.flatMap(({ attributes }) => attributes.match.peers.filter((peer) => /^\d/.test(peer)));
  const around = ['0.0.0.0/0', ...blocks].filter((block) => isInBlock(outside, block));
  return around.toSorted((a, b) => Number(b.split('/')[1]) - Number(a.split('/')[1]))[0];
}

function isOf(entries: readonly ServiceEntry[], { protocol, port }: Packet): boolean {
  const own = entries.find((one) => one.protocol === protocol);
  if (own === undefined) return entries.some((one) => one.protocol === 'all');
  return own.ports === undefined || own.ports.some(({ from, to }) => from <= port && port <= to);
}

const packetText = ({ from, to, protocol, port }: Packet): string =>
  `${nameOf(from)} > ${nameOf(to)} ${protocol} ${port}`;

const nameOf = (end: MachineDraft | string): string => (typeof end === 'string' ? end : end.name);
