import { refused } from '../errors.ts';
import { byVersion, isKnownImage, platformVersions } from '../images.ts';
import { type Asked, type Method, method, type Reply } from '../method.ts';
import { keyOf, nameOf } from '../resource-id.ts';
import type { PlatformVersion, StatedImage, Subscription } from '../subscription.ts';

const PLATFORM =
  '/providers/Microsoft.Compute/locations/{location}/publishers/{publisher}/artifacttypes/vmimage/offers/{offer}/skus/{sku}/versions';

const IN_GROUP = '/resourceGroups/{group}/providers/Microsoft.Compute';

const IN_LOCATION = '/providers/Microsoft.Compute/locations/{location}';

/**
 * https://learn.microsoft.com/rest/api/compute/virtual-machine-images, https://learn.microsoft.com/rest/api/compute/images/get,
 * https://learn.microsoft.com/rest/api/compute/gallery-image-versions, https://learn.microsoft.com/rest/api/compute/community-gallery-image-versions
 * and https://learn.microsoft.com/rest/api/compute/shared-gallery-image-versions. The sandbox makes none: estates name them.
 */
export const imageMethods: readonly Method[] = [
  method({
    verb: 'GET',
    path: PLATFORM,
    action: 'virtualMachineImages.list',
    answer: (asked) => {
      const { publisher, offer, sku } = asked.parameters;
      const versions = platformVersions(asked.subscription, { publisher, offer, sku })?.versions;
      if (versions === undefined) throw notFound('ArtifactNotFound', `${publisher}:${offer}:${sku}`);
      const { $top, $orderby = '' } = asked.request.query;
      // Names are texts: https://github.com/Azure/azure-rest-api-specs/issues/30142
      const named = /^name( asc)?$/i.test($orderby) ? versions.toSorted() : versions;
      const ordered = /^name desc$/i.test($orderby) ? versions.toSorted().toReversed() : named;
      const most = Number($top ?? versions.length);
      return { status: 200, body: ordered.slice(0, most).map((version) => versionJson(asked, version)) };
    },
  }),
  method({
    verb: 'GET',
    path: `${PLATFORM}/{version}`,
    action: 'virtualMachineImages.get',
    answer: (asked) => {
      const { publisher, offer, sku, version } = asked.parameters;
      const image = platformVersions(asked.subscription, { publisher, offer, sku });
      if (!image?.versions.includes(version))
        throw notFound('PlatformImageNotFound', `${publisher}:${offer}:${sku}:${version}`);
      const { osType: operatingSystem, generation: hyperVGeneration } = image.disk;
      const imageDeprecationStatus = deprecationJson(statedVersion(asked, { ...image, version }), asked.now);
      const properties = { osDiskImage: { operatingSystem }, hyperVGeneration, imageDeprecationStatus };
      return { status: 200, body: { ...versionJson(asked, version), properties } };
    },
  }),
  ...[
    ['images.get', `${IN_GROUP}/images/{name}`],
    ['galleryImages.get', `${IN_GROUP}/galleries/{gallery}/images/{name}`],
    ['galleryImageVersions.get', `${IN_GROUP}/galleries/{gallery}/images/{image}/versions/{name}`],
  ].map(([action = '', path = '']) => method({ verb: 'GET', path, action, answer: known })),
  method({
    verb: 'GET',
    path: `${IN_GROUP}/galleries/{gallery}/images/{image}/versions`,
    action: 'galleryImageVersions.listByGalleryImage',
    answer: (asked) => ({ status: 200, body: { value: versionsIn(asked, ownPath(asked)).map(galleryVersion) } }),
  }),
  ...(['communityGaller', 'sharedGaller'] as const).flatMap((gallery) => {
    const image = `${IN_LOCATION}/${gallery}ies/{gallery}/images/{image}` as const;
    return [
      method({ verb: 'GET', path: image, action: `${gallery}yImages.get`, answer: publicImage }),
      method({
        verb: 'GET',
        path: `${image}/versions`,
        action: `${gallery}yImageVersions.list`,
        answer: (asked) => ({
          status: 200,
          body: { value: versionsIn(asked, publicPath(asked)).map((each) => publicVersion(asked, each)) },
        }),
      }),
      method({
        verb: 'GET',
        path: `${image}/versions/{version}`,
        action: `${gallery}yImageVersions.get`,
        answer: (asked) => {
          const path = publicPath(asked);
          const found = asked.subscription.images.get(keyOf(path));
          if (found === undefined) throw noResource(path);
          return { status: 200, body: publicVersion(asked, found) };
        },
      }),
    ];
  }),
];

