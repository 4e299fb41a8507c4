import type { Observed, SubnetFilters } from '../../src/core/observed.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { filtersBy } from '../shared/outer-filters.ts';
import { placeOf } from './cloud-id.ts';
import type { EffectivePolicy } from './messages.ts';
import type { Scope } from './scope.ts';

/**
 * The firewall policies that hold for these subnets: of the organisation, of folders, of the network and of the region. One call for each
 * network and region lists all of them.
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/regionNetworkFirewallPolicies/getEffectiveFirewalls
 */
export function outerFilters(
  subnets: readonly Observed<'subnet'>[],
  scope: Scope,
  call: Call,
): Promise<readonly SubnetFilters[]> {
  const listings = {
    sort: 'firewall policies',
    placeOf: placeText,
    list: (subnet: Observed<'subnet'>) => listed(subnet, scope, call),
    namesOf: (policies: readonly EffectivePolicy[]) => policies.filter(isDeciding).map(nameOf),
  };
  return filtersBy(subnets, listings, { clock: scope.clock, call });
}

const placeText = ({ id, attributes }: Observed<'subnet'>): string =>
  `${placeOf(attributes.network).path} ${placeOf(id).location}`;

/** As the cloud's own links begin: the call takes the network by its link. */
const links = 'https://www.googleapis.com/compute/v1/';

async function listed(
  { id, attributes }: Observed<'subnet'>,
  { project, client }: Scope,
  call: Call,
): Promise<readonly EffectivePolicy[]> {
  const { location: region = '' } = placeOf(id);
  const network = links + placeOf(attributes.network).path;
  const ask = { action: 'regionNetworkFirewallPolicies.getEffectiveFirewalls', region } as const;
  const answer = await client.read(ask, call, (sdk, options) =>
    sdk.regionNetworkFirewallPolicies().getEffectiveFirewalls({ project, region, network }, options),
  );
  if (answer.ok) return answer.value.firewallPolicys ?? [];
  const { code, message } = answer.failure;
  throw new ListingFailed(code, message, answer.failure);
}

/**
 * True where a rule of it may decide on a machine. Not the four rules of every policy, which leave it to the next one:
 * https://docs.cloud.google.com/firewall/docs/firewall-policies-rule-details#pre-defined-rules
 */
export const isDeciding = ({ rules }: EffectivePolicy): boolean =>
  (rules ?? []).some(
    ({ action, disabled, targetType }) =>
      action !== 'goto_next' && disabled !== true && targetType !== 'INTERNAL_MANAGED_LB',
  );

const sorts: Readonly<Record<string, string>> = {
  HIERARCHY: 'hierarchical firewall policy',
  NETWORK_REGIONAL: 'regional firewall policy',
  SYSTEM_GLOBAL: 'firewall policy of the system',
  SYSTEM_REGIONAL: 'firewall policy of the system',
};

/** A hierarchical one is named by a number; people know it by the other name. */
const nameOf = ({ name, displayName, type }: EffectivePolicy): string =>
  `${sorts[String(type ?? '')] ?? 'firewall policy'} ${displayName || name || 'without a name'}`;
