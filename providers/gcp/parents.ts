import type { Result } from '../../src/core/failure.ts';
import type { CloudId, Ref } from '../../src/core/resource.ts';
import { ListingFailed } from '../../src/ports/provider.ts';
import { idOf, type Named } from './cloud-id.ts';
import { pathOf } from './links.ts';
import type { Scope } from './scope.ts';

/** Objects name each other by path; our Refs are ids. Says the id of what a link names. */
export type Resolve = (link: string | null | undefined) => Ref;

/**
 * By a listing of what may be named. What another project shares stays a path. One of our own that is named and not listed was
 * made in between, or the listing was short: either way this look is not to be trusted.
 */
export function resolveIn(listed: readonly Named[], { project }: Pick<Scope, 'project'>): Resolve {
  const byPath = new Map<string, CloudId>();
  for (const item of listed) byPath.set(pathOf(item.selfLink ?? ''), idOf(item) ?? '');
  return (link) => {
    const path = pathOf(link ?? '');
    const id = byPath.get(path);
    if (id !== undefined || !path.startsWith(`projects/${project}/`)) return id ?? path;
    const message = `${path} is named and was not listed`;
    throw new ListingFailed('ShortListing', message, { kind: 'retryable', code: 'ShortListing', message });
  };
}

/** Asks for each that is named, once. What is gone stays a path. */
export async function resolveBy(
  links: readonly (string | null | undefined)[],
  get: (path: string) => Promise<Result<Named>>,
): Promise<Result<Resolve>> {
  const byPath = new Map<string, Ref>();
  for (const path of new Set(links.map((link) => pathOf(link ?? '')))) {
    if (!path.startsWith('projects/')) continue;
    const answer = await get(path);
    if (!answer.ok && answer.failure.kind !== 'not-found') return answer;
    if (answer.ok) byPath.set(path, idOf(answer.value) ?? path);
  }
  return {
    ok: true,
    value: (link) => {
      const path = pathOf(link ?? '');
      return byPath.get(path) ?? path;
    },
  };
}
