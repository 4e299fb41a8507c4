import type { Result } from '../../src/core/failure.ts';
import type { Call } from '../../src/ports/actuator.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Access, Session } from '../../src/ports/provider.ts';
import { type Client, makeClient } from './client.ts';
import { firewallRuleActuator } from './firewall-rule.ts';
import { groupActuator } from './group.ts';
import { partsOfId } from './ids.ts';
import { canLaunch } from './instance/launch-check.ts';
import { instanceActuator } from './instance.ts';
import { makeListings } from './listings.ts';
import { networkActuator } from './network.ts';
import { canonicalLocation } from './place.ts';
import { nothingKnown, type Scope } from './scope.ts';
import { subnetActuator } from './subnet.ts';

/** One subscription and location for one pass. Importing this loads the SDKs, some 400 ms and 100 MB. */
export async function openSession(access: Access, clock: Clock): Promise<Session> {
  const { account, region } = access;
  const location = canonicalLocation(region);
  const client = await makeClient(access, clock);
  const scope: Scope = {
    account,
    location,
    client,
    listings: makeListings({ client, account, location, clock }),
    clock,
    known: nothingKnown(),
  };
  return {
    scope: access.scope,
    identify: identifyOnce(account, client),
    actuators: {
      network: networkActuator(scope),
      subnet: subnetActuator(scope),
      group: groupActuator(scope),
      'firewall-rule': firewallRuleActuator(scope),
      instance: instanceActuator(scope),
    },
    canLaunch: (question, call) => canLaunch(question, scope, call),
    resume: client.resume,
    close: async () => {},
  };
}

/**
 * Azure's credentials are of no subscription; that they may look into this one, and that it is this one which answers, says
 * all there is to know. `Microsoft.Network` is asked for, as it must be registered there in any case.
 */
function identifyOnce(account: string, client: Client): Session['identify'] {
  let known: Result<string> | undefined;
  return async (call: Call) => {
    if (known) return known;
    const answer = await client.ask(call, ({ resources }) => resources.providers.get('Microsoft.Network'));
    if (!answer.ok) return answer;
    const { subscription } = partsOfId(answer.value.id ?? '');
    known = { ok: true, value: subscription.toLowerCase() === account.toLowerCase() ? account : subscription };
    return known;
  };
}
