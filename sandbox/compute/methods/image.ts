import { notFound } from '../errors.ts';
import { type Deprecation, type Image, newestOf } from '../images.ts';
import { globalList, seenIn } from '../listing.ts';
import { get, list, type Method } from '../method.ts';
import { BASE, pathTo } from '../place.ts';
import type { Json } from '../records.ts';
import { fingerprint, timestamp } from '../resource.ts';

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/images. The sandbox makes none: estates bring them. */
export const imageMethods: readonly Method[] = [
  get({
    id: 'compute.images.get',
    path: 'global/images/{image}',
    run: ({ project }, { at }) => {
      const id = `global/images/${at['image']}`;
      const image = project.images.see(id);
      if (!image) throw notFound(pathTo(project, id));
      return imageJson(image);
    },
  }),
  get({
    id: 'compute.images.getFromFamily',
    path: 'global/images/family/{family}',
    run: ({ project }, { at }) => {
      const image = newestOf(seenIn(project.images), at['family'] ?? '');
      if (!image) throw notFound(pathTo(project, `global/images/family/${at['family']}`));
      return imageJson(image);
    },
  }),
  list({
    id: 'compute.images.list',
    path: 'global/images',
    run: globalList(
      'image',
      ({ images }) => images,
      (_, image) => imageJson(image),
    ),
  }),
];

const deprecationJson = ({ state, replacement }: Deprecation, link: (image: string) => string): Json =>
  replacement === undefined ? { state } : { state, replacement: link(replacement) };

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/images */
function imageJson({ number, name, createdAt, description, project, content, metadata }: Image): Json {
  const { family, labels, deprecated } = metadata;
  const link = (image: string): string => `${BASE}projects/${project}/global/images/${image}`;
  return {
    kind: 'compute#image',
    id: number,
    creationTimestamp: timestamp(createdAt),
    name,
    ...(description === undefined ? {} : { description }),
    sourceType: 'RAW',
    ...(deprecated === undefined ? {} : { deprecated: deprecationJson(deprecated, link) }),
    status: 'READY',
    diskSizeGb: String(content.diskSizeGb),
    ...(content.licenses.length > 0 ? { licenses: content.licenses.map((license) => `${BASE}${license}`) } : {}),
    ...(family === undefined ? {} : { family }),
    selfLink: link(name),
    ...(labels.size > 0 ? { labels: Object.fromEntries(labels) } : {}),
    labelFingerprint: fingerprint(labels),
    architecture: content.architecture,
    enableConfidentialCompute: false,
  };
}
