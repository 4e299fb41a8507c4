import type { ResourceSku, Usage } from '@azure/arm-compute';
import type { VirtualNetworkUsage } from '@azure/arm-network';
import type { Failure, Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call, LaunchAnswer, LaunchQuestion } from '../../../src/ports/provider.ts';
import {
  firstObstacle,
  impossible,
  once,
  possible,
  type Quota,
  unknown,
  withAddress,
  withinQuotas,
} from '../../shared/launch-answer.ts';
import type { Sdk } from '../client.ts';
import { armIdOf, canonicalId, partsOfId } from '../ids.ts';
import { readMark } from '../marks.ts';
import { everything, listed } from '../pages.ts';
import type { OfferedSize, Scope } from '../scope.ts';
import { isLatest, placeOfImage } from './image.ts';
import { isPartOfMachine, machineNamedBy } from './parts.ts';

/**
 * Asks if Azure would create such a machine.
 *
 *   asked                                            | impossible where
 *   -------------------------------------------------+------------------------------------------------------------
 *   the image, by the listing or GET of what it names| it is not there, or has no version
 *   ResourceSkus_List of the location                | the size is not listed, or is restricted for this subscription
 *   VirtualNetworks_ListUsage                        | the machine needs room, and its subnet is full
 *   Usage_List of the location                       | the machine needs room, and machines or vCPUs, of its family or all, are used up
 *
 * A machine that was left half made holds its address already, and is to be finished in a full subnet too: where there is one,
 * the launch itself tells.
 *
 * https://learn.microsoft.com/rest/api/compute/virtual-machine-images/get,
 * https://learn.microsoft.com/rest/api/compute/resource-skus/list,
 * https://learn.microsoft.com/rest/api/virtualnetwork/virtual-networks/list-usage,
 * https://learn.microsoft.com/rest/api/compute/usage/list
 */
export async function canLaunch(question: LaunchQuestion, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const { image, size, subnet, needsRoom } = question;
  return firstObstacle([
    async () => (image === undefined ? possible : imageAnswer(image, scope, call)),
    () => sizeAnswer(size, scope, call),
    async () => (needsRoom && subnet !== undefined ? addressAnswer(subnet, scope, call) : possible),
    async () => (needsRoom ? quotaAnswer(size, scope, call) : possible),
  ]);
}

async function imageAnswer(image: string, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const { client, known } = scope;
  const lookup = lookupFor(image, scope);
  if (lookup === undefined || known.images.has(image)) return possible;
  const found = await client.ask(call, lookup);
  if (!found.ok) return isAbsent(found.failure) ? absent(image, found.failure) : unknown(found.failure);
  if (Array.isArray(found.value) && found.value.length === 0)
    return absent(image, {
      kind: 'terminal',
      code: 'NoVersion',
      message: 'VirtualMachineImages_List shows no version.',
    });
  known.images.add(image);
  return possible;
}

const absent = (image: string, failure: Failure): LaunchAnswer =>
  impossible(failure, `image ${image} does not exist: correct the image, or share it with this subscription`);

/** https://learn.microsoft.com/azure/virtual-machines/error-codes */
const absences: ReadonlySet<string> = new Set([
  'PlatformImageNotFound',
  'ImageNotFound',
  'ArtifactNotFound',
  'GalleryImageNotFound',
]);
const isAbsent = ({ kind, code }: Failure): boolean => kind === 'not-found' || absences.has(code);

type Lookup = (sdk: Sdk) => Promise<unknown>;

/** Undefined: it is in another subscription, where this one asks nobody; the launch itself tells. */
function lookupFor(image: string, { location, account }: Scope): Lookup | undefined {
  const place = placeOfImage(image);
  const isElsewhere = (subscription: string): boolean => subscription.toLowerCase() !== account.toLowerCase();
  switch (place?.in) {
    case undefined:
      return undefined;
    case 'marketplace': {
      const { publisher, offer, sku, version } = place;
      if (!isLatest(version))
        return ({ compute }) => compute.virtualMachineImages.get(location, publisher, offer, sku, version);
      return ({ compute }) => compute.virtualMachineImages.list(location, publisher, offer, sku, { top: 1 });
    }
    case 'community':
      return ({ compute }) => compute.communityGalleryImages.get(location, place.gallery, place.name);
    case 'shared':
      return ({ compute }) => compute.sharedGalleryImages.get(location, place.gallery, place.name);
    case 'group':
      if (isElsewhere(place.subscription)) return undefined;
      return ({ compute }) => compute.images.get(place.group, place.name);
    case 'gallery': {
      const { subscription, group, gallery, name, version } = place;
      if (isElsewhere(subscription)) return undefined;
      if (isLatest(version)) return ({ compute }) => compute.galleryImages.get(group, gallery, name);
      return ({ compute }) => compute.galleryImageVersions.get(group, gallery, name, version);
    }
  }
}

