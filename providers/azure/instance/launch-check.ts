import type { Failure, Result } from '../../../src/core/failure.ts';
import type { Call } from '../../../src/ports/actuator.ts';
import type { LaunchAnswer, LaunchQuestion } from '../../../src/ports/launch-check.ts';
import { firstObstacle, impossible, possible, unknown } from '../../pass/launch-answer.ts';
import type { Sdk } from '../client.ts';
import type { Scope } from '../scope.ts';
import { imageReferenceOf } from './image.ts';

/**
 * Whether Azure would make such a machine. It tells no count of free addresses.
 *
 *   asked                                            | impossible where
 *   -------------------------------------------------+------------------------------------------------------------
 *   the image, by the listing or GET of what it names| it is not there, or has no version
 *   ResourceSkus_List of the location                | the size is not listed, or is restricted for this subscription
 *
 * https://learn.microsoft.com/rest/api/compute/virtual-machine-images/get,
 * https://learn.microsoft.com/rest/api/compute/resource-skus/list
 */
export async function canLaunch({ image, size }: LaunchQuestion, scope: Scope, call: Call): Promise<LaunchAnswer> {
  return firstObstacle([
    async () => (image === undefined ? possible : imageAnswer(image, scope, call)),
    () => sizeAnswer(size, scope, call),
  ]);
}

async function imageAnswer(image: string, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const { client, known } = scope;
  const look = lookFor(image, scope);
  if (look === undefined || known.images.has(image)) return possible;
  const found = await client.ask(call, look);
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
  impossible(failure, `image ${image} is not there: correct the image, or share it with this subscription`);

/** https://learn.microsoft.com/azure/virtual-machines/error-codes */
const absences: ReadonlySet<string> = new Set([
  'PlatformImageNotFound',
  'ImageNotFound',
  'ArtifactNotFound',
  'GalleryImageNotFound',
]);
const isAbsent = ({ kind, code }: Failure): boolean => kind === 'not-found' || absences.has(code);

type Look = (sdk: Sdk) => Promise<unknown>;

const ownImage = /^\/subscriptions\/([^/]+)\/resourcegroups\/([^/]+)\/providers\/microsoft\.compute\/images\/([^/]+)$/i;
const galleryImage =
  /^\/subscriptions\/([^/]+)\/resourcegroups\/([^/]+)\/providers\/microsoft\.compute\/galleries\/([^/]+)\/images\/([^/]+)(?:\/versions\/([^/]+))?$/i;
const publicGallery = /^\/(communitygalleries|sharedgalleries)\/([^/]+)\/images\/([^/]+)/i;

/** Undefined: it is in another subscription, where this one asks nobody; the launch itself tells. */
function lookFor(image: string, { location, account }: Scope): Look | undefined {
  const reference = imageReferenceOf(image);
  const id = reference.id ?? reference.communityGalleryImageId ?? reference.sharedGalleryImageId;
  if (id === undefined) return marketplace(reference, location);
  const [, kind, gallery, shared] = publicGallery.exec(id) ?? [];
  if (kind !== undefined && gallery !== undefined && shared !== undefined)
    return ({ compute }) =>
      kind.toLowerCase() === 'communitygalleries'
        ? compute.communityGalleryImages.get(location, gallery, shared)
        : compute.sharedGalleryImages.get(location, gallery, shared);
  const isHere = (subscription: string): boolean => subscription.toLowerCase() === account.toLowerCase();
  const [, whose, group, name] = ownImage.exec(id) ?? [];
  if (whose !== undefined && group !== undefined && name !== undefined)
    return isHere(whose) ? ({ compute }) => compute.images.get(group, name) : undefined;
  const [, owner = '', place = '', shelf = '', definition = '', version] = galleryImage.exec(id) ?? [];
  if (!isHere(owner)) return undefined;
  if (version === undefined || version.toLowerCase() === 'latest')
    return ({ compute }) => compute.galleryImages.get(place, shelf, definition);
  return ({ compute }) => compute.galleryImageVersions.get(place, shelf, definition, version);
}

function marketplace(
  { publisher = '', offer = '', sku = '', version = 'latest' }: ReturnType<typeof imageReferenceOf>,
  location: string,
): Look {
  if (version.toLowerCase() !== 'latest')
    return ({ compute }) => compute.virtualMachineImages.get(location, publisher, offer, sku, version);
  return ({ compute }) => compute.virtualMachineImages.list(location, publisher, offer, sku, { top: 1 });
}

async function sizeAnswer(size: string, scope: Scope, call: Call): Promise<LaunchAnswer> {
  scope.known.sizes ??= offeredSizes(scope, call);
  const sizes = await scope.known.sizes;
  if (!sizes.ok) {
    delete scope.known.sizes;
    return unknown(sizes.failure);
  }
  const offer = sizes.value.get(size.toLowerCase());
  if (offer === 'free') return possible;
  const code = offer ?? 'SkuNotAvailable';
  const message = `ResourceSkus_List shows ${offer === undefined ? 'no such size' : `the restriction ${offer}`}.`;
  return impossible(
    { kind: 'terminal', code, message },
    `size ${size} is not offered in ${scope.location}: correct the size, or ask for access to it`,
  );
}

/** Sizes of the location with what keeps this subscription from them, asked for once a session: some megabytes. */
async function offeredSizes({ client, location }: Scope, call: Call): Promise<Result<ReadonlyMap<string, string>>> {
  const sizes = new Map<string, string>();
  const pages = client.sdk.compute.resourceSkus.list({ filter: `location eq '${location}'` }).byPage();
  for (;;) {
    const page = await client.ask(call, () => pages.next());
    if (!page.ok) return page;
    if (page.value.done) return { ok: true, value: sizes };
    for (const { resourceType, name, restrictions } of page.value.value) {
      if (resourceType !== 'virtualMachines' || name === undefined) continue;
      const restricted = restrictions?.find(({ type }) => type === 'Location');
      sizes.set(name.toLowerCase(), restricted ? (restricted.reasonCode ?? 'Restricted') : 'free');
    }
  }
}
