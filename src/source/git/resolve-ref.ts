import { askRemote } from './ask-remote.ts';
import { commitAt } from './commit-at.ts';
import { fetchHead } from './fetch-head.ts';
import { type Inside, namedRef, trackedRef } from './inside.ts';
import { refusedName } from './ref-name.ts';
import { RepositoryError } from './repository-error.ts';
import { take } from './take.ts';

/** `main~2`: a name, and the way back from there. */
const FORM = /^(.*?)((?:~\d{0,4}|\^[0-9]?){0,20})$/s;

export async function resolveRef(inside: Inside, ref: string, signal?: AbortSignal): Promise<string> {
  const { url, guards } = inside;
  const [, name = '', back = ''] = FORM.exec(ref) ?? [];
  const refused = refusedName(name, guards.names);
  if (refused !== undefined)
    throw new RepositoryError(`no commit of ${url.name} is looked for: the name ${refused}`, {
      trouble: 'refused',
      repository: url.name,
    });
  const start = await startOf(inside, name, signal);
  const commit = back === '' ? start : await commitAt(inside, `${start}${back}`);
  if (commit === undefined)
    throw new RepositoryError(`${url.name} has no commit ${ref}: its history does not go so far`, {
      trouble: 'unknown',
      repository: url.name,
    });
  return commit;
}

async function startOf(inside: Inside, name: string, signal?: AbortSignal): Promise<string> {
  if (name === 'HEAD' || name === inside.branch)
    return (await commitAt(inside, trackedRef(inside.branch))) ?? (await fetchHead(inside, signal));
  const fetched = /^[0-9a-f]{7,40}$/.test(name) ? await commitAt(inside, name) : undefined;
  return fetched ?? fetchNamed(inside, name, signal);
}

async function fetchNamed(inside: Inside, name: string, signal?: AbortSignal): Promise<string> {
  const refs = name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
  const found = [...(await askRemote(inside, refs, signal)).keys()];
  const [ref, other] = found;
  const { name: repository } = inside.url;
  if (ref === undefined) {
    const next = 'Name a branch, a tag, or a commit that the branch has';
    throw new RepositoryError(`${repository} has nothing called ${name}. ${next}`, { trouble: 'unknown', repository });
  }
  if (other !== undefined)
    throw new RepositoryError(`${repository} has a branch and a tag ${name}: say ${ref} or ${other}`, {
      trouble: 'unknown',
      repository,
    });
  return take(inside, { ref, as: namedRef(ref) }, signal);
}
