import type { Result } from '../../src/core/failure.ts';
import type { ImageFacts } from '../../src/core/observed.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { type FactAnswer, factsOfEach } from '../shared/image-facts.ts';
import { listWithRetries } from '../shared/listed-settings.ts';
import type { Image } from './messages.ts';
import type { Scope } from './scope.ts';
import { canonicalImage } from './spelling.ts';

/**
 * Facts of images, by one call for each: no listing tells images of several projects.
 *
 *   fact       | of images.get, or of images.getFromFamily
 *   -----------+----------------------------------------------------------
 *   owner      | the project of the reference; without one this project
 *   verified   | it is one of the projects of Google's public images
 *   deprecated | `deprecated.state` is DEPRECATED, OBSOLETE or DELETED
 *   createdAt  | `creationTimestamp`
 *
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/images/get,
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/images/getFromFamily
 */
export const imageFacts = (
  images: readonly string[],
  scope: Scope,
  call: Call,
): Promise<Pick<ImageFacts, 'read' | 'unread'>> => {
  const canonical = (image: string): string => canonicalImage(image, scope.project);
  const factOf = (image: string): Promise<FactAnswer> => factAt(canonical(image), scope, call);
  return factsOfEach(images, { cloud: 'Google Cloud', canonical, factOf }, call);
};

const pattern = /^projects\/([^/]+)\/global\/images\/(family\/)?([^/]+)$/;

async function factAt(path: string, scope: Scope, call: Call): Promise<FactAnswer> {
  const [, project, family, name] = pattern.exec(path) ?? [];
  if (project === undefined || name === undefined)
    return { reason: 'this is neither projects/<project>/global/images/<name> nor …/images/family/<family>' };
  const isFamily = family !== undefined;
  const found = await listWithRetries(() => got({ project, name, isFamily }, scope, call), scope.clock, call);
  if (found instanceof ListingFailed) throw found;
  const createdAt = Date.parse(found.creationTimestamp ?? '');
  return {
    owner: project,
    verified: publicProjects.has(project),
    deprecated: retired.has(found.deprecated?.state ?? ''),
    ...(Number.isNaN(createdAt) ? {} : { createdAt }),
  };
}

interface Reference {
  readonly project: string;
  readonly name: string;
  readonly isFamily: boolean;
}

async function got({ project, name, isFamily }: Reference, { client }: Scope, call: Call): Promise<Image> {
  const answer: Result<Image> = isFamily
    ? await client.read('images.getFromFamily', call, (sdk, options) =>
        sdk.images().getFromFamily({ project, family: name }, options),
      )
    : await client.read('images.get', call, (sdk, options) => sdk.images().get({ project, image: name }, options));
  if (answer.ok) return answer.value;
  const { code, message } = answer.failure;
  throw new ListingFailed(code, message, answer.failure);
}

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/images/deprecate */
const retired: ReadonlySet<string> = new Set(['DEPRECATED', 'OBSOLETE', 'DELETED']);

/**
 * The projects of public images, which Google maintains or takes from the vendor of the system. Nobody else can have one of these ids.
 * https://docs.cloud.google.com/compute/docs/images/os-details
 */
const publicProjects: ReadonlySet<string> = new Set([
  'almalinux-cloud',
  'centos-cloud',
  'cos-cloud',
  'debian-cloud',
  'fedora-coreos-cloud',
  'opensuse-cloud',
  'oracle-linux-cloud',
  'rhel-cloud',
  'rhel-sap-cloud',
  'rocky-linux-cloud',
  'suse-cloud',
  'suse-sap-cloud',
  'ubuntu-os-cloud',
  'ubuntu-os-pro-cloud',
  'windows-cloud',
  'windows-sql-cloud',
]);
