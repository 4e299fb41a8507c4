import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { commitAt, mayRenew, noteFailure, throwRecentFailure } from './mirror.ts';
import { refusedName } from './refs.ts';
import { gitFailure, namedRef, type RepositoryContext, trackedRef } from './repository-context.ts';
import { RepositoryError } from './repository-error.ts';
import { gitLimits, runGit } from './run-git.ts';

/**
 * The branch's head, and all of its history in the mirror. The server is asked first: as it has answered, what fails after that
 * may be our mirror's fault, so another is made beside it, which takes its place if that goes well.
 */
export async function fetchHead(context: RepositoryContext, signal?: AbortSignal): Promise<string> {
  const { url, branch, state } = context;
  const ref = `refs/heads/${branch}`;
  const head = (await askRemote(context, [ref], signal)).get(ref);
  if (head === undefined) {
    const next = 'Is the branch there? Name it with --branch';
    const message = `${url.name} has no branch ${branch}. ${next}`;
    throw new RepositoryError(message, { trouble: 'unknown', repository: url.name });
  }
  throwRecentFailure(state, head);
  try {
    const fetched = await newest(context, head, signal);
    state.failed = undefined;
    return fetched;
  } catch (error) {
    signal?.throwIfAborted();
    noteFailure(state, head, error);
    throw error;
  }
}

async function newest(context: RepositoryContext, head: string, signal?: AbortSignal): Promise<string> {
  const { mirror, branch, state } = context;
  const taking: Taking = { ref: `refs/heads/${branch}`, as: trackedRef(branch) };
  if (state.suspect && mayRenew(state)) return renewed(context, taking, signal);
  await mirror.make();
  if (!state.swept) await sweep(mirror.folder, Date.now());
  state.swept = true;
  if ((await commitAt(context, taking.as)) === head) return head;
  try {
    return await take(context, taking, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!mayRenew(state)) throw error;
    return renewed(context, taking, signal);
  }
}

async function renewed(context: RepositoryContext, taking: Taking, signal?: AbortSignal): Promise<string> {
  const { mirror, state } = context;
  state.renewedAt = state.now();
  const head = await mirror.renew((draft) => take({ ...context, mirror: draft }, taking, signal));
  state.suspect = false;
  return head;
}

interface Taking {
  /** There, in full. */
  readonly ref: string;
  /** Here. */
  readonly as: string;
}

/**
 * Fetches into a ref of its own, as several processes may do so at once, and moves that to its place. Tags, submodules and
 * `FETCH_HEAD` stay away.
 */
async function take(context: RepositoryContext, { ref, as }: Taking, signal?: AbortSignal): Promise<string> {
  const { mirror, url } = context;
  const own = `refs/setpoint/own/${randomUUID()}`;
  await mirror.make();
  await fetchInto(context, { ref, as: own }, signal);
  const commit = await commitAt(context, own);
  if (commit === undefined)
    throw new RepositoryError(`${ref} of ${url.name} leads to no commit`, { trouble: 'unknown', repository: url.name });
  const moved = await mirror.git(
    ['update-ref', '--stdin'],
    gitLimits.local(),
    `update ${as} ${commit}\ndelete ${own}\n`,
  );
  if (moved.code !== 0) throw gitFailure(context, 'unreadable', `keep ${ref}`, moved);
  return commit;
}

const FETCH = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];

async function fetchInto(context: RepositoryContext, { ref, as }: Taking, signal?: AbortSignal): Promise<void> {
  const { mirror, url } = context;
  const disk = watchDisk(mirror.folder);
  const either = signal === undefined ? disk.signal : AbortSignal.any([signal, disk.signal]);
  const args = ['fetch', ...FETCH, '--end-of-options', url.url, `+${ref}:${as}`];
  const fetched = await mirror.git(args, gitLimits.fetch(either));
  disk.end();
  signal?.throwIfAborted();
  if (disk.signal.aborted) throw tooLarge(context, ref);
  if (fetched.code !== 0) throw gitFailure(context, 'away', `fetch ${ref}`, fetched);
}

function tooLarge({ url, mirror }: RepositoryContext, ref: string): RepositoryError {
  const much = `more than ${diskBounds.most / 1024 ** 3} GiB, or nearly all that was left in ${dirname(mirror.folder)}`;
  const next = 'Keep specs in a repository of their own, or make room';
  const message = `cannot fetch ${ref} of ${url.name}: its history takes ${much}. ${next}`;
  return new RepositoryError(message, { trouble: 'away', repository: url.name });
}

/** No fetch runs for so long. */
const OLD_MS = 24 * 60 * 60_000;

