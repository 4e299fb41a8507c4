import type { ApplicationSecurityGroup, NetworkSecurityGroup, VirtualNetwork } from '@azure/arm-network';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { filterIdOf, vnetIdOf } from './filter.ts';
import { canonicalId, partsOfId } from './ids.ts';
import { lookup } from './lookup.ts';
import { readExtra, readMark } from './marks.ts';
import { filterPart } from './part.ts';
import type { Scope } from './scope.ts';

/**
 * If one listing names a resource that another lacks, the other was short, or is behind. Ownership is judged by several
 * listings together (a rule by its network, a machine by its subnet and groups), and would seem to differ, or to be somebody
 * else's. Only asked of what bears our mark: credentials may not see all that strangers' things refer to.
 */
export function shortListing(what: string): ListingFailed {
  const message = `${what} was not listed`;
  return new ListingFailed('ShortListing', message, { kind: 'retryable', code: 'ShortListing', message });
}

/** Throws where a network of ours has its filter on a subnet, and no such filter is listed. */
export function checkFilters(vnets: readonly VirtualNetwork[], nsgs: readonly NetworkSecurityGroup[]): void {
  const listed = idsOf(nsgs);
  for (const { id = '', tags, subnets = [] } of vnets) {
    const filter = canonicalId(filterIdOf(id));
    const isNamed = subnets.some(({ networkSecurityGroup }) => canonicalId(networkSecurityGroup?.id ?? '') === filter);
    if (readMark(tags) && isNamed && !listed.has(filter)) throw shortListing(`${filter}, which filters ${id},`);
  }
}

/** Throws where the network of a filter of ours is not listed though it stands, or a group that its rules name. */
export async function checkHomes(
  nsgs: readonly NetworkSecurityGroup[],
  { vnets, asgs }: { readonly vnets: readonly VirtualNetwork[]; readonly asgs: readonly ApplicationSecurityGroup[] },
  { client }: Pick<Scope, 'client'>,
  call: Call,
): Promise<void> {
  const networks = idsOf(vnets);
  const groups = idsOf(asgs);
  for (const nsg of nsgs) {
    if (!readMark(nsg.tags) || readExtra(nsg.tags, 'part') !== filterPart) continue;
    const unlisted = groupsNamed(nsg).find((group) => !groups.has(group));
    if (unlisted) throw shortListing(`${unlisted}, which rules of ${nsg.id} name,`);
    const vnet = vnetIdOf(nsg.id ?? '');
    if (vnet === undefined || networks.has(vnet)) continue;
    const { resourceGroup, name } = partsOfId(vnet);
    const there = await lookup(vnet, ({ network }) => network.virtualNetworks.get(resourceGroup, name), client, call);
    if (!there.ok) throw new ListingFailed(there.failure.code, there.failure.message, there.failure);
    if (there.value) throw shortListing(`${vnet}, which ${nsg.id} filters,`);
  }
}

const groupsNamed = ({ securityRules = [] }: NetworkSecurityGroup): readonly string[] =>
  securityRules
    .flatMap((rule) => [
      ...(rule.sourceApplicationSecurityGroups ?? []),
      ...(rule.destinationApplicationSecurityGroups ?? []),
    ])
    .map(({ id = '' }) => canonicalId(id));

const idsOf = (things: readonly { readonly id?: string }[]): ReadonlySet<string> =>
  new Set(things.map(({ id = '' }) => canonicalId(id)));
