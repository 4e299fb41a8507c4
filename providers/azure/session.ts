import type { Provider } from '@azure/arm-resources';
import type { Failure, Result } from '../../src/core/failure.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Access, Session } from '../../src/ports/provider.ts';
import { type Client, makeClient } from './client.ts';
import { firewallRuleActuator } from './firewall-rule.ts';
import { groupActuator } from './group.ts';
import { partsOfId } from './ids.ts';
import { imageFacts } from './image-facts.ts';
import { canLaunch } from './instance/launch-check.ts';
import { instanceActuator } from './instance.ts';
import { makeListings } from './listings.ts';
import { networkActuator } from './network.ts';
import { canonicalLocation } from './place.ts';
import { nothingKnown, type Scope } from './scope.ts';
import { outerFilters } from './security-admin-rule.ts';
import { subnetActuator } from './subnet.ts';

/** One subscription and location for one reconcile. Importing this loads the SDKs, some 400 ms and 100 MB. */
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
    ...identityOf(account, client),
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
    resume: client.resume,
    close: async () => {},
  };
}

/**
 * Azure's credentials are of no subscription; that they may look into this one, and that it is this one which answers, says
 * all there is to know. `Microsoft.Network` is asked for, as it must be registered there in any case. The same answer names the locations.
 */
function identityOf(account: string, client: Client): Required<Pick<Session, 'identify' | 'checkRegions'>> {
  let known: Result<string> | undefined;
  let locations: ReadonlySet<string> = new Set();
  return {
    identify: async (call) => {
      if (known) return known;
      const answer = await client.ask(call, ({ resources }) => resources.providers.get('Microsoft.Network'));
      if (!answer.ok) return answer;
      const { subscription } = partsOfId(answer.value.id ?? '');
      known = { ok: true, value: subscription.toLowerCase() === account.toLowerCase() ? account : subscription };
      locations = locationsIn(answer.value);
      return known;
    },
    checkRegions: async (regions) => ({ ok: true, value: regions.flatMap((region) => noRegion(region, locations)) }),
  };
}

/**
 * The locations of virtual networks, by which Resource Manager refuses others:
 * https://learn.microsoft.com/azure/azure-resource-manager/management/resource-providers-and-types#azure-cli. Empty where it does not say.
 */
function locationsIn({ resourceTypes = [] }: Provider): ReadonlySet<string> {
  const networks = resourceTypes.find(({ resourceType }) => resourceType?.toLowerCase() === 'virtualnetworks');
  return new Set((networks?.locations ?? []).map(canonicalLocation));
}

const noRegion = (region: string, locations: ReadonlySet<string>): readonly Failure[] =>
  locations.size === 0 || locations.has(canonicalLocation(region))
    ? []
    : [
        {
          kind: 'terminal',
          code: 'unknown-region',
          message: `Azure has no location "${region}" for virtual networks. Correct \`region:\` of the target. List the locations: az account list-locations --query "[].name" --output tsv`,
          region,
        },
      ];
