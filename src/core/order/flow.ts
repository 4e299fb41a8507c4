import { type Cidr, parseCidr } from '../cidr.ts';
import { isAccount, isByAddress, isTag } from '../kinds/rules.ts';
import { type PortRange, parsePorts } from '../port-set.ts';
import type { Ref, RuleAttributes, RuleMatch } from '../resource.ts';

/**
 * The traffic that one rule speaks of, in a form that compares fast.
 *
 * - `place`: the network, the direction and the action: rules of different places never speak of the same in the same way.
 * - `holders`: the groups whose machines it applies to; empty: every machine of the network.
 * - `rank`: of the rules that match, the one of the lowest rank decides; of equal priorities a denial does.
 */
export interface Flow {
  readonly network: Ref;
  readonly direction: RuleMatch['direction'];
  readonly action: RuleMatch['action'];
  readonly holders: readonly Ref[];
  readonly service: Service;
  readonly peers: readonly Peer[];
  readonly rank: number;
}

/** Protocol and ports. `ranges`: of ports, or of ICMP types and codes, as numbers. */
export interface Service {
  readonly key: string;
  readonly protocol: string;
  readonly ranges: readonly PortRange[];
}

/** One end of the traffic, opposite the machines that the rule applies to. `unknown`: lists of a cloud, whose blocks nobody told us. */
export type Peer =
  | { readonly kind: 'block'; readonly key: string; readonly cidr: Cidr }
  | { readonly kind: 'group'; readonly key: Ref }
  | { readonly kind: 'unknown'; readonly key: string };

/** Undefined for a rule that is switched off: it lets nothing through and shuts nothing. */
export function flowOf({ network, group, match, order }: RuleAttributes): Flow | undefined {
  if (order?.disabled) return undefined;
  const { direction, action, protocol, ports, peers, targets = [] } = match;
  return {
    network,
    direction,
    action,
    holders: group === undefined ? holdersOf(targets) : [group],
    service: serviceOf(protocol, ports),
    peers: peers.map(peerOf),
    rank: 2 * (order?.priority ?? 0) + (action === 'deny' ? 0 : 1),
  };
}

/** Machines that a rule names by address may be in any group. */
const holdersOf = (targets: readonly string[]): readonly Ref[] =>
  targets.some((target) => isByAddress(target) && !isAccount(target)) ? [] : targets;

/** A rule with several protocols (`tcp,udp`) is waited for as one with all of them. */
const serviceOf = (protocol: string, ports: string): Service =>
  protocol.includes(',')
    ? { key: `${protocol} ${ports}`, protocol: 'all', ranges: everything }
    : { key: `${protocol} ${ports}`, protocol, ranges: rangesOf(protocol, ports) };

const everything: readonly PortRange[] = [{ from: 0, to: 65_535 }];

/** Text that nobody can read stands for everything: it is then waited for rather once too often. */
function rangesOf(protocol: string, ports: string): readonly PortRange[] {
  if (ports === 'all') return everything;
  if (protocol.startsWith('icmp')) return icmpRange(ports);
  return parsePorts(ports.split(',')) ?? everything;
}

/** `8/0` or `8/all`: a type has 256 codes, https://www.rfc-editor.org/rfc/rfc792 */
function icmpRange(text: string): readonly PortRange[] {
  const [type = '', code = ''] = text.split('/');
  const first = Number(type) * 256;
  if (!Number.isInteger(first) || type === '') return everything;
  if (code === 'all') return [{ from: first, to: first + 255 }];
  return Number.isInteger(Number(code)) ? [{ from: first + Number(code), to: first + Number(code) }] : everything;
}

function peerOf(text: string): Peer {
  if (text.startsWith('group:')) return { kind: 'group', key: text.slice('group:'.length) };
  if (isTag(text) || isAccount(text)) return { kind: 'group', key: text };
  const cidr = parseCidr(text);
  return cidr === undefined ? { kind: 'unknown', key: text } : { kind: 'block', key: text, cidr };
}
