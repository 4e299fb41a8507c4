import { notFound } from '../errors.ts';
import { globalList } from '../global-list.ts';
import { imageJson } from '../image-json.ts';
import { newestOf } from '../images.ts';
import { seenIn } from '../listing.ts';
import type { Method } from '../method.ts';
import { get, list } from '../method-row.ts';
import { pathTo } from '../place.ts';

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
