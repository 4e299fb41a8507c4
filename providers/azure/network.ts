import type { NetworkSecurityGroup, VirtualNetwork } from '@azure/arm-network';
import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import { type CloudId, slotOf } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { afterCreation } from '../shared/after-creation.ts';
import { done, failed } from '../shared/answer.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { mapInTurns } from '../shared/turns.ts';
import { furtherOf, readBlocks } from './cidr-text.ts';
import type { Sdk } from './client.ts';
import { stateOf } from './condition.ts';
import { createNamed } from './create-named.ts';
import { ensureFilter, filterIdOf, markFilter, removeFilter } from './filter.ts';
import { canonicalId, cloudIdOf, partsOfId } from './ids.ts';
import { inexpressibleOf } from './inexpressible.ts';
import { lookup } from './lookup.ts';
import { markTags, readMark } from './marks.ts';
import { networkSettingsOf } from './network-settings.ts';
import { originOf } from './origin.ts';
import { filterPart, isNearPartOf } from './part.ts';
import { placeOf, prefixAt } from './place.ts';
import { ifMatch, retag, type Taggable, unsupported } from './retag.ts';
import type { Scope } from './scope.ts';
import { checkFilters } from './short-listing.ts';
import { readLabels } from './tags.ts';
import { inTurn } from './turn.ts';

/** Networks are VNets; their part is the NSG that filters them: filter.ts. */
export function networkActuator(scope: Scope): Actuator<'network'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => each(ids, (id) => read(id, scope, call)),
    create: (batch, call) => each(batch, (item) => create(item, scope, call)),
    update: (batch, call) => each(batch, (item) => inTurn(item.observed.id, scope, () => update(item, scope, call))),
    delete: (batch, call) => each(batch, (item) => inTurn(item.id, scope, () => remove(item, scope, call))),
  };
}

async function* list({ listings }: Scope, call: Call): AsyncGenerator<readonly Observed<'network'>[]> {
  const [vnets, nsgs] = await awaitAll([listings.vnets('network', call), listings.nsgs('network', call)]);
  checkFilters(vnets, nsgs);
  const byId = new Map(nsgs.map((nsg) => [canonicalId(nsg.id ?? ''), nsg]));
  yield await mapInTurns(vnets, (vnet) => observeVnet(vnet, byId.get(canonicalId(filterIdOf(vnet.id ?? '')))));
}

/** `filter`: the NSG by the name of this network's own, whoever made it. */
export function observeVnet(vnet: VirtualNetwork, filter: NetworkSecurityGroup | undefined): Observed<'network'> {
  const { id = '', name = '', location = '', tags } = vnet;
  const mark = readMark(tags);
  const origin = mark ? undefined : originOf(id, tags);
  const blocks = readBlocks(undefined, vnet.addressSpace?.addressPrefixes);
  const own = filter && isNearPartOf(mark, filter.tags, filterPart);
  return {
    kind: 'network',
    id: cloudIdOf(id, vnet.resourceGuid),
    name,
    attributes: {
      cidr: blocks.cidr,
      filter: filter !== undefined,
      settings: networkSettingsOf(vnet, blocks),
      labels: readLabels(tags),
    },
    signs: {
      ...(mark ? { mark } : {}),
      slot: slotOf(prefixAt(id, location), 'network', name),
      ...(origin ? { origin } : {}),
    },
    condition: {
      state: stateOf(vnet.provisioningState),
      ...(own ? { parts: [{ part: filterPart, id: cloudIdOf(filter.id ?? '', filter.resourceGuid) }] } : {}),
      ...(mark && !filter ? { missing: [filterPart] } : {}),
      ...furtherOf(blocks),
      ...inexpressibleOf.network(vnet),
      empty: (vnet.subnets ?? []).length === 0,
    },
  };
}

async function read(id: CloudId, { client }: Scope, call: Call): Promise<Result<Observed<'network'> | undefined>> {
  const found = await lookup(id, vnetAt(id).get, client, call);
  if (!found.ok || !found.value) return found.ok ? { ok: true, value: undefined } : found;
  const { resourceGroup, name } = partsOfId(filterIdOf(id));
  const filter = await lookup(
    filterIdOf(id),
    ({ network }) => network.networkSecurityGroups.get(resourceGroup, name),
    client,
    call,
  );
  return filter.ok ? { ok: true, value: observeVnet(found.value, filter.value) } : filter;
}

