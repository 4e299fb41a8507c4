import type { Failure, Result } from '../../src/core/failure.ts';
import type { Access, Call } from '../../src/ports/provider.ts';
import type { Client } from './client.ts';

/** Regions that Google Cloud was found to have, by endpoint, project and name. A region does not go away. */
const found = new Set<string>();

/**
 * One `regions.get` for each region that this process has not found yet: "Returns the specified Region resource",
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/regions/get. A listing over all places is no proof: it may name a region before
 * requests to that region are answered, https://github.com/googleapis/nodejs-compute/issues/390.
 *
 *   regions.get            | then
 *   -----------------------+---------------------------------------------------
 *   the region             | it is there, and is asked for no more
 *   notFound               | there is no such region: the project has answered before. Asked again the next time
 *   another failure        | the question has no answer
 */
export async function checkRegions(
  regions: readonly string[],
  { account: project, endpoint = '', client }: Pick<Access, 'account' | 'endpoint'> & { readonly client: Client },
  call: Call,
): Promise<Result<readonly Failure[]>> {
  const keyOf = (region: string): string => `${endpoint} ${project} ${region}`;
  const answers = await Promise.all(
    regions
      .filter((region) => !found.has(keyOf(region)))
      .map(async (region) => {
        const answer = await client.read({ action: 'regions.get', region }, call, (sdk, options) =>
          sdk.regions().get({ project, region }, options),
        );
        return { region, answer };
      }),
  );
  const failures: Failure[] = [];
  let unanswered: Failure | undefined;
  for (const { region, answer } of answers) {
    if (answer.ok) found.add(keyOf(region));
    else if (answer.failure.code === 'notFound') failures.push(noRegion(region, project));
    else unanswered ??= answer.failure;
  }
  return unanswered !== undefined && failures.length === 0
    ? { ok: false, failure: unanswered }
    : { ok: true, value: failures };
}

const noRegion = (region: string, project: string): Failure => ({
  kind: 'terminal',
  code: 'unknown-region',
  message: `Google Cloud has no region "${region}". Correct \`region:\` of the target. List the regions: gcloud compute regions list --project ${project}`,
  region,
});
