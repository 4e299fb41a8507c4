import type { ImageReference } from '@azure/arm-compute';

/**
 * An image as a spec says it and as the API takes it. https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage
 *
 *   text                                | reference
 *   ------------------------------------+---------------------------------
 *   `publisher:offer:sku:version`       | its four words
 *   `/CommunityGalleries/…`             | `communityGalleryImageId`
 *   `/SharedGalleries/…`                | `sharedGalleryImageId`
 *   `/subscriptions/…`                  | `id`
 */
export function imageReferenceOf(image: string): ImageReference {
  if (/^\/communitygalleries\//i.test(image)) return { communityGalleryImageId: image };
  if (/^\/sharedgalleries\//i.test(image)) return { sharedGalleryImageId: image };
  if (image.startsWith('/')) return { id: image };
  const [publisher = '', offer = '', sku = '', version = 'latest'] = image.split(':');
  return { publisher, offer, sku, version };
}

/** `version`: `latest` where the text names none. */
export type ImagePlace =
  | {
      readonly in: 'marketplace';
      readonly publisher: string;
      readonly offer: string;
      readonly sku: string;
      readonly version: string;
    }
  | { readonly in: 'group'; readonly subscription: string; readonly group: string; readonly name: string }
  | ({ readonly in: 'gallery'; readonly subscription: string; readonly group: string } & InGallery)
  /** `gallery`: its public or unique name. */
  | ({ readonly in: 'community' | 'shared' } & InGallery);

interface InGallery {
  readonly gallery: string;
  readonly name: string;
  readonly version: string;
}

const ofGroup = /^\/subscriptions\/([^/]+)\/resourcegroups\/([^/]+)\/providers\/microsoft\.compute\/(.+)$/i;
const ofGallery = /^galleries\/([^/]+)\/images\/([^/]+)(?:\/versions\/([^/]+))?$/i;
const ofPublic = /^\/(community|shared)galleries\/([^/]+)\/images\/([^/]+)(?:\/versions\/([^/]+))?$/i;

/** Undefined: an id of nothing that Azure makes machines from. */
export function placeOfImage(image: string): ImagePlace | undefined {
  if (!image.startsWith('/')) {
    const [publisher = '', offer = '', sku = '', version = 'latest'] = image.split(':');
    return { in: 'marketplace', publisher, offer, sku, version };
  }
  const [, sort, shelf = '', shared = '', release = 'latest'] = ofPublic.exec(image) ?? [];
  if (sort !== undefined)
    return {
      in: sort.toLowerCase() === 'community' ? 'community' : 'shared',
      ...{ gallery: shelf, name: shared, version: release },
    };
  const [, subscription, group = '', rest = ''] = ofGroup.exec(image) ?? [];
  if (subscription === undefined) return undefined;
  const [, gallery, name = '', version = 'latest'] = ofGallery.exec(rest) ?? [];
  if (gallery !== undefined) return { in: 'gallery', subscription, group, gallery, name, version };
  const [, managed] = /^images\/([^/]+)$/i.exec(rest) ?? [];
  return managed === undefined ? undefined : { in: 'group', subscription, group, name: managed };
}

export const isLatest = (version: string): boolean => version.toLowerCase() === 'latest';

/** As it was asked for: what `latest` was at launch (`exactVersion`) is not compared. '' where a disk was attached. */
export function imageTextOf(reference: ImageReference | undefined): string {
  const { id, communityGalleryImageId, sharedGalleryImageId, publisher, offer, sku, version } = reference ?? {};
  const whole = communityGalleryImageId ?? sharedGalleryImageId ?? id;
  if (whole) return whole;
  return publisher ? [publisher, offer, sku, version ?? 'latest'].join(':') : '';
}
