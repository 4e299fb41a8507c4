import type { Access, Provider, Session } from '../../src/ports/provider.ts';
import { type Client, makeClient } from './client.ts';
import { type MemoryCloud, makeCloud } from './cloud.ts';
import { dialect } from './dialect.ts';
import { ruleActuator } from './firewall-rule.ts';
import { groupActuator } from './group.ts';
import { instanceActuator } from './instance.ts';
import { launchCheck } from './instance-launch.ts';
import { networkActuator } from './network.ts';
import { batches } from './rate-limits.ts';
import { subnetActuator } from './subnet.ts';

/** The reference cloud. Any number of sessions and providers may share one; `caller` names this one in its history. */
export const memoryProvider = (cloud: MemoryCloud, caller = 'setpoint'): Provider => ({
  cloud: 'memory',
  dialect,
  batches,
  open: async (access, clock) => open(makeClient(cloud, { scope: access.scope, name: caller, clock }), access),
});

/** For specs that say `provider: memory`: one cloud for as long as the process lives, born with its first session. */
export const memory: Provider = {
  cloud: 'memory',
  dialect,
  batches,
  open: async (access, clock) => {
    processWide ??= makeCloud({ clock });
    return open(makeClient(processWide, { scope: access.scope, name: 'setpoint', clock }), access);
  },
};

let processWide: MemoryCloud | undefined;

function open(client: Client, { scope, account }: Access): Session {
  return {
    scope,
    identify: async (call) => {
      const answer = await client.send(call, 'WhoAmI', undefined);
      return answer.ok ? { ok: true, value: account } : answer;
    },
    actuators: {
      network: networkActuator(client),
      subnet: subnetActuator(client),
      group: groupActuator(client),
      'firewall-rule': ruleActuator(client),
      instance: instanceActuator(client),
    },
    canLaunch: launchCheck(client),
    close: async () => {},
  };
}