interface VnetAt extends Taggable {
  get(sdk: Sdk): Promise<VirtualNetwork>;
}

function vnetAt(id: CloudId): VnetAt {
  const { resourceGroup, name } = partsOfId(id);
  return {
    get: ({ network }) => network.virtualNetworks.get(resourceGroup, name),
    patch: ({ network }, tags, options) => network.virtualNetworks.updateTags(resourceGroup, name, { tags }, options),
  };
}

/** Once the VNet stands the answer is the VNet, with or without its filter; the next reconcile finishes it. */
async function create(
  { mark, desired }: Creation<'network'>,
  scope: Scope,
  call: Call,
): Promise<Result<Observed<'network'>>> {
  const place = placeOf(desired.address, 'network');
  const { cidr = '', filter, labels } = desired.attributes;
  const { resourceGroup, location } = place;
  const asked = { location, tags: { ...labels, ...markTags(mark) }, addressSpace: { addressPrefixes: [cidr] } };
  const made = await createNamed<VirtualNetwork>(
    {
      place,
      what: `virtual network ${desired.name}`,
      mark,
      get: ({ network }) => network.virtualNetworks.get(resourceGroup, desired.name),
      put: ({ network }) => network.virtualNetworks.createOrUpdate(resourceGroup, desired.name, asked),
    },
    scope,
    call,
  );
  if (!made.ok) return made;
  const vnetId = made.value.id ?? '';
  if (filter !== true) return { ok: true, value: observeVnet(made.value, undefined) };
  const filtered = await afterCreation(ensureFilter({ vnetId, owner: mark, location }, scope, call), notYet);
  return { ok: true, value: observeVnet(made.value, filtered.ok ? filtered.value : undefined) };
}

const notYet = failed('conflict', 'NotSent', 'the reconcile stopped before Setpoint sent this');

async function update(
  { desired, observed, changes, mark }: Revision<'network'>,
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  const failure = unsupported(changes, ['filter', 'labels']);
  if (failure) return { ok: false, failure };
  const before = observed.signs.mark;
  const vnetId = observed.id;
  const marked = mark ? await markFilter({ vnetId, before, mark }, scope, call) : done;
  if (!marked.ok) return marked;
  const tagged = await retag({ observed, changes, mark }, vnetAt(vnetId), scope.client, call);
  if (!tagged.ok || !changes.some(({ field }) => field === 'filter')) return tagged;
  const owner = mark ?? before;
  if (!owner) return failed('conflict', 'Unmarked', `${vnetId} has no mark for its filter`);
  const { location } = placeOf(desired.address, 'network');
  const filtered = await ensureFilter({ vnetId, owner, location }, scope, call);
  return filtered.ok ? done : filtered;
}

/**
 * Azure deletes a VNet with its subnets, whoever made them, so it is looked into first: one that holds any stays, and stays
 * whole. The filter goes before, so that what is left after a failure still hangs on a network that is listed.
 */
async function remove({ id, observed }: Removal<'network'>, scope: Scope, call: Call): Promise<Result<void>> {
  const { client } = scope;
  const now = await lookup(id, vnetAt(id).get, client, call);
  if (!now.ok) return now;
  const inside = now.value?.subnets ?? [];
  if (inside.length > 0) {
    const names = inside.slice(0, 5).map(({ name }) => name);
    return failed('conflict', 'InUse', `${id} still holds subnets: ${names.join(', ')}`);
  }
  const part = observed.condition.parts?.find((each) => each.part === filterPart);
  const freed = await removeFilter({ vnetId: id, owner: observed.signs.mark, id: part?.id }, scope, call);
  if (!freed.ok || !now.value) return freed;
  const { resourceGroup, name } = partsOfId(id);
  const { etag } = now.value;
  const gone = await client.run(call, ({ network }) =>
    network.virtualNetworks.delete(resourceGroup, name, ifMatch(etag)),
  );
  return gone.ok || gone.failure.kind === 'not-found' ? done : gone;
}
