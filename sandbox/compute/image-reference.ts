import { invalid } from './errors.ts';
import { type Image, newestOf, publicImages } from './images.ts';
import type { Project } from './project.ts';

/** Links may be on any host: gcloud names the one it was pointed at. */
const REFERENCE = /^(?:https?:\/\/[^/]+\/compute\/(?:v1|beta|alpha)\/)?(?:projects\/([^/]+)\/)?(.+)\/([^/]+)$/;

const IMAGES = 'global/images';

/** A family, or its view from a zone, `-` for the instance's own: gcloud names it so. */
const FAMILY = /^(?:global\/images\/family|zones\/[^/]+\/imageFamilyViews)$/;

/**
 * The image behind a reference: by name or by family, of this project or of one whose images are public.
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances, initializeParams.sourceImage
 */
export function imageOf(project: Project, value: string, field: string): Image {
  const [, owner = project.id, collection = '', name = ''] = REFERENCE.exec(value) ?? [];
  const images = owner === project.id ? [...project.images.values()] : publicImages(owner);
  const byName = collection === IMAGES ? images.find((image) => image.name === name) : undefined;
  const found = FAMILY.test(collection) ? newestOf(images, name) : byName;
  if (!found) throw invalid(field, value, 'The referenced image resource cannot be found.');
  return found;
}
