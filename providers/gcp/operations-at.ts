import type { Result } from '../../src/core/failure.ts';
import type { Call } from '../../src/ports/provider.ts';
import { lastOf, regionOfZone } from './links.ts';
import type { Operation } from './messages.ts';
import { most } from './rate-limits.ts';
import type { Scope } from './scope.ts';

/** An operation belongs to the location of its resource, and is read there: a zone, a region, or the project. */
export const placeKey = ({ zone, region }: Operation): string => zone || region || '';

/** "waits for no more than the 2 minutes": https://cloud.google.com/compute/docs/reference/rest/v1/zoneOperations/wait */
const answerMs = 150_000;

/** Until it ends, at most two minutes; it may answer sooner that it has not. */
export async function waitFor(
  { name, zone, region: regionLink }: Operation,
  { client, project }: Scope,
  call: Call,
): Promise<Result<readonly Operation[]>> {
  const operation = name ?? '';
  const [inZone, region] = [lastOf(zone ?? ''), lastOf(regionLink ?? '')];
  const answer = await (() => {
    if (inZone)
      return client.read(
        { action: 'zoneOperations.wait', region: regionOfZone(inZone), answerMs },
        call,
        (sdk, options) => sdk.zoneOperations().wait({ project, zone: inZone, operation }, options),
      );
    if (region)
      return client.read({ action: 'regionOperations.wait', region, answerMs }, call, (sdk, options) =>
        sdk.regionOperations().wait({ project, region, operation }, options),
      );
    return client.read({ action: 'globalOperations.wait', answerMs }, call, (sdk, options) =>
      sdk.globalOperations().wait({ project, operation }, options),
    );
  })();
  return answer.ok ? { ok: true, value: [answer.value] } : answer;
}

/** The newest 500 at the place of this one. What was begun just now is among them. */
export function newestAt(
  { zone, region: regionLink }: Operation,
  { client, project }: Scope,
  call: Call,
): Promise<Result<readonly Operation[]>> {
  const newest = { project, maxResults: most.page, orderBy: 'creationTimestamp desc' };
  const [inZone, region] = [lastOf(zone ?? ''), lastOf(regionLink ?? '')];
  if (inZone)
    return client.read({ action: 'zoneOperations.list', region: regionOfZone(inZone) }, call, (sdk, options) =>
      sdk.zoneOperations().list({ ...newest, zone: inZone }, options),
    );
  if (region)
    return client.read({ action: 'regionOperations.list', region }, call, (sdk, options) =>
      sdk.regionOperations().list({ ...newest, region }, options),
    );
  return client.read('globalOperations.list', call, (sdk, options) => sdk.globalOperations().list(newest, options));
}
