import type { Result } from '../../../src/core/failure.ts';
import type { Call } from '../../../src/ports/actuator.ts';
import type { LaunchAnswer, LaunchQuestion } from '../../../src/ports/launch-check.ts';
import { firstObstacle, impossible, possible, unknown } from '../../pass/launch-answer.ts';
import { regionOfZone } from '../links.ts';
import type { Scope } from '../scope.ts';
import { canonicalImage, canonicalType } from '../spelling.ts';

/**
 * Whether Compute Engine would launch such a machine. It tells no count of free addresses.
 *
 *   asked                                      | impossible where
 *   -------------------------------------------+----------------------------------------------------------------
 *   images.get, images.getFromFamily           | 404; or the image is obsolete or deleted, which nothing can be made from
 *   machineTypes.get in the zone of the address| 404
 *
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/images/get,
 * https://docs.cloud.google.com/compute/docs/images/image-management-best-practices (what OBSOLETE forbids)
 */
export async function canLaunch(question: LaunchQuestion, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const { address, image, size } = question;
  const zone = address.split('/')[2] ?? '';
  const type = canonicalType(size);
  return firstObstacle([
    async () => (image === undefined ? possible : imageAnswer(canonicalImage(image, scope.project), scope, call)),
    () => remembered(`${zone} ${type}`, scope, () => typeAnswer(type, zone, scope, call)),
  ]);
}

async function remembered(key: string, { known }: Scope, ask: () => Promise<LaunchAnswer>): Promise<LaunchAnswer> {
  if (known.launchable.has(key)) return possible;
  const answer = await ask();
  if (answer.as === 'possible') known.launchable.add(key);
  return answer;
}

const pattern = /^projects\/([^/]+)\/global\/images\/(family\/)?([^/]+)$/;

/** Other spellings (a family as a zone sees it) are left to the launch itself. */
async function imageAnswer(path: string, scope: Scope, call: Call): Promise<LaunchAnswer> {
  const [, project, family, name] = pattern.exec(path) ?? [];
  if (project === undefined || name === undefined) return possible;
  return remembered(path, scope, async () => {
    const found: Result<{ readonly deprecated?: { readonly state?: string | null } | null }> =
      family === undefined
        ? await scope.client.read('images.get', call, (sdk, options) =>
            sdk.images().get({ project, image: name }, options),
          )
        : await scope.client.read('images.getFromFamily', call, (sdk, options) =>
            sdk.images().getFromFamily({ project, family: name }, options),
          );
    if (!found.ok)
      return refusal(found, `image ${path} is not there: correct the image, or share it with this project`);
    const state = found.value.deprecated?.state;
    if (state !== 'OBSOLETE' && state !== 'DELETED') return possible;
    const failure = { kind: 'terminal', code: state, message: `images.get says deprecated.state ${state}.` } as const;
    return impossible(failure, `nothing can be made from image ${path} any more: name another`);
  });
}

async function typeAnswer(
  machineType: string,
  zone: string,
  { client, project }: Scope,
  call: Call,
): Promise<LaunchAnswer> {
  const ask = { action: 'machineTypes.get', region: regionOfZone(zone) } as const;
  const found = await client.read(ask, call, (sdk, options) =>
    sdk.machineTypes().get({ project, zone, machineType }, options),
  );
  if (found.ok) return possible;
  return refusal(found, `size ${machineType} is not offered in ${zone}: correct the size, or take another zone`);
}

const refusal = ({ failure }: Extract<Result<never>, { readonly ok: false }>, why: string): LaunchAnswer =>
  failure.kind === 'not-found' ? impossible(failure, why) : unknown(failure);
