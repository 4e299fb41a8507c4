import { randomUUID } from 'node:crypto';
import { askRemote } from './ask-remote.ts';
import { bounds } from './bounds.ts';
import { gitFailure, type Inside, trackedRef } from './inside.ts';
import { RepositoryError } from './repository-error.ts';

/**
 * The branch's head, and all of its history in the mirror. The server is asked first: as it has answered, what fails after that
 * is most likely our mirror, which is made anew, once for a head.
 */
export async function fetchHead(inside: Inside, signal?: AbortSignal): Promise<string> {
  const ref = `refs/heads/${inside.branch}`;
  const head = (await askRemote(inside, [ref], signal)).get(ref);
  if (head === undefined) {
    const next = 'Is the branch there? Name it with --branch';
    throw new RepositoryError(`${inside.url.name} has no branch ${inside.branch}. ${next}`, {
      trouble: 'unknown',
      repository: inside.url.name,
    });
  }
  const { mirror, state } = inside;
  if (state.suspect && state.triedAnew !== head) await anew(inside, head);
  await mirror.make();
  if ((await commitAt(inside, trackedRef(inside.branch))) === head) return head;
  try {
    return await take(inside, { ref, as: trackedRef(inside.branch) }, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (state.triedAnew === head) throw error;
    await anew(inside, head);
    return take(inside, { ref, as: trackedRef(inside.branch) }, signal);
  }
}

async function anew({ mirror, state }: Inside, head: string): Promise<void> {
  state.triedAnew = head;
  state.suspect = false;
  await mirror.drop();
  await mirror.make();
}

/** The commit that a ref of the mirror leads to. */
export async function commitAt({ mirror }: Inside, ref: string): Promise<string | undefined> {
  const end = await mirror.git(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`],
    bounds.local(),
  );
  const id = end.stdout.toString('latin1').trim();
  return end.code === 0 && /^[0-9a-f]{40}$/.test(id) ? id : undefined;
}

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
  const fetched = await mirror.git(
    ['fetch', ...FETCH, '--end-of-options', url.url, `+${ref}:${own}`],
    bounds.fetch(signal),
  );
  signal?.throwIfAborted();
  if (fetched.code !== 0) throw gitFailure(inside, 'away', `fetch ${ref}`, fetched);
  const commit = await commitAt(inside, own);
  if (commit === undefined)
    throw new RepositoryError(`${ref} of ${url.name} leads to no commit`, { trouble: 'unknown', repository: url.name });
  const moved = await mirror.git(['update-ref', '--stdin'], bounds.local(), `update ${as} ${commit}\ndelete ${own}\n`);
  if (moved.code !== 0) throw gitFailure(inside, 'unreadable', `keep ${ref}`, moved);
  return commit;
}

const FETCH = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];
