import { askRemote } from './ask-remote.ts';
import { commitAt } from './commit-at.ts';
import { type Inside, trackedRef } from './inside.ts';
import { mayRenew, noteFailure, waitOut } from './mirror-state.ts';
import { RepositoryError } from './repository-error.ts';
import { sweep } from './sweep.ts';
import { type Taking, take } from './take.ts';

/**
 * The branch's head, and all of its history in the mirror. The server is asked first: as it has answered, what fails after that
 * may be our mirror's fault, so another is made beside it, which takes its place if that goes well.
 */
export async function fetchHead(inside: Inside, signal?: AbortSignal): Promise<string> {
  const { url, branch, state } = inside;
  const ref = `refs/heads/${branch}`;
  const head = (await askRemote(inside, [ref], signal)).get(ref);
  if (head === undefined) {
    const next = 'Is the branch there? Name it with --branch';
    const message = `${url.name} has no branch ${branch}. ${next}`;
    throw new RepositoryError(message, { trouble: 'unknown', repository: url.name });
  }
  waitOut(state, head);
  try {
    const fetched = await newest(inside, head, signal);
    state.failed = undefined;
    return fetched;
  } catch (error) {
    signal?.throwIfAborted();
    noteFailure(state, head, error);
    throw error;
  }
}

async function newest(inside: Inside, head: string, signal?: AbortSignal): Promise<string> {
  const { mirror, branch, state } = inside;
  const taking: Taking = { ref: `refs/heads/${branch}`, as: trackedRef(branch) };
  if (state.suspect && mayRenew(state)) return renewed(inside, taking, signal);
  await mirror.make();
  if (!state.swept) await sweep(mirror.folder, Date.now());
  state.swept = true;
  if ((await commitAt(inside, taking.as)) === head) return head;
  try {
    return await take(inside, taking, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!mayRenew(state)) throw error;
    return renewed(inside, taking, signal);
  }
}

async function renewed(inside: Inside, taking: Taking, signal?: AbortSignal): Promise<string> {
  const { mirror, state } = inside;
  state.renewedAt = state.now();
  const head = await mirror.renew((draft) => take({ ...inside, mirror: draft }, taking, signal));
  state.suspect = false;
  return head;
}