/** Removes what processes that were killed in a fetch left of a mirror: unfinished packs, and mirrors that were to replace it. */
async function sweep(mirror: string, now: number): Promise<void> {
  const beside = { folder: dirname(mirror), prefix: `${basename(mirror)}.` };
  const packs = { folder: join(mirror, 'objects', 'pack'), prefix: 'tmp_' };
  for (const { folder, prefix } of [beside, packs]) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => one.startsWith(prefix))) {
      const path = join(folder, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
      if (now - mtimeMs > OLD_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

const GiB = 1024 ** 3;

/** The most disk that one fetch may take where mirrors are, and the part that it must leave. */
export const diskBounds = { most: 4 * GiB, left: 0.25 * GiB };

interface DiskWatch {
  /** Aborts when too much is taken. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Bytes that are free where a folder lies. */
type FreeBytes = (folder: string) => Promise<number>;

/**
 * git has no bound on what it fetches. Whatever else fills the disk meanwhile counts too: the fetch is called off, and asked
 * again. Looks once a second.
 */
export function watchDisk(folder: string, free: FreeBytes = freeBytes, everyMs = 1000): DiskWatch {
  const controller = new AbortController();
  const before = free(folder).catch(() => Number.NaN);
  const look = async (): Promise<void> => {
    const [then, now] = await Promise.all([before, free(folder).catch(() => Number.NaN)]);
    if (then - now > diskBounds.most || now < Math.min(diskBounds.left, then / 2)) controller.abort();
  };
  const timer = setInterval(() => void look(), everyMs);
  return { signal: controller.signal, end: () => clearInterval(timer) };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * The server's current commits of these refs, named in full. Runs without the mirror, so that a torn one is not taken for an
 * unavailable server, and in no other repository, whose configuration git would read.
 */
async function askRemote(
  context: RepositoryContext,
  refs: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { url, mirror } = context;
  const cwd = dirname(mirror.folder);
  await mkdir(cwd, { recursive: true, mode: 0o700 });
  const args = [
    `--git-dir=${join(mirror.folder, 'nowhere')}`,
    'ls-remote',
    '--quiet',
    '--end-of-options',
    url.url,
    ...refs,
  ];
  const end = await runGit({ args, env: mirror.env, cwd, bounds: gitLimits.ask(signal) });
  signal?.throwIfAborted();
  if (end.code !== 0) throw gitFailure(context, 'away', `ask for ${refs.join(' and ')}`, end);
  const lines = end.stdout.toString('utf8').split('\n');
  const found = lines.flatMap((line) => {
    const [id = '', ref = ''] = line.split('\t');
    // why: git answers with all whose names end so
    return refs.includes(ref) && /^[0-9a-f]{40}$/.test(id) ? [[ref, id] as const] : [];
  });
  return new Map(found);
}

/** `main~2`: a name, and the way back from there. */
const FORM = /^(.*?)((?:~\d{0,4}|\^[0-9]?){0,20})$/s;

export async function resolveRef(context: RepositoryContext, ref: string, signal?: AbortSignal): Promise<string> {
  const { url, guards } = context;
  const [, name = '', back = ''] = FORM.exec(ref) ?? [];
  const refused = refusedName(name, guards.names);
  if (refused !== undefined)
    throw new RepositoryError(`no commit of ${url.name} is looked for: the name ${refused}`, {
      trouble: 'refused',
      repository: url.name,
    });
  const start = await startOf(context, name, signal);
  const commit = back === '' ? start : await commitAt(context, `${start}${back}`);
  if (commit === undefined)
    throw new RepositoryError(`${url.name} has no commit ${ref}: its history does not go so far`, {
      trouble: 'unknown',
      repository: url.name,
    });
  return commit;
}

async function startOf(context: RepositoryContext, name: string, signal?: AbortSignal): Promise<string> {
  if (name === 'HEAD' || name === context.branch)
    return (await commitAt(context, trackedRef(context.branch))) ?? (await fetchHead(context, signal));
  const fetched = /^[0-9a-f]{7,40}$/.test(name) ? await commitAt(context, name) : undefined;
  return fetched ?? fetchNamed(context, name, signal);
}

async function fetchNamed(context: RepositoryContext, name: string, signal?: AbortSignal): Promise<string> {
  const refs = name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
  const found = [...(await askRemote(context, refs, signal)).keys()];
  const [ref, other] = found;
  const { name: repository } = context.url;
  if (ref === undefined) {
    const next = 'Name a branch, a tag, or a commit that the branch has';
    throw new RepositoryError(`${repository} has nothing called ${name}. ${next}`, { trouble: 'unknown', repository });
  }
  if (other !== undefined)
    throw new RepositoryError(`${repository} has a branch and a tag ${name}: say ${ref} or ${other}`, {
      trouble: 'unknown',
      repository,
    });
  return take(context, { ref, as: namedRef(ref) }, signal);
}
