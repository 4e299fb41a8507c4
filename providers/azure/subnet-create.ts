import type { VirtualNetwork } from '@azure/arm-network';
import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { CloudId, SubnetSettings } from '../../src/core/resource.ts';
import type { Call, Creation } from '../../src/ports/provider.ts';
import { done, failed } from '../shared/answer.ts';
import { readBlocks } from './cidr-text.ts';
import { filterIdOf } from './filter.ts';
import { canonicalId, cloudIdOf, partsOfId } from './ids.ts';
import { childNamed, type RawChild, type RawResource, withChildren } from './raw.ts';
import { ifMatch, isAnother } from './retag.ts';
import type { Scope } from './scope.ts';
import { sinks } from './sinks.ts';
import { inTurn } from './turn.ts';

type Item = Creation<'subnet'>;

/**
 * Makes subnets of one VNet. A PUT of the VNet replaces its list of subnets, so it is sent only with all that a GET made for
 * it showed, as it showed them, and refused if that changed since (https://learn.microsoft.com/rest/api/virtualnetwork/virtual-networks/create-or-update).
 *
 *   the GET shows                            | a new subnet goes
 *   -----------------------------------------+---------------------------------------------
 *   none, or such as we make; several to make| with all others of the batch in one PUT of the VNet
 *   one that we would not make so, or no etag| by its own URL: the whole is never written
 *   one by this name, as we would make it    | nowhere: an earlier try made it
 *   one by this name, but otherwise          | nowhere: a conflict
 */
export async function createSubnets(
  items: readonly Item[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'subnet'>>[]> {
  const vnetId = items[0]?.desired.attributes.network ?? '';
  return inTurn(vnetId, scope, async () => {
    const { resourceGroup, name } = partsOfId(vnetId);
    const now = await scope.client.raw(call, ({ network }) => network.virtualNetworks.get(resourceGroup, name));
    if (!now.ok) return items.map(() => now);
    if (isAnother(vnetId, now.value.properties.resourceGuid))
      return items.map(() => failed('not-found', 'Replaced', `another network has the name of ${vnetId} now`));
    const results = new Map<Item, Result<void>>();
    for (const item of items) {
      const taken = existingOne(item, now.value);
      if (taken) results.set(item, taken);
    }
    const fresh = items.filter((item) => !results.has(item));
    for (const [item, result] of await write(fresh, now.value, scope, call)) results.set(item, result);
    return items.map((item) => {
      const result = results.get(item) ?? done;
      return result.ok ? { ok: true, value: made(item, now.value) } : result;
    });
  });
}

/** The properties of our subnets beside the block. Never Azure's own way out, which nobody asked for and no rule can close. */
export const filtered = (vnetId: CloudId): object => ({
  networkSecurityGroup: { id: filterIdOf(vnetId) },
  defaultOutboundAccess: false,
});

interface SubnetProperties {
  readonly addressPrefix?: string;
  readonly addressPrefixes?: readonly string[];
  readonly networkSecurityGroup?: { readonly id?: string };
  readonly defaultOutboundAccess?: boolean;
}

// why: an answer of ARM's own; all that is read of it is optional
const propertiesOf = ({ properties }: RawChild): SubnetProperties => (properties ?? {}) as SubnetProperties;

/** True if we would have created it so. It has no mark that could tell more. */
function looksOurs(subnet: RawChild, { id }: RawResource): boolean {
  const { networkSecurityGroup, defaultOutboundAccess } = propertiesOf(subnet);
  return canonicalId(networkSecurityGroup?.id ?? '') === canonicalId(filterIdOf(id)) && defaultOutboundAccess === false;
}

function existingOne({ desired }: Item, vnet: RawResource): Result<void> | undefined {
  const subnet = childNamed(vnet.properties.subnets, desired.name);
  if (!subnet) return undefined;
  const { addressPrefix, addressPrefixes } = propertiesOf(subnet);
  const blocks = readBlocks(addressPrefix, addressPrefixes);
  const same = [blocks.cidr, ...blocks.further].includes(readBlocks(desired.attributes.cidr, []).cidr);
  if (same && (desired.attributes.filter !== true || looksOurs(subnet, vnet))) return done;
  const message = `subnet ${desired.name} stands in ${vnet.id} already and was not created for this: adopt it, or choose another name`;
  return failed('conflict', 'NameTaken', message);
}

function jsonOf({ desired }: Item, { id }: RawResource): RawChild {
  const { cidr, filter } = desired.attributes;
  return { name: desired.name, properties: { addressPrefix: cidr, ...(filter === true ? filtered(id) : {}) } };
}

async function write(
  items: readonly Item[],
  vnet: RawResource,
  scope: Scope,
  call: Call,
): Promise<ReadonlyMap<Item, Result<void>>> {
  const present = vnet.properties.subnets ?? [];
  const inOneCall = items.length > 1 && vnet.etag !== undefined && present.every((subnet) => looksOurs(subnet, vnet));
  if (!inOneCall) return singly(items, vnet, scope, call);
  const whole = await writeWhole(items, vnet, scope, call);
  if (!whole.ok && sinks(whole.failure)) return singly(items, vnet, scope, call);
  return new Map(items.map((item) => [item, whole.ok ? done : whole]));
}

function writeWhole(
  items: readonly Item[],
  vnet: RawResource,
  { client }: Scope,
  call: Call,
): Promise<Result<VirtualNetwork>> {
  const { resourceGroup, name } = partsOfId(vnet.id);
  const subnets = [...(vnet.properties.subnets ?? []), ...items.map((item) => jsonOf(item, vnet))];
  return client.run(
    call,
    ({ network }) => network.virtualNetworks.createOrUpdate(resourceGroup, name, {}, ifMatch(vnet.etag)),
    withChildren(vnet, { subnets }),
  );
}

/** One after another, as Azure locks the VNet for each; and each takes its time, so a PUT follows a GET answered 404. */
async function singly(
  items: readonly Item[],
  vnet: RawResource,
  scope: Scope,
  call: Call,
): Promise<ReadonlyMap<Item, Result<void>>> {
  const results = new Map<Item, Result<void>>();
  for (const item of items) results.set(item, await makeOne(item, vnet, scope, call));
  return results;
}

async function makeOne(item: Item, vnet: RawResource, { client }: Scope, call: Call): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(vnet.id);
  const subnet = item.desired.name;
  const there = await client.raw(call, ({ network }) => network.subnets.get(resourceGroup, name, subnet));
  if (there.ok) {
    const subnets = [{ name: subnet, properties: there.value.properties }];
    return existingOne(item, { ...vnet, properties: { ...vnet.properties, subnets } }) ?? done;
  }
  if (there.failure.kind !== 'not-found') return there;
  const put = await client.run(
    call,
    ({ network }) => network.subnets.createOrUpdate(resourceGroup, name, subnet, {}),
    JSON.stringify(jsonOf(item, vnet)),
  );
  return put.ok ? done : put;
}

const plain: SubnetSettings = { secondaryCidrs: [], ipv6Cidrs: [], routes: [] };

/** As the listing will say it. */
function made({ desired }: Item, vnet: RawResource): Observed<'subnet'> {
  const { network, cidr, filter } = desired.attributes;
  return {
    kind: 'subnet',
    id: cloudIdOf(`${vnet.id}/subnets/${desired.name}`, vnet.properties.resourceGuid),
    name: desired.name,
    attributes: { network, cidr, filter: filter === true, settings: plain, labels: {} },
    signs: { parent: network },
    condition: { state: 'ready' },
  };
}
