import type { GalleryImageVersion, ImageDeprecationStatus } from '@azure/arm-compute';
import type { Result } from '../../src/core/failure.ts';
import type { ImageFacts } from '../../src/core/observed.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { type FactAnswer, factsOfEach } from '../shared/image-facts.ts';
import { listWithRetries } from '../shared/listed-settings.ts';
import { storeTime } from '../shared/store-time.ts';
import type { Pages, Sdk } from './client.ts';
import { type ImagePlace, isLatest, placeOfImage } from './instance/image.ts';
import { everything } from './pages.ts';
import { canonicalLocation } from './place.ts';
import type { Scope } from './scope.ts';

/**
 * Facts of images, by one call for each, and one more where the version is the latest.
 *
 *   image of           | owner                   | verified              | deprecated                 | createdAt
 *   -------------------+-------------------------+-----------------------+----------------------------+---------------
 *   the marketplace    | the publisher           | one of `publishers`   | `imageDeprecationStatus`   | not reported
 *   a resource group   | the subscription        | no                    | no                         | not reported
 *   a gallery          | the subscription        | no                    | `endOfLifeDate` is over    | `publishedDate`
 *   a public gallery   | the name of the gallery | no                    | `endOfLifeDate` is over    | `publishedDate`
 *
 * https://learn.microsoft.com/rest/api/compute/virtual-machine-images/get, https://learn.microsoft.com/rest/api/compute/images/get,
 * https://learn.microsoft.com/rest/api/compute/gallery-image-versions/get,
 * https://learn.microsoft.com/rest/api/compute/community-gallery-image-versions/get
 */
export const imageFacts = (
  images: readonly string[],
  scope: Scope,
  call: Call,
): Promise<Pick<ImageFacts, 'read' | 'unread'>> => {
  const reading = { scope, call, now: storeTime(call, scope.clock).latest };
  const factOf = (image: string): Promise<FactAnswer> => factAt(placeOfImage(image), reading);
  return factsOfEach(images, { cloud: 'Azure', canonical: (image) => image.toLowerCase(), factOf }, call);
};

interface Reading {
  readonly scope: Scope;
  readonly call: Call;
  /** Ms since the epoch. */
  readonly now: number;
}

type In<P extends ImagePlace['in']> = ImagePlace & { readonly in: P };

async function factAt(place: ImagePlace | undefined, reading: Reading): Promise<FactAnswer> {
  switch (place?.in) {
    case undefined:
      return { reason: 'this is no id of an image' };
    case 'marketplace':
      return inMarketplace(place, reading);
    case 'group':
      return inGroup(place, reading);
    case 'gallery':
      return inGallery(place, reading);
    case 'community':
    case 'shared':
      return inPublicGallery(place, reading);
  }
}

async function inMarketplace(
  { publisher, offer, sku, version }: In<'marketplace'>,
  reading: Reading,
): Promise<FactAnswer> {
  const { location } = reading.scope;
  if (publisher === '' || offer === '' || sku === '')
    return { reason: 'this is neither publisher:offer:sku:version nor the id of an image' };
  // why: without `$top`, as Azure orders names as texts, in which 8.9 is above 8.10
  const versions = isLatest(version)
    ? await asked(reading, ({ compute }) => compute.virtualMachineImages.list(location, publisher, offer, sku))
    : [{ name: version }];
  const exact = highest(versions)?.name;
  if (exact === undefined) return { reason: `the marketplace has no version of it in ${location}` };
  const { imageDeprecationStatus: status } = await asked(reading, ({ compute }) =>
    compute.virtualMachineImages.get(location, publisher, offer, sku, exact),
  );
  const known = publishers.find((name) => name.toLowerCase() === publisher.toLowerCase());
  return {
    owner: known ?? publisher,
    verified: known !== undefined,
    deprecated: isDeprecated(status, reading.now),
  };
}

async function inGroup({ subscription, group, name }: In<'group'>, reading: Reading): Promise<FactAnswer> {
  const owner = ownerOf(subscription, reading);
  if (owner === undefined) return elsewhere(subscription);
  await asked(reading, ({ compute }) => compute.images.get(group, name));
  return { owner, verified: false, deprecated: false };
}

async function inGallery(place: In<'gallery'>, reading: Reading): Promise<FactAnswer> {
  const { subscription, group, gallery, name, version } = place;
  const owner = ownerOf(subscription, reading);
  if (owner === undefined) return elsewhere(subscription);
  if (!isLatest(version)) {
    const found = await asked(reading, ({ compute }) =>
      compute.galleryImageVersions.get(group, gallery, name, version),
    );
    return { owner, ...lifeOf(found.publishingProfile, reading) };
  }
  const versions = await all(reading, ({ compute }) =>
    compute.galleryImageVersions.listByGalleryImage(group, gallery, name),
  );
  const found = highest(versions.filter((each) => isCandidate(each, reading.scope.location)));
  return found === undefined ? noVersion(reading) : { owner, ...lifeOf(found.publishingProfile, reading) };
}

