import type { Subnet, VirtualNetwork } from '@azure/arm-network';
import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Actuator, Call, Removal, Revision } from '../../src/ports/provider.ts';
import { done, failed } from '../shared/answer.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { eachChunk } from '../shared/each-chunk.ts';
import { mapInTurns } from '../shared/turns.ts';
import { furtherOf, readBlocks } from './cidr-text.ts';
import { stateOf } from './condition.ts';
import { filterIdOf, filtersOf } from './filter.ts';
import { armIdOf, canonicalId, cloudIdOf, networkOfSubnet, partsOfId } from './ids.ts';
import { inexpressibleOf } from './inexpressible.ts';
import { lookup } from './lookup.ts';
import { type ListedRoutes, listRoutes, noRoutesListed, subnetSettingsOf } from './network-settings.ts';
import { most } from './rate-limits.ts';
import { childNamed } from './raw.ts';
import { ifMatch, isAnother, unsupported } from './retag.ts';
import type { Scope } from './scope.ts';
import { createSubnets, filtered } from './subnet-create.ts';
import { inTurn } from './turn.ts';
import { writable } from './writable.ts';

/**
 * Subnets are children of their VNet, listed with it and without a mark of their own. Making them is in subnet-create.ts. Each
 * write is of the VNet as it stands, one after another, and loses nothing that anybody else has put there.
 */
export function subnetActuator(scope: Scope): Actuator<'subnet'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) =>
      eachChunk(batch, { key: ({ desired }) => desired.attributes.network, size: most.inline }, (some) =>
        createSubnets(some, scope, call),
      ),
    update: (batch, call) =>
      each(batch, (item) => inTurn(networkOfSubnet(item.observed.id), scope, () => update(item, scope, call))),
    delete: (batch, call) =>
      each(batch, (item) => inTurn(networkOfSubnet(item.id), scope, () => remove(item, scope, call))),
    usersOf: (id, call) => usersOf(id, scope, call),
  };
}

async function* list(scope: Scope, call: Call): AsyncGenerator<readonly Observed<'subnet'>[]> {
  const [vnets, routes] = await awaitAll([scope.listings.vnets('subnet', call), listRoutes(scope, call)]);
  for (const vnet of vnets) yield await mapInTurns(vnet.subnets ?? [], (subnet) => observeSubnet(subnet, vnet, routes));
}

export function observeSubnet(
  subnet: Subnet,
  { id: vnetId = '', resourceGuid }: VirtualNetwork,
  listedRoutes: ListedRoutes,
): Observed<'subnet'> {
  const network = cloudIdOf(vnetId, resourceGuid);
  const filter = canonicalId(subnet.networkSecurityGroup?.id ?? '') === canonicalId(filterIdOf(network));
  const blocks = readBlocks(subnet.addressPrefix, subnet.addressPrefixes);
  const { settings, unlisted } = subnetSettingsOf(subnet, blocks, listedRoutes);
  return {
    kind: 'subnet',
    id: cloudIdOf(subnet.id ?? '', resourceGuid),
    name: subnet.name ?? '',
    attributes: {
      network,
      cidr: blocks.cidr,
      filter: filter && subnet.defaultOutboundAccess === false,
      settings,
      labels: {},
    },
    signs: { parent: network },
    condition: {
      state: stateOf(subnet.provisioningState),
      filters: filtersOf(subnet.networkSecurityGroup?.id, network),
      ...furtherOf(blocks),
      ...inexpressibleOf.subnet(subnet),
      ...(unlisted.length === 0 ? {} : { unlisted }),
    },
  };
}

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'subnet'> | undefined>[]> {
  const vnetIds = [...new Set(ids.map(networkOfSubnet))];
  const vnets = await each(vnetIds, (id) => {
    const { resourceGroup, name } = partsOfId(id);
    return lookup(id, ({ network }) => network.virtualNetworks.get(resourceGroup, name), scope.client, call);
  });
  const hasTable = vnets.some((vnet) => vnet.ok && vnet.value?.subnets?.some(({ routeTable }) => routeTable?.id));
  const routes = hasTable ? await listRoutes(scope, call) : noRoutesListed;
  const byId = new Map(vnetIds.map((id, index) => [id, vnets[index]]));
  return ids.map((id) => {
    const vnet =
      byId.get(networkOfSubnet(id)) ?? failed('retryable', 'Unanswered', `the cloud did not answer for ${id}`);
    if (!vnet.ok || !vnet.value) return vnet.ok ? { ok: true, value: undefined } : vnet;
    const { value } = vnet;
    const subnet = (value.subnets ?? []).find((one) => canonicalId(one.id ?? '') === armIdOf(id));
    return { ok: true, value: subnet && observeSubnet(subnet, value, routes) };
  });
}

/** Puts the network's filter on it. All else of it is sent back as it was. */
async function update({ observed, changes }: Revision<'subnet'>, { client }: Scope, call: Call): Promise<Result<void>> {
  const failure = unsupported(changes, ['filter']);
  if (failure) return { ok: false, failure };
  if (changes.length === 0) return done;
  const { resourceGroup, name: vnet, child } = partsOfId(observed.id);
  const now = await client.raw(call, ({ network }) => network.virtualNetworks.get(resourceGroup, vnet));
  if (!now.ok) return now;
  const subnet = isAnother(observed.id, now.value.properties.resourceGuid)
    ? undefined
    : childNamed(now.value.properties.subnets, child);
  if (!subnet) return failed('not-found', 'ResourceNotFound', `${observed.id} is gone`);
  const body = JSON.stringify(writable({ ...subnet, properties: { ...subnet.properties, ...filtered(now.value.id) } }));
  const written = await client.run(
    call,
    ({ network }) => network.subnets.createOrUpdate(resourceGroup, vnet, child, {}, ifMatch(subnet.etag)),
    body,
  );
  return written.ok ? done : written;
}

async function remove({ id }: Removal<'subnet'>, { client }: Scope, call: Call): Promise<Result<void>> {
  const { resourceGroup, name, child } = partsOfId(id);
  const vnet = await lookup(
    networkOfSubnet(id),
    ({ network }) => network.virtualNetworks.get(resourceGroup, name),
    client,
    call,
  );
  if (!vnet.ok || !vnet.value) return vnet.ok ? done : vnet;
  if (!childNamed(vnet.value.subnets, child)) return done;
  const gone = await client.run(call, ({ network }) => network.subnets.delete(resourceGroup, name, child));
  return gone.ok || gone.failure.kind === 'not-found' ? done : gone;
}

/** `InUseSubnetCannotBeDeleted` names one of them: here are ten. */
async function usersOf(id: CloudId, { client }: Scope, call: Call): Promise<Result<readonly string[]>> {
  const { resourceGroup, name, child } = partsOfId(id);
  const answer = await client.ask(call, ({ network }) => network.subnets.get(resourceGroup, name, child));
  if (!answer.ok) return answer;
  const ids = (answer.value.ipConfigurations ?? []).flatMap((one) => one.id ?? []);
  return { ok: true, value: ids.slice(0, 10) };
}
