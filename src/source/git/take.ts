import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { bounds } from './bounds.ts';
import { commitAt } from './commit-at.ts';
import { diskBounds, watchDisk } from './disk-watch.ts';
import { gitFailure, type Inside } from './inside.ts';
import { RepositoryError } from './repository-error.ts';

export interface Taking {
  /** There, in full. */
  readonly ref: string;
  /** Here. */
  readonly as: string;
}

/**
 * Fetches into a ref of its own, as several processes may do so at once, and moves that to its place. Tags, submodules and
 * `FETCH_HEAD` stay away.
 */
export async function take(inside: Inside, { ref, as }: Taking, signal?: AbortSignal): Promise<string> {
  const { mirror, url } = inside;
  const own = `refs/setpoint/own/${randomUUID()}`;
  await mirror.make();
  await fetchInto(inside, { ref, as: own }, signal);
  const commit = await commitAt(inside, own);
  if (commit === undefined)
    throw new RepositoryError(`${ref} of ${url.name} leads to no commit`, { trouble: 'unknown', repository: url.name });
  const moved = await mirror.git(['update-ref', '--stdin'], bounds.local(), `update ${as} ${commit}\ndelete ${own}\n`);
  if (moved.code !== 0) throw gitFailure(inside, 'unreadable', `keep ${ref}`, moved);
  return commit;
}

const FETCH = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];

async function fetchInto(inside: Inside, { ref, as }: Taking, signal?: AbortSignal): Promise<void> {
  const { mirror, url } = inside;
  const disk = watchDisk(mirror.folder);
  const either = signal === undefined ? disk.signal : AbortSignal.any([signal, disk.signal]);
  const args = ['fetch', ...FETCH, '--end-of-options', url.url, `+${ref}:${as}`];
  const fetched = await mirror.git(args, bounds.fetch(either));
  disk.end();
  signal?.throwIfAborted();
  if (disk.signal.aborted) throw tooLarge(inside, ref);
  if (fetched.code !== 0) throw gitFailure(inside, 'away', `fetch ${ref}`, fetched);
}

function tooLarge({ url, mirror }: Inside, ref: string): RepositoryError {
  const much = `more than ${diskBounds.most / 1024 ** 3} GiB, or nearly all that was left in ${dirname(mirror.folder)}`;
  const next = 'Keep specs in a repository of their own, or make room';
  const message = `cannot fetch ${ref} of ${url.name}: its history takes ${much}. ${next}`;
  return new RepositoryError(message, { trouble: 'away', repository: url.name });
}
