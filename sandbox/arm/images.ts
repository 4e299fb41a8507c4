import { refused } from './errors.ts';
import type { ImageReference, Kept } from './records.ts';
import { keyOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

/** One image that every location offers. */
export interface PlatformImage {
  readonly publisher: string;
  readonly offer: string;
  readonly sku: string;
  /** Oldest first. */
  readonly versions: readonly string[];
  readonly disk: { readonly osType: 'Linux' | 'Windows'; readonly size: number; readonly generation: 'V1' | 'V2' };
}

const LINUX = { osType: 'Linux', size: 30, generation: 'V2' } as const;

/** Names from https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage and Canonical's and Debian's own pages. */
const PLATFORM: readonly PlatformImage[] = [
  {
    publisher: 'Canonical',
    offer: 'ubuntu-24_04-lts',
    sku: 'server',
    versions: ['24.04.202507030', '24.04.202510010'],
    disk: LINUX,
  },
  {
    publisher: 'Canonical',
    offer: '0001-com-ubuntu-server-jammy',
    sku: '22_04-lts-gen2',
    versions: ['22.04.202506200', '22.04.202509080'],
    disk: LINUX,
  },
  {
    publisher: 'Canonical',
    offer: '0001-com-ubuntu-server-jammy',
    sku: '22_04-lts',
    versions: ['22.04.202509080'],
    disk: { ...LINUX, generation: 'V1' },
  },
  {
    publisher: 'Debian',
    offer: 'debian-12',
    sku: '12-gen2',
    versions: ['0.20250703.2162', '0.20251006.2257'],
    disk: LINUX,
  },
  {
    publisher: 'RedHat',
    offer: 'RHEL',
    sku: '9-lvm-gen2',
    versions: ['9.4.2025040316'],
    disk: { ...LINUX, size: 64 },
  },
  {
    publisher: 'MicrosoftWindowsServer',
    offer: 'WindowsServer',
    sku: '2022-datacenter-azure-edition',
    versions: ['20348.4171.250903'],
    disk: { osType: 'Windows', size: 127, generation: 'V2' },
  },
];

interface Name {
  readonly publisher: string;
  readonly offer: string;
  readonly sku: string;
}

const nameKey = ({ publisher, offer, sku }: Name): string => [publisher, offer, sku].join(':').toLowerCase();

/** Versions of a platform image, oldest first; undefined: no location offers such an image. */
export function platformVersions({ platformVersions: stated }: Subscription, name: Name): PlatformImage | undefined {
  const wanted = nameKey(name);
  const known = PLATFORM.find((each) => nameKey(each) === wanted);
  const further = stated.filter((each) => nameKey(each) === wanted);
  const [first] = further;
  if (first === undefined) return known;
  const { publisher, offer, sku, disk } = known ?? { ...first, disk: LINUX };
  const versions = new Set([...(known?.versions ?? []), ...further.map(({ version }) => version)]);
  return { publisher, offer, sku, disk, versions: [...versions].toSorted(byVersion) };
}

/** Versions are numbers between dots: https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage#terminology */
export function byVersion(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = left?.findIndex((part, index) => part !== right?.[index]) ?? -1;
  return at === -1 ? 0 : (left?.[at] ?? 0) - (right?.[at] ?? 0);
}

/** The image of a machine. */
export interface Source {
  readonly reference: ImageReference;
  /** The id that its OS disk remembers. */
  readonly imageId: string;
  readonly size: number;
  readonly generation: 'V1' | 'V2';
}

interface Where {
  readonly subscription: Subscription;
  readonly location: string;
}

/** Finds what an `imageReference` names: by id, or by publisher, offer, sku and version. */
export function sourceOf({ subscription, location }: Where, written: Kept): Source {
  const id = ['id', 'communityGalleryImageId', 'sharedGalleryImageId'].map((field) => written[field]).find(isText);
  if (id !== undefined) return ownImage(subscription, written, id);
  const part = (name: string): string => String(written[name] ?? '');
  const [publisher = '', offer = '', sku = '', version = ''] = ['publisher', 'offer', 'sku', 'version'].map(part);
  const image = platformVersions(subscription, { publisher, offer, sku });
  const exactVersion =
    version.toLowerCase() === 'latest' ? image?.versions.at(-1) : image?.versions.find((each) => each === version);
  if (!image || exactVersion === undefined) throw notOffered([publisher, offer, sku, version].join(':'));
  return {
    reference: { written, exactVersion, osType: image.disk.osType },
    imageId: `/Subscriptions/${subscription.id}/Providers/Microsoft.Compute/Locations/${location}/Publishers/${image.publisher}/ArtifactTypes/VMImage/Offers/${image.offer}/Skus/${image.sku}/Versions/${exactVersion}`,
    size: image.disk.size,
    generation: image.disk.generation,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Images of somebody's own, versions in galleries, and the images that have such versions. */
export function isKnownImage({ outside, images }: Subscription, id: string): boolean {
  const key = keyOf(id).replace(/\/versions\/latest$/, '');
  return [...outside, ...images.keys()].some((each) => each === key || each.startsWith(`${key}/versions/`));
}

/** An image of somebody's own, or of a gallery: the estate names them. */
function ownImage(subscription: Subscription, written: Kept, id: string): Source {
  if (!isKnownImage(subscription, id))
    throw refused('NotFound', `The Image '${id}' cannot be found.`, { target: 'imageReference' });
  return {
    reference: { written, exactVersion: undefined, osType: 'Linux' },
    imageId: id,
    size: LINUX.size,
    generation: LINUX.generation,
  };
}

/** https://github.com/hashicorp/packer/issues/10600 */
function notOffered(urn: string): Error {
  return refused(
    'PlatformImageNotFound',
    `The platform image '${urn}' is not available. Verify that all fields in the storage profile are correct. For more details about storage profile information, please refer to https://aka.ms/storageprofile`,
    { status: 404, target: 'imageReference' },
  );
}