/** True where `latest` may stand for it in the location: https://learn.microsoft.com/azure/virtual-machines/azure-compute-gallery */
function isCandidate({ publishingProfile }: GalleryImageVersion, location: string): boolean {
  const { excludeFromLatest, targetRegions } = publishingProfile ?? {};
  if (excludeFromLatest === true) return false;
  if (targetRegions === undefined) return true;
  return targetRegions.some((one) => canonicalLocation(one.name) === location && one.excludeFromLatest !== true);
}

async function inPublicGallery(place: In<'community' | 'shared'>, reading: Reading): Promise<FactAnswer> {
  const { gallery, name, version } = place;
  const { location } = reading.scope;
  const isCommunity = place.in === 'community';
  if (!isLatest(version)) {
    const found = await asked<Life>(reading, ({ compute }) =>
      isCommunity
        ? compute.communityGalleryImageVersions.get(location, gallery, name, version)
        : compute.sharedGalleryImageVersions.get(location, gallery, name, version),
    );
    return { owner: gallery, ...lifeOf(found, reading) };
  }
  const versions = await all<Life & Named>(reading, ({ compute }) =>
    isCommunity
      ? compute.communityGalleryImageVersions.list(location, gallery, name)
      : compute.sharedGalleryImageVersions.list(location, gallery, name),
  );
  const found = highest(versions.filter(({ excludeFromLatest }) => excludeFromLatest !== true));
  return found === undefined ? noVersion(reading) : { owner: gallery, ...lifeOf(found, reading) };
}

interface Named {
  readonly name?: string;
}

interface Life {
  readonly publishedDate?: Date;
  readonly endOfLifeDate?: Date;
  readonly excludeFromLatest?: boolean;
}

function lifeOf(
  life: Life | undefined,
  reading: Reading,
): Omit<Exclude<FactAnswer, { readonly reason: string }>, 'owner'> {
  const createdAt = life?.publishedDate?.getTime();
  return {
    verified: false,
    deprecated: isOver(life?.endOfLifeDate, reading.now),
    ...(createdAt === undefined || Number.isNaN(createdAt) ? {} : { createdAt }),
  };
}

/** Its state, or the time that its publisher has set: nobody says how soon the state follows. */
export const isDeprecated = (status: ImageDeprecationStatus | undefined, now: number): boolean =>
  status?.imageState === 'Deprecated' || isOver(status?.scheduledDeprecationTime, now);

const isOver = (date: Date | undefined, now: number): boolean => date !== undefined && date.getTime() <= now;

/** The account as the target spells it; undefined: another one, where this client asks nobody. */
const ownerOf = (subscription: string, { scope: { account } }: Reading): string | undefined =>
  subscription.toLowerCase() === account.toLowerCase() ? account : undefined;

const elsewhere = (subscription: string): FactAnswer => ({
  reason: `the image is in the subscription ${subscription}, and Setpoint reads images of the target's own alone`,
});

const noVersion = ({ scope: { location } }: Reading): FactAnswer => ({
  reason: `the gallery has no version of it that is the latest in ${location}`,
});

const asked = <T>(reading: Reading, send: (sdk: Sdk) => Promise<T>): Promise<T> =>
  must(reading, () => reading.scope.client.ask(reading.call, send));

const all = <T>(reading: Reading, list: Pages<T>): Promise<readonly T[]> =>
  must(reading, () => everything(reading.scope, reading.call, list));

/** Throws `ListingFailed`, once asking again cannot help. */
async function must<T>({ scope, call }: Reading, ask: () => Promise<Result<T>>): Promise<T> {
  const got = async (): Promise<T> => {
    const answer = await ask();
    if (answer.ok) return answer.value;
    throw new ListingFailed(answer.failure.code, answer.failure.message, answer.failure);
  };
  const found = await listWithRetries(got, scope.clock, call);
  if (found instanceof ListingFailed) throw found;
  return found;
}

/** Versions are numbers between dots: https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage#terminology */
function highest<T extends Named>(versions: readonly T[]): T | undefined {
  return versions.toSorted((a, b) => compared(numbersIn(b), numbersIn(a)))[0];
}

const numbersIn = ({ name = '' }: Named): readonly number[] => name.split('.').map(Number);

function compared(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/**
 * Publishers of the marketplace that Microsoft vouches for, as no answer of its API says so: Microsoft's own, and those of the Linux
 * distributions that it endorses. Anybody may become another publisher. https://learn.microsoft.com/azure/virtual-machines/linux/endorsed-distros,
 * https://learn.microsoft.com/azure/virtual-machines/windows/cli-ps-findimage
 */
export const publishers: readonly string[] = [
  ...['MicrosoftCBLMariner', 'MicrosoftSQLServer', 'MicrosoftVisualStudio'],
  ...['MicrosoftWindowsDesktop', 'MicrosoftWindowsServer'],
  ...['almalinux', 'Canonical', 'Debian', 'kinvolk', 'Oracle', 'RedHat', 'SUSE'],
];
