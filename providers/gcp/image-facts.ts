import type { Result } from '../../src/core/failure.ts';
import type { ImageFact, ImageFacts, UnreadImage } from '../../src/core/observed.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { each } from '../shared/each.ts';
import { patiently } from '../shared/listed-settings.ts';
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
export async function imageFacts(
  images: readonly string[],
  scope: Scope,
  call: Call,
): Promise<Pick<ImageFacts, 'read' | 'unread'>> {
  const spellings = [...Map.groupBy(new Set(images), (image) => canonicalImage(image, scope.project))];
  const answers = await each(spellings, async ([path]) => ({ ok: true, value: await factOf(path, scope, call) }));
  call.signal.throwIfAborted();
  const told = spellings.flatMap(([, texts], at) => texts.map((image) => ({ image, ...answerOf(answers[at]) })));
  return {
    read: told.flatMap((one): readonly ImageFact[] => ('reason' in one ? [] : [one])),
    unread: told.flatMap((one): readonly UnreadImage[] => ('reason' in one ? [one] : [])),
  };
}

type Answer = Omit<ImageFact, 'image'> | Omit<UnreadImage, 'image'>;

const answerOf = (answer: Result<Answer> | undefined): Answer =>
  answer?.ok ? answer.value : { reason: 'Google Cloud was not asked for the image' };

const pattern = /^projects\/([^/]+)\/global\/images\/(family\/)?([^/]+)$/;

async function factOf(path: string, scope: Scope, call: Call): Promise<Answer> {
  const [, project, family, name] = pattern.exec(path) ?? [];
  if (project === undefined || name === undefined)
    return { reason: 'this is neither projects/<project>/global/images/<name> nor …/images/family/<family>' };
  const isFamily = family !== undefined;
  const found = await patiently(() => got({ project, name, isFamily }, scope, call), scope.clock, call);
  if (found instanceof ListingFailed) return { reason: `the image was not read: ${found.code}: ${found.message}` };
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
export const publicProjects: ReadonlySet<string> = new Set([
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
