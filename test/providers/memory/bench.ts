import type { ActionName, Input, Output } from '../../../providers/memory/cloud/calls.ts';
import { Refusal } from '../../../providers/memory/cloud/refusal.ts';
import { type Caller, type MemoryCloud, makeCloud } from '../../../providers/memory/cloud.ts';
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts';

/** A cloud asked directly, without the provider. */
export interface Bench {
  readonly cloud: MemoryCloud;
  readonly clock: VirtualClock;
  ask<A extends ActionName>(action: A, input: Input<A>): Promise<Output<A>>;
  /** The code of the refusal, or `ok`. */
  met<A extends ActionName>(action: A, input: Input<A>): Promise<string>;
}

export function openBench(options: { readonly seed?: number; readonly pageSize?: number } = {}): Bench {
  const clock = virtualClock(0);
  const cloud = makeCloud({ clock, ...options });
  const caller: Caller = { name: 'setpoint', scope: 'memory/acme/north', signal: new AbortController().signal };
  const ask: Bench['ask'] = async (action, input) => (await cloud.serve(caller, action, input)).output;
  return {
    cloud,
    clock,
    ask,
    met: async (action, input) => {
      try {
        await ask(action, input);
        return 'ok';
      } catch (error) {
        if (error instanceof Refusal) return error.code;
        throw error;
      }
    },
  };
}

/** A network with a subnet and a group in it. */
export function furnish({ cloud: { outside } }: Bench): {
  readonly network: string;
  readonly subnet: string;
  readonly group: string;
} {
  const network = outside.do('CreateNetwork', { cidr: '10.0.0.0/16', tags: {} }).id;
  const subnet = outside.do('CreateSubnet', { network, cidr: '10.0.1.0/24', tags: {} }).id;
  const group = outside.do('CreateGroup', { network, name: 'web', tags: {} }).id;
  return { network, subnet, group };
}

export const tcp = (port: number, peer = '10.9.0.0/16') => ({
  protocol: 'tcp',
  from: port,
  to: port,
  peer,
  description: '',
});

export const run = (subnet: string, count = 1, token = 'token') => ({
  token,
  count,
  tags: {},
  where: { subnet, publicIp: false, groups: [] },
  hardware: { image: 'img-1', size: 'small', disk: {} },
});
