import { type Cidr, containsCidr, parseBlock } from '../cidr.ts';
import { parsePorts } from '../port-set.ts';
import type { Ref } from '../resource.ts';
import type { ReachEnd } from './reach.ts';
import { oneService, type Services } from './service-set.ts';
import type { Machine, TrafficState } from './state.ts';

/**
 * The end of a question that a person means by a word. The first that fits counts:
 *
 *   word                              | end
 *   ----------------------------------+------------------------------------------------------------
 *   `internet`                        | the world without its private parts
 *   `10.20.1.0/24`, `198.51.100.7`    | the machines of the scope in it; a block outside where there are none
 *   `web-0`, an address, an id        | one machine
 *   `core.web`, `tag:core-web`        | the machines of a group
 *   `core.app`                        | the machines of a subnet
 *   `core`                            | the machines of a network
 *   `web`                             | the machines of a document: `web-0`, `web-1`
 *
 * `group:`, `subnet:`, `network:` and `instance:` before a name choose one sort. Undefined: nothing here is called so.
 */
export function endIn(state: TrafficState, word: string): ReachEnd | undefined {
  if (word === 'internet') return { kind: 'block', block: everyV4, isInternet: true };
  const block = parseBlock(word);
  if (block !== undefined) return blockEnd(state, block);
  const [, sort, name = word] = /^(instance|group|subnet|network):(.+)$/.exec(word) ?? [];
  const machines = [...state.machines.values()];
  for (const [own, fits] of Object.entries(sorts)) {
    if (sort !== undefined && sort !== own.replace('replica', 'instance')) continue;
    const found = machines.filter((machine) => fits(machine, name, state));
    if (found.length > 0) return { kind: 'machines', machines: found };
  }
  return undefined;
}

const everyV4: Cidr = { family: 4, base: 0n, prefix: 0 };

function blockEnd(state: TrafficState, block: Cidr): ReachEnd {
  const inside = [...state.machines.values()].filter(
    ({ address }) => block.prefix > 0 && address !== undefined && containsCidr(block, address),
  );
  return inside.length > 0 ? { kind: 'machines', machines: inside } : { kind: 'block', block, isInternet: false };
}

type Fits = (machine: Machine, name: string, state: TrafficState) => boolean;

const isCalled = (
  thing: { readonly ref: Ref; readonly id: string; readonly name: string } | undefined,
  name: string,
): boolean =>
  thing !== undefined &&
  (thing.ref === name || thing.id === name || thing.name === name || thing.ref.endsWith(`/${name}`));

const sorts: Readonly<Record<'instance' | 'group' | 'subnet' | 'network' | 'replica', Fits>> = {
  instance: (machine, name) => isCalled(machine, name),
  group: ({ memberships = [] }, name) => memberships.some((group) => isGroup(group, name)),
  subnet: ({ subnet }, name, { subnets }) => isCalled(subnets.get(subnet), name),
  network: ({ network = '' }, name, { networks }) => isCalled(networks.get(network), name),
  replica: ({ name }, wanted) => name.replace(/-\d+$/, '') === wanted,
};

/** A tag of Google Cloud stands for `core.web` as `core-web`. */
const isGroup = (group: Ref, name: string): boolean =>
  group === name || group.endsWith(`/group/${name}`) || group === `tag:${name.replaceAll('.', '-')}`;

const protocols: ReadonlySet<string> = new Set(['tcp', 'udp', 'icmp', 'icmpv6']);

/** Reads `5432`, `5432/tcp`, `8000-8100/udp` or `icmp`: TCP where no protocol is named. Undefined for anything else. */
export function servicesFrom(text: string): Services | undefined {
  if (protocols.has(text)) return oneService(text);
  const [ports = '', protocol = 'tcp', ...more] = text.split('/');
  const ranges = parsePorts([ports]);
  if (ranges === undefined || more.length > 0 || (protocol !== 'tcp' && protocol !== 'udp')) return undefined;
  return oneService(protocol, ranges);
}