const notFound = (code: string, what: string): Error =>
  refused(code, `The image '${what}' was not found.`, { status: 404, target: 'imageReference' });

const noResource = (id: string): Error =>
  refused('ResourceNotFound', `The Resource '${id}' was not found.`, { status: 404 });

function versionJson({ subscription, request, parameters }: Asked, version: string): object {
  const { location = '' } = parameters;
  const path = request.path.replace(/\/versions.*$/, '');
  return {
    id: `${path}/versions/${version}`.replace(/^.*(?=\/Providers)/i, `/Subscriptions/${subscription.id}`),
    location,
    name: version,
  };
}

type Named = Omit<PlatformVersion, 'deprecation'>;

const statedVersion = ({ subscription }: { readonly subscription: Subscription }, named: Named) =>
  subscription.platformVersions.find((each) => versionKey(each) === versionKey(named));

const versionKey = ({ publisher, offer, sku, version }: Named): string =>
  [publisher, offer, sku, version].join(':').toLowerCase();

/** https://learn.microsoft.com/rest/api/compute/virtual-machine-images/get#imagedeprecationstatus */
function deprecationJson(stated: PlatformVersion | undefined, now: number): object {
  const { state = 'Active', scheduledAt } = stated?.deprecation ?? {};
  if (scheduledAt === undefined) return { imageState: state };
  return {
    imageState: scheduledAt <= now ? 'Deprecated' : state,
    scheduledDeprecationTime: new Date(scheduledAt).toISOString(),
  };
}

const ownPath = ({ request }: Asked): string => request.path.replace(/\/(?:versions)?\/?$/, '');

/** Of some images no more is known than that they are there; so is a gallery's image with one of its versions. */
function known(asked: Asked): Reply {
  const id = asked.request.path.replace(/\/$/, '');
  if (!isKnownImage(asked.subscription, id)) throw noResource(id);
  const stated = asked.subscription.images.get(keyOf(id));
  if (stated !== undefined && id.includes('/versions/')) return { status: 200, body: galleryVersion(stated) };
  return { status: 200, body: { id, name: nameOf(id), properties: { provisioningState: 'Succeeded' } } };
}

/** The versions of a gallery's image, the lowest first. */
function versionsIn({ subscription }: Asked, image: string): readonly StatedImage[] {
  if (!isKnownImage(subscription, image)) throw noResource(image);
  const beginning = `${keyOf(image)}/versions/`;
  return [...subscription.images]
    .filter(([key]) => key.startsWith(beginning))
    .map(([, each]) => each)
    .toSorted((a, b) => byVersion(nameOf(a.path), nameOf(b.path)));
}

const datesOf = ({ publishedAt, endOfLifeAt, excludedFromLatest }: StatedImage): object => ({
  publishedDate: new Date(publishedAt).toISOString(),
  ...(endOfLifeAt === undefined ? {} : { endOfLifeDate: new Date(endOfLifeAt).toISOString() }),
  excludeFromLatest: excludedFromLatest,
});

function galleryVersion(image: StatedImage): object {
  const regions = image.targetRegions?.map((name) => ({ name, regionalReplicaCount: 1, excludeFromLatest: false }));
  const publishingProfile = {
    ...datesOf(image),
    ...(regions === undefined ? {} : { targetRegions: regions }),
  };
  const properties = { publishingProfile, provisioningState: 'Succeeded' };
  return { id: image.path, name: nameOf(image.path), properties };
}

/** As an `imageReference` names it: `/CommunityGalleries/…`. */
const publicPath = ({ request }: Asked): string =>
  request.path.replace(/^.*?\/locations\/[^/]+/i, '').replace(/\/(?:versions)?\/?$/i, '');

function publicImage(asked: Asked): Reply {
  const path = publicPath(asked);
  if (!isKnownImage(asked.subscription, path)) throw noResource(path);
  return { status: 200, body: publicJson(asked, path, { osType: 'Linux', osState: 'Generalized' }) };
}

const publicVersion = (asked: Asked, image: StatedImage): object => publicJson(asked, image.path, datesOf(image));

const publicJson = ({ parameters }: Asked, path: string, properties: object): object => ({
  name: nameOf(path),
  location: parameters['location'],
  properties,
  identifier: { uniqueId: path },
});
