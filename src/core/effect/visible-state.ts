import type { Ref } from '../resource.ts';
import type { HeldRule, Machine, Subnet, TrafficState } from './state.ts';

/** True where the caller may see the thing with this Ref. */
export type Sees = (ref: Ref) => boolean;

/** The names of things that decide on the traffic of a visible machine, and that the caller may not see. */
export const outside = {
  network: 'a network outside of your grants',
  subnet: 'a subnet outside of your grants',
  rule: 'a rule outside of your grants',
} as const;

/**
 * The part of a state that a caller may see: their machines alone, between which the same traffic passes. Rules, subnets and networks
 * that they may not see decide as before, and have no name.
 */
export function visibleState(state: TrafficState, sees: Sees): TrafficState {
  const machines = [...state.machines.values()].filter(({ ref }) => sees(ref));
  return {
    ...state,
    networks: new Map(
      [...state.networks].map(([ref, one]) => [ref, sees(ref) ? one : { ...one, id: '', name: outside.network }]),
    ),
    subnets: new Map([...state.subnets].map(([ref, one]) => [ref, sees(ref) ? one : unnamedSubnet(one)])),
    machines: new Map(machines.map((one): [Ref, Machine] => [one.ref, one])),
    rules: state.rules.map((one) => (sees(one.ref) ? one : unnamedRule(one))),
  };
}

/** The reasons of outer filters name the subnet. */
const unnamedSubnet = (subnet: Subnet): Subnet => ({
  ...subnet,
  id: '',
  name: outside.subnet,
  outer:
    subnet.outer.length === 0 ? [] : [`a filter may decide in ${outside.subnet}, which Setpoint does not evaluate`],
});

const unnamedRule = (rule: HeldRule): HeldRule => ({
  ...rule,
  ...{ ref: '', id: '', name: outside.rule, document: undefined },
});
