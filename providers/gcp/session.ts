import type { Result } from '../../src/core/failure.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Access, Call, Session } from '../../src/ports/provider.ts';
import { type Client, makeClient } from './client.ts';
import { outerFilters } from './firewall-policy.ts';
import { firewallRuleActuator } from './firewall-rule.ts';
import { groupActuator } from './group.ts';
import { imageFacts } from './image-facts.ts';
import { canLaunch } from './instance/launch-check.ts';
import { instanceActuator } from './instance.ts';
import { makeListings } from './listings.ts';
import { networkActuator } from './network.ts';
import { checkRegions } from './regions.ts';
import type { Scope } from './scope.ts';
import { subnetActuator } from './subnet.ts';

/** One project for one reconcile. Importing this loads the SDK, some 250 ms and 110 MB. */
export function openSession(access: Access, clock: Clock): Session {
  const client = makeClient(access, clock);
  const scope: Scope = {
    project: access.account,
    client,
    listings: makeListings(client, access.account, clock),
    clock,
    known: {
      spent: new Map(),
      launchable: new Set(),
      cpus: new Map(),
      quotas: new Map(),
      free: new Map(),
    },
  };
  return {
    scope: access.scope,
    identify: identifyOnce(client),
    checkRegions: (regions, call) => checkRegions(regions, { ...access, client }, call),
    actuators: {
      network: networkActuator(scope),
      subnet: subnetActuator(scope),
      group: groupActuator(),
      'firewall-rule': firewallRuleActuator(scope),
      instance: instanceActuator(scope),
    },
    outerFilters: (subnets, call) => outerFilters(subnets, scope, call),
    imageFacts: (images, call) => imageFacts(images, scope, call),
    canLaunch: (question, call) => canLaunch(question, scope, call),
    close: () => client.close(),
  };
}

/** A session keeps its credentials: the first good answer holds. */
function identifyOnce(client: Client): Session['identify'] {
  let known: Result<string> | undefined;
  return async (call: Call) => {
    if (known) return known;
    const answer = await client.identify(call);
    if (answer.ok) known = answer;
    return answer;
  };
}
