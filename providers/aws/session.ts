import type { Result } from '../../src/core/failure.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Access, Call, Session } from '../../src/ports/provider.ts';
import { type Client, makeClient } from './client.ts';
import { firewallRuleActuator } from './firewall-rule.ts';
import { groupActuator } from './group.ts';
import { imageFacts } from './image-facts.ts';
import { canLaunch } from './instance/launch-check.ts';
import { instanceActuator } from './instance.ts';
import { makeListings } from './listings.ts';
import { networkActuator } from './network.ts';
import { outerFilters } from './network-acl.ts';
import type { Scope } from './scope.ts';
import { subnetActuator } from './subnet.ts';

/** One account and region for one reconcile. Importing this loads the SDK, some 270 ms and 90 MB. */
export function openSession(access: Access, clock: Clock): Session {
  const client = makeClient(access);
  const scope: Scope = {
    key: access.scope,
    account: access.account,
    client,
    listings: makeListings(client, clock),
    clock,
    known: {
      tables: new Map(),
      images: new Map(),
      offered: new Set(),
      networks: new Set(),
    },
  };
  return {
    scope: access.scope,
    identify: identifyOnce(client),
    actuators: {
      network: networkActuator(scope),
      subnet: subnetActuator(scope),
      group: groupActuator(scope),
      'firewall-rule': firewallRuleActuator(scope),
      instance: instanceActuator(scope),
    },
    outerFilters: (subnets, call) => outerFilters(subnets, scope, call),
    imageFacts: (images, call) => imageFacts(images, scope, call),
    canLaunch: (question, call) => canLaunch(question, scope, call),
    close: async () => client.close(),
  };
}

/** A session keeps its credentials, and renewed keys of a role are of the same account: the first good answer holds. */
function identifyOnce(client: Client): Session['identify'] {
  let known: Result<string> | undefined;
  return async (call: Call) => {
    if (known) return known;
    const answer = await client.identify(call);
    if (answer.ok) known = answer;
    return answer;
  };
}
