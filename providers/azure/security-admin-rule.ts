import type { EffectiveBaseSecurityAdminRuleUnion } from '@azure/arm-network';
import type { Observed, SubnetFilters } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { filtersBy } from '../shared/outer-filters.ts';
import { partsOfId } from './ids.ts';
import type { Scope } from './scope.ts';

type AdminRule = EffectiveBaseSecurityAdminRuleUnion;

/**
 * The security admin rules that a network manager, of whichever subscription, puts on the VNets of these subnets: one listing for each VNet.
 * https://learn.microsoft.com/rest/api/networkmanager/list-network-manager-effective-security-admin-rules
 */
export function outerFilters(
  subnets: readonly Observed<'subnet'>[],
  scope: Scope,
  call: Call,
): Promise<readonly SubnetFilters[]> {
  const listings = {
    sort: 'security admin rules',
    placeOf: ({ attributes }: Observed<'subnet'>) => attributes.network,
    list: ({ attributes }: Observed<'subnet'>) => rulesOn(attributes.network, scope, call),
    namesOf: decidingIn,
  };
  return filtersBy(subnets, listings, { clock: scope.clock, call });
}

function decidingIn(rules: readonly AdminRule[]): readonly string[] {
  const names = [...new Set(rules.filter(isDeciding).map(nameOf))];
  return names.length === 0 ? [] : [listText(names)];
}

/** A page has a token for the next one, which Azure sends empty at the end. */
async function rulesOn(network: CloudId, { client }: Scope, call: Call): Promise<readonly AdminRule[]> {
  const { resourceGroup, name } = partsOfId(network);
  const rules: AdminRule[] = [];
  const tokens = new Set<string>();
  for (let skipToken: string | undefined; ; ) {
    const query = skipToken === undefined ? {} : { skipToken };
    const answer = await client.ask(call, (sdk) =>
      sdk.network.listNetworkManagerEffectiveSecurityAdminRules(resourceGroup, name, query),
    );
    if (!answer.ok) throw new ListingFailed(answer.failure.code, answer.failure.message, answer.failure);
    for (const rule of answer.value.value ?? []) rules.push(rule);
    skipToken = answer.value.skipToken || undefined;
    if (skipToken === undefined) return rules;
    if (tokens.has(skipToken)) throw new ListingFailed('TokenLoop', 'the cloud answered the same skip token twice');
    tokens.add(skipToken);
  }
}

/**
 *   access        | the rule
 *   --------------+--------------------------------------------------------------------
 *   Allow         | leaves the decision to the network security groups
 *   Deny          | decides
 *   AlwaysAllow   | decides
 *   another, none | may decide
 *
 * https://learn.microsoft.com/azure/virtual-network-manager/concept-security-admins#evaluation-of-security-admin-rules-and-network-security-groups-nsgs
 */
export const isDeciding = (rule: AdminRule): boolean => !('access' in rule) || rule.access !== 'Allow';

/** `…/ruleCollections/base/rules/no-ssh` → `no-ssh`. A default rule has a flag instead. */
function nameOf(rule: AdminRule): string {
  if ('flag' in rule && rule.flag) return rule.flag;
  return rule.id?.split('/').findLast((step) => step !== '') ?? 'without a name';
}

const mostNamed = 3;

function listText(names: readonly string[]): string {
  const [only, ...others] = names;
  if (others.length === 0) return `security admin rule ${only}`;
  const more = names.length - mostNamed;
  return `security admin rules ${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
