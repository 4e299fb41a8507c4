import { refused } from '../errors.ts';
import { platformVersions } from '../images.ts';
import { type Asked, type Method, method, type Reply } from '../method.ts';
import { keyOf } from '../resource-id.ts';

const PLATFORM =
  '/providers/Microsoft.Compute/locations/{location}/publishers/{publisher}/artifacttypes/vmimage/offers/{offer}/skus/{sku}/versions';

const IN_GROUP = '/resourceGroups/{group}/providers/Microsoft.Compute';

/**
 * https://learn.microsoft.com/rest/api/compute/virtual-machine-images, https://learn.microsoft.com/rest/api/compute/images/get and
 * https://learn.microsoft.com/rest/api/compute/gallery-image-versions/get. The sandbox makes none: estates name them.
 */
export const imageMethods: readonly Method[] = [
  method({
    verb: 'GET',
    path: PLATFORM,
    action: 'virtualMachineImages.list',
    answer: (asked) => {
      const { publisher, offer, sku } = asked.parameters;
      const versions = platformVersions(publisher, offer, sku)?.versions;
      if (versions === undefined) throw notFound('ArtifactNotFound', `${publisher}:${offer}:${sku}`);
      const most = Number(asked.request.query['$top'] ?? versions.length);
      return { status: 200, body: versions.slice(0, most).map((version) => versionJson(asked, version)) };
    },
  }),
  method({
    verb: 'GET',
    path: `${PLATFORM}/{version}`,
    action: 'virtualMachineImages.get',
    answer: (asked) => {
      const { publisher, offer, sku, version } = asked.parameters;
      const image = platformVersions(publisher, offer, sku);
      if (!image?.versions.includes(version))
        throw notFound('PlatformImageNotFound', `${publisher}:${offer}:${sku}:${version}`);
      const { osType: operatingSystem, generation: hyperVGeneration } = image.disk;
      const properties = { osDiskImage: { operatingSystem }, hyperVGeneration };
      return { status: 200, body: { ...versionJson(asked, version), properties } };
    },
  }),
  ...[
    ['images.get', `${IN_GROUP}/images/{name}`],
    ['galleryImages.get', `${IN_GROUP}/galleries/{gallery}/images/{name}`],
    ['galleryImageVersions.get', `${IN_GROUP}/galleries/{gallery}/images/{image}/versions/{name}`],
  ].map(([action = '', path = '']) => method({ verb: 'GET', path, action, answer: known })),
];

const notFound = (code: string, what: string): Error =>
  refused(code, `The image '${what}' was not found.`, { status: 404, target: 'imageReference' });

function versionJson({ subscription, request, parameters }: Asked, version: string): object {
  const { location = '' } = parameters;
  const path = request.path.replace(/\/versions.*$/, '');
  return {
    id: `${path}/versions/${version}`.replace(/^.*(?=\/Providers)/i, `/Subscriptions/${subscription.id}`),
    location,
    name: version,
  };
}

/** Of an image of somebody's own no more is known than that it is there; so is a gallery's image with one of its versions. */
function known({ subscription, request }: Asked): Reply {
  const id = request.path.replace(/\/$/, '');
  const key = keyOf(id);
  const isThere = [...subscription.outside].some((each) => each === key || each.startsWith(`${key}/versions/`));
  if (!isThere) throw refused('ResourceNotFound', `The Resource '${id}' was not found.`, { status: 404 });
  return {
    status: 200,
    body: { id, name: id.slice(id.lastIndexOf('/') + 1), properties: { provisioningState: 'Succeeded' } },
  };
}
