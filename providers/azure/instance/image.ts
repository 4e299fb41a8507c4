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

/** As it was asked for: what `latest` was at launch (`exactVersion`) is not compared. '' where a disk was attached. */
export function imageTextOf(reference: ImageReference | undefined): string {
  const { id, communityGalleryImageId, sharedGalleryImageId, publisher, offer, sku, version } = reference ?? {};
  const whole = communityGalleryImageId ?? sharedGalleryImageId ?? id;
  if (whole) return whole;
  return publisher ? [publisher, offer, sku, version ?? 'latest'].join(':') : '';
}
