import type { Cidr } from '../cidr.ts';
import type { Ref } from '../resource.ts';
import { narrowestOf } from './blocks.ts';
import type { Filter } from './filter.ts';
import type { Machine, TrafficState } from './state.ts';
import type { Party } from './terms.ts';

/** Machines that no rule and no route tells apart, in neither state. One of them stands for all. */
export interface MachineClass {
  readonly network: Ref;
  readonly machines: readonly Machine[];
  readonly before: Side;
  readonly after: Side;
}

/** `key`: equal for sides that are the same to the rules of other machines; `whole`: to all that decides on their traffic. */
export interface Side {
  readonly machine: Machine;
  readonly party: Party;
  readonly key: string;
  readonly whole: string;
}

/** The machines that stand in both states, in the same network. */
export function classesOf(
  before: TrafficState,
  after: TrafficState,
  filters: readonly Filter[],
): readonly MachineClass[] {
  const blocks = filters.flatMap(({ rules }) => rules.flatMap((rule) => rule.blocks));
  const keysOf = keysIn(blocks);
  const classes = new Map<string, { readonly first: MachineClass; readonly machines: Machine[] }>();
  for (const [ref, was] of before.machines) {
    const is = after.machines.get(ref);
    if (is === undefined || was.network === undefined || was.network !== is.network) continue;
    const [from, to] = [keysOf(was), keysOf(is)];
    const key = `${from.whole}\n${to.whole}`;
    const known = classes.get(key);
    if (known !== undefined) {
      known.machines.push(is);
      continue;
    }
    const machines = [is];
    const sides = {
      before: { machine: was, party: partyIn(before, was), ...from },
      after: { machine: is, party: partyIn(after, is), ...to },
    };
    classes.set(key, { first: { network: was.network, machines, ...sides }, machines });
  }
  return [...classes.values()].map(({ first }) => first);
}

export const partyIn = ({ subnets }: TrafficState, machine: Machine): Party => ({
  kind: 'machine',
  machine,
  subnet: subnets.get(machine.subnet),
});

function keysIn(blocks: readonly Cidr[]): (machine: Machine) => { readonly key: string; readonly whole: string } {
  const place = narrowestOf(blocks);
  return ({ network = '', subnet, memberships, address, publicIp, filters, isBalanced }) => {
    const at = address === undefined ? '?' : place(address);
    const seen = `${network}|${subnet}|${memberships?.toSorted().join(',') ?? '?'}|${at}`;
    return { key: seen, whole: `${seen}|${publicIp}|${filters?.join(',') ?? '?'}|${isBalanced}` };
  };
}
