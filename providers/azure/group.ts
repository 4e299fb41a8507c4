import type { ApplicationSecurityGroup, VirtualNetwork } from '@azure/arm-network';
import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import { type CloudId, slotOf } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { done } from '../shared/answer.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { mapInTurns } from '../shared/turns.ts';
import type { Sdk } from './client.ts';
import { stateOf } from './condition.ts';
import { createNamed } from './create-named.ts';
import { cloudIdOf, guidOf, partsOfId } from './ids.ts';
import { lookup } from './lookup.ts';
import { markTags, readExtra, readMark } from './marks.ts';
import { networkAddressOf } from './network-address.ts';
import { originOf } from './origin.ts';
import { listed } from './pages.ts';
import { placeOf, prefixAt } from './place.ts';
import { retag, type Taggable, unsupported } from './retag.ts';
import type { Scope } from './scope.ts';
import { readLabels, type Tags } from './tags.ts';

/** Groups are application security groups. The rules that name them are a kind of their own. */
export function groupActuator(scope: Scope): Actuator<'group'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => each(batch, (item) => create(item, scope, call)),
    update: (batch, call) => each(batch, (item) => update(item, scope, call)),
    delete: (batch, call) => each(batch, (item) => remove(item, scope, call)),
  };
}

async function* list({ listings }: Scope, call: Call): AsyncGenerator<readonly Observed<'group'>[]> {
  const [asgs, vnets] = await awaitAll([listings.asgs('group', call), listings.vnets('group', call)]);
  const networkOf = networksOf(vnets);
  yield await mapInTurns(asgs, (asg) => observe(asg, networkOf));
}

type NetworkOf = (tags: Tags | undefined) => CloudId;

function observe(asg: ApplicationSecurityGroup, networkOf: NetworkOf): Observed<'group'> {
  const { id = '', name = '', location = '', tags } = asg;
  const mark = readMark(tags);
  const origin = mark ? undefined : originOf(id, tags);
  return {
    kind: 'group',
    id: cloudIdOf(id, asg.resourceGuid),
    name,
    attributes: { network: networkOf(tags), labels: readLabels(tags) },
    signs: {
      ...(mark ? { mark } : {}),
      slot: slotOf(prefixAt(id, location), 'group', name),
      ...(origin ? { origin } : {}),
    },
    condition: { state: stateOf(asg.provisioningState) },
  };
}

/**
 * An application security group is of no network until a machine is in it; ours say of which they are. First by the address,
 * as a network that was lost and made again has another number; then by the number, as one that is renamed has another
 * address for a while. '' where neither stands, or nobody said.
 */
function networksOf(vnets: readonly VirtualNetwork[]): NetworkOf {
  const byAddress = new Map<string, readonly CloudId[]>();
  const byGuid = new Map<string, CloudId>();
  for (const { id = '', tags, resourceGuid } of vnets) {
    const mark = readMark(tags);
    const key = `${mark?.estate} ${mark?.address}`;
    if (mark) byAddress.set(key, [...(byAddress.get(key) ?? []), cloudIdOf(id, resourceGuid)]);
    if (resourceGuid) byGuid.set(resourceGuid.toLowerCase(), cloudIdOf(id, resourceGuid));
  }
  return (tags) => {
    const mark = readMark(tags);
    const { estate, address } = mark ?? {};
    const network = address === undefined ? undefined : networkAddressOf(address, 'group');
    const addressed = network === undefined ? [] : (byAddress.get(`${estate} ${network}`) ?? []);
    const numbered = byGuid.get(readExtra(tags, 'network') ?? '');
    // why: a copy bears the same address
    if (numbered !== undefined && addressed.includes(numbered)) return numbered;
    return addressed.at(-1) ?? numbered ?? '';
  };
}

async function read(
  ids: readonly CloudId[],
  { client, listings }: Scope,
  call: Call,
): Promise<readonly Result<Observed<'group'> | undefined>[]> {
  const found = await each(ids, (id) => lookup(id, asgAt(id).get, client, call));
  if (!found.some((result) => result.ok && result.value)) return found.map((result) => (result.ok ? nothing : result));
  const vnets = await listed(listings.vnets('group', call));
  return found.map((result) => {
    if (!result.ok || !result.value) return result.ok ? nothing : result;
    return vnets.ok ? { ok: true, value: observe(result.value, networksOf(vnets.value)) } : vnets;
  });
}

const nothing = { ok: true, value: undefined } as const;

interface AsgAt extends Taggable {
  get(sdk: Sdk): Promise<ApplicationSecurityGroup>;
}

function asgAt(id: CloudId): AsgAt {
  const { resourceGroup, name } = partsOfId(id);
  return {
    get: ({ network }) => network.applicationSecurityGroups.get(resourceGroup, name),
    patch: ({ network }, tags, options) =>
      network.applicationSecurityGroups.updateTags(resourceGroup, name, { tags }, options),
  };
}

async function create(
  { mark, desired }: Creation<'group'>,
  scope: Scope,
  call: Call,
): Promise<Result<Observed<'group'>>> {
  const place = placeOf(desired.address, 'group');
  const { network: vnet, labels } = desired.attributes;
  const tags = { ...labels, ...markTags(mark, ofNetwork(vnet)) };
  const { resourceGroup, location } = place;
  const made = await createNamed<ApplicationSecurityGroup>(
    {
      place,
      what: `application security group ${desired.name}`,
      mark,
      get: ({ network }) => network.applicationSecurityGroups.get(resourceGroup, desired.name),
      put: ({ network }) =>
        network.applicationSecurityGroups.createOrUpdate(resourceGroup, desired.name, { location, tags }),
    },
    scope,
    call,
  );
  return made.ok ? { ok: true, value: observe(made.value, () => vnet) } : made;
}

const ofNetwork = (vnet: CloudId): { readonly network?: string } => {
  const network = guidOf(vnet);
  return network === undefined ? {} : { network };
};

async function update(
  { desired, observed, changes, mark }: Revision<'group'>,
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const failure = unsupported(changes, ['labels']);
  if (failure) return { ok: false, failure };
  const extra = ofNetwork(desired.attributes.network);
  return retag({ observed, changes, mark, extra }, asgAt(observed.id), client, call);
}

/** Azure refuses while a machine or a rule names it. */
async function remove({ id }: Removal<'group'>, { client }: Scope, call: Call): Promise<Result<void>> {
  const now = await lookup(id, asgAt(id).get, client, call);
  if (!now.ok || !now.value) return now.ok ? done : now;
  const { resourceGroup, name } = partsOfId(id);
  const gone = await client.run(call, ({ network }) => network.applicationSecurityGroups.delete(resourceGroup, name));
  return gone.ok || gone.failure.kind === 'not-found' ? done : gone;
}
