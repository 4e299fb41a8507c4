import { invalid } from './errors.ts';
import { regionNamed, zoneNamed } from './zones.ts';

/** Links begin so whatever host was asked, as Google's do. */
export const BASE = 'https://www.googleapis.com/compute/v1/';

/** The absolute link of what lies at `id` (`global/networks/core`) in a project. */
export function linkTo(project: { readonly id: string }, id: string): string {
  return `${BASE}projects/${project.id}/${id}`;
}

/** As messages name a resource: `projects/acme/global/networks/core`. */
export function pathTo(project: { readonly id: string }, id: string): string {
  return `projects/${project.id}/${id}`;
}

/** `global/networks/core`, of `projects/acme/global/networks/core` and of absolute links to it as well, on any host: gcloud names the one it was pointed at. */
const REFERENCE =
  /^(?:https?:\/\/[^/]+\/compute\/(?:v1|beta|alpha)\/)?(?:projects\/([^/]+)\/)?((?:global|(?:regions|zones)\/[^/]+)\/([^/]+)\/([^/]+))$/;

/**
 * The id behind a full or partial URL of a request, such as `global/networks/core`. A bare name is no URL:
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/firewalls says which forms there are.
 */
export function referenceTo(
  project: { readonly id: string },
  collection: string,
  { value, field }: { readonly value: string; readonly field: string },
): string {
  const found = anyReferenceTo(project, collection, { value, field });
  if (found.project !== project.id)
    throw invalid(field, value, `The sandbox models no references to other projects than ${project.id}.`);
  return found.id;
}

/** The same, where the resource may be of another project. */
export function anyReferenceTo(
  project: { readonly id: string },
  collection: string,
  { value, field }: { readonly value: string; readonly field: string },
): { readonly project: string; readonly id: string } {
  const [, owner = project.id, id, found] = REFERENCE.exec(value) ?? [];
  if (id === undefined) throw invalid(field, value, 'The URL is malformed.');
  if (found !== collection) throw invalid(field, value, `The URL must name one of ${collection}.`);
  return { project: owner, id };
}

/** The last part of an id or link. */
export function nameIn(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

export function scopeExists(scope: string): boolean {
  const [kind, name = ''] = scope.split('/');
  switch (kind) {
    case 'global':
      return true;
    case 'regions':
      return regionNamed(name) !== undefined;
    case 'zones':
      return zoneNamed(name) !== undefined;
    default:
      return false;
  }
}