async function sizeAnswer(size: string, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const sizes = await sizesOf(scope, call);
  if (!sizes.ok) return unknown(sizes.failure);
  const offer = sizes.value.get(size.toLowerCase());
  if (offer !== undefined && offer.restricted === undefined) return possible;
  const code = offer?.restricted ?? 'SkuNotAvailable';
  const message = `ResourceSkus_List shows ${offer === undefined ? 'no such size' : `the restriction ${code}`}.`;
  return impossible(
    { kind: 'terminal', code, message },
    `size ${size} is not offered in ${scope.location}: correct the size, or ask for access to it`,
  );
}

/** Some megabytes. */
const sizesOf = (scope: Scope, call: Call): Promise<Result<ReadonlyMap<string, OfferedSize>>> =>
  once(scope.known.sizes, scope.location, async () => {
    const filter = `location eq '${scope.location}'`;
    const skus = await everything(scope, call, ({ compute }) => compute.resourceSkus.list({ filter }));
    if (!skus.ok) return skus;
    const machines = skus.value.filter(({ resourceType }) => resourceType === 'virtualMachines');
    return { ok: true, value: new Map(machines.map((sku) => [sku.name?.toLowerCase() ?? '', offered(sku)])) };
  });

function offered({ family, capabilities, restrictions }: ResourceSku): OfferedSize {
  const restricted = restrictions?.find(({ type }) => type === 'Location');
  const cores = Number(capabilities?.find(({ name }) => name === 'vCPUs')?.value);
  return {
    family,
    cores: Number.isFinite(cores) ? cores : undefined,
    ...(restricted ? { restricted: restricted.reasonCode ?? 'Restricted' } : {}),
  };
}

async function addressAnswer(subnet: CloudId, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const { resourceGroup, name: network, child } = partsOfId(subnet);
  const free = await once(scope.known.free, `${resourceGroup}/${network}`.toLowerCase(), async () => {
    const usages = await everything(scope, call, (sdk) =>
      sdk.network.virtualNetworks.listUsage(resourceGroup, network),
    );
    return usages.ok ? { ok: true, value: new Map(usages.value.flatMap(freeIn)) } : usages;
  });
  if (!free.ok) return unknown(free.failure);
  const answer = withAddress(free.value.get(child.toLowerCase()), child);
  if (answer.as === 'possible') return answer;
  const held = await halfMadeSubnets(scope, call);
  if (!held.ok) return unknown(held.failure);
  return held.value.has(canonicalId(armIdOf(subnet))) ? possible : answer;
}

/** Azure answers -1 where it does not count: for the subnet of a gateway. */
function freeIn({
  id = '',
  currentValue = -1,
  limit = -1,
}: VirtualNetworkUsage): readonly (readonly [string, number])[] {
  return currentValue < 0 || limit < 0 ? [] : [[partsOfId(id).child.toLowerCase(), limit - currentValue]];
}

/** Subnets where an interface that was made for a machine of anybody's store waits for it. */
const halfMadeSubnets = (scope: Scope, call: Call): Promise<Result<ReadonlySet<string>>> =>
  once(scope.known.halfMadeIn, scope.location, async () => {
    const nics = await listed(scope.listings.machines.interfaces('instance', call));
    if (!nics.ok) return nics;
    const waiting = nics.value.filter(
      ({ name = '', tags, virtualMachine }) =>
        virtualMachine === undefined &&
        machineNamedBy('network-interface', name) !== undefined &&
        isPartOfMachine(readMark(tags), tags, 'network-interface'),
    );
    const subnets = waiting.flatMap(({ ipConfigurations = [] }) =>
      ipConfigurations.map(({ subnet }) => subnet?.id ?? ''),
    );
    return { ok: true, value: new Set(subnets.map(canonicalId)) };
  });

async function quotaAnswer(size: string, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const { known, location } = scope;
  const quotas = await once(known.quotas, location, async () => {
    const usages = await everything(scope, call, ({ compute }) => compute.usage.list(location));
    return usages.ok ? { ok: true, value: new Map(usages.value.map(quotaOf)) } : usages;
  });
  if (!quotas.ok) return unknown(quotas.failure);
  const sizes = await sizesOf(scope, call);
  const { family = '', cores = 0 } = (sizes.ok ? sizes.value.get(size.toLowerCase()) : undefined) ?? {};
  const needs = new Map([
    ['virtualmachines', 1],
    ['cores', cores],
    [family.toLowerCase(), cores],
  ]);
  return withinQuotas(quotas.value, needs, location);
}

/** Azure spells families in several cases: https://learn.microsoft.com/azure/virtual-machines/quotas */
const quotaOf = ({ name, currentValue, limit }: Usage): readonly [string, Quota] => [
  (name.value ?? '').toLowerCase(),
  { name: name.value ?? '', limit, used: currentValue },
];
