import type { NetworkSecurityGroup } from '@azure/arm-network';
import type { Result } from '../../src/core/failure.ts';
import type { Mark } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Call } from '../../src/ports/provider.ts';
import { done, failed } from '../shared/answer.ts';
import { armIdOf, canonicalId, partsOfId } from './ids.ts';
import { markTags } from './marks.ts';
import { filterPart, isNearPartOf, isPartOf } from './part.ts';
import { isAnother, retag } from './retag.ts';
import type { Scope } from './scope.ts';

/** The network security group that stands on every subnet of a network: `<VNet>-nsg`, beside it. In the case of the VNet's own id. */
export const filterIdOf = (vnetId: CloudId): string =>
  `${armIdOf(vnetId).replace(/\/virtualnetworks\//i, '/networkSecurityGroups/')}-nsg`;

/** The security group that holds on a subnet or an interface, or holds a rule, as `filters` tells it: none, or one. */
export function filtersOf(nsgId: string | undefined, network: CloudId): readonly CloudId[] {
  if (!nsgId) return [];
  const id = canonicalId(nsgId);
  return [network !== '' && id === canonicalId(filterIdOf(network)) ? network : id];
}

/** The network beside which an NSG of that name stands, by canonical id. */
export const vnetIdOf = (nsgId: string): string | undefined =>
  nsgId.toLowerCase().endsWith('-nsg')
    ? canonicalId(nsgId)
        .replace(/\/networksecuritygroups\//, '/virtualnetworks/')
        .slice(0, -'-nsg'.length)
    : undefined;

/** Makes it if it is absent. One that a colleague made is not ours, and does as well. */
export async function ensureFilter(
  { vnetId, owner, location }: { readonly vnetId: CloudId; readonly owner: Mark; readonly location: string },
  { client }: Scope,
  call: Call,
): Promise<Result<NetworkSecurityGroup>> {
  const { resourceGroup, name } = partsOfId(filterIdOf(vnetId));
  const there = await client.ask(call, ({ network }) => network.networkSecurityGroups.get(resourceGroup, name));
  if (there.ok || there.failure.kind !== 'not-found') return there;
  return client.run(call, ({ network }) =>
    network.networkSecurityGroups.createOrUpdate(resourceGroup, name, {
      location,
      tags: markTags(owner, { part: filterPart }),
    }),
  );
}

/** Writes the new mark on it, where it bears the network's old one, or the new one already. */
export async function markFilter(
  { vnetId, before, mark }: { readonly vnetId: CloudId; readonly before: Mark | undefined; readonly mark: Mark },
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const id = filterIdOf(vnetId);
  const { resourceGroup, name } = partsOfId(id);
  const there = await client.ask(call, ({ network }) => network.networkSecurityGroups.get(resourceGroup, name));
  if (!there.ok) return there.failure.kind === 'not-found' ? done : there;
  const { tags } = there.value;
  if (!isPartOf(before, tags, filterPart) && !isPartOf(mark, tags, filterPart)) return done;
  const nsg = {
    get: async () => there.value,
    patch: (...[{ network }, tags, options]: Parameters<Parameters<typeof retag>[1]['patch']>) =>
      network.networkSecurityGroups.updateTags(resourceGroup, name, { tags }, options),
  };
  return retag({ observed: { id }, changes: [], mark, extra: { part: filterPart } }, nsg, client, call);
}

/** Takes it away with its rules, if it is this network's own. `id`: as it was seen. What only looks like it is for a person to judge. */
export async function removeFilter(
  {
    vnetId,
    owner,
    id,
  }: { readonly vnetId: CloudId; readonly owner: Mark | undefined; readonly id: CloudId | undefined },
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(filterIdOf(vnetId));
  const there = await client.ask(call, ({ network }) => network.networkSecurityGroups.get(resourceGroup, name));
  if (!there.ok) return there.failure.kind === 'not-found' ? done : there;
  const { tags, resourceGuid } = there.value;
  if (!isNearPartOf(owner, tags, filterPart) || (id !== undefined && isAnother(id, resourceGuid))) return done;
  if (!isPartOf(owner, tags, filterPart))
    return failed(
      'terminal',
      'DoubtfulPart',
      `${name} has the mark of something other than ${vnetId}; delete it by hand`,
    );
  const gone = await client.run(call, ({ network }) => network.networkSecurityGroups.delete(resourceGroup, name));
  return gone.ok || gone.failure.kind === 'not-found' ? done : gone;
}
