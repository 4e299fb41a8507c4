import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitLimits, type GitResult, gitLimits, runGit } from './run-git.ts';

/**
 * Our copy of a repository: bare, without hooks, configuration or a work tree. Several processes may use one, and each may
 * find it gone under it: it is made beside its place and moved there whole, and whatever fails may be asked again.
 */
export interface Mirror {
  /** Its folder, once it is created. */
  readonly folder: string;
  /** The whole environment of git there. */
  readonly env: Environment;
  git(args: readonly string[], bounds: GitLimits, input?: string): Promise<GitResult>;
  /** Makes it where it is not there. */
  make(): Promise<void>;
  /** Makes another beside it, and puts that into its place once `fill` has resolved. */
  renew<T>(fill: (draft: Mirror) => Promise<T>): Promise<T>;
}

/** `folder`: where mirrors lie. One address, one mirror. */
export const mirrorFolder = (folder: string, url: string): string =>
  join(folder, createHash('sha256').update(url).digest('hex').slice(0, 32));

export function mirrorAt(folder: string, env: Environment): Mirror {
  const git: Mirror['git'] = (args, bounds, input) =>
    runGit({
      args: [`--git-dir=${folder}`, ...args],
      env,
      cwd: folder,
      bounds,
      input,
    });
  return {
    folder,
    env,
    git,
    make: async () => {
      if (!(await isThere(join(folder, 'HEAD')))) await withDraft(folder, env, (draft) => place(draft, folder));
    },
    renew: (fill) =>
      withDraft(folder, env, async (draft) => {
        const filled = await fill(mirrorAt(draft, env));
        await replace(draft, folder);
        return filled;
      }),
  };
}

type Environment = Readonly<Record<string, string>>;

async function withDraft<T>(folder: string, env: Environment, work: (draft: string) => Promise<T>): Promise<T> {
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    await init(draft, env);
    return await work(draft);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Nothing of the machine's template of repositories, which may hold hooks. */
async function init(draft: string, env: Environment): Promise<void> {
  const args = ['init', '--quiet', '--bare', '--template=', '--object-format=sha1', '--initial-branch=none', draft];
  const end = await runGit({ args, env, cwd: draft, bounds: { timeoutMs: 30_000, mostBytes: 65_536 } });
  if (end.code === 0) return;
  const why =
    end.why === 'not installed' ? 'git is not installed: install it' : end.stderr.trim() || (end.why ?? 'it died');
  throw new Error(`git cannot make a repository in ${draft}: ${why}`);
}

/** Another process may have been faster; what stands there without a HEAD is a torn one. */
async function place(draft: string, folder: string): Promise<void> {
  try {
    await rename(draft, folder);
  } catch {
    if (!(await isThere(join(folder, 'HEAD')))) await replace(draft, folder);
  }
}

/** Between the two moves another process may have made one; after a few of them somebody should know. */
async function replace(draft: string, folder: string): Promise<void> {
  const gone = `${folder}.${randomUUID()}`;
  for (let left = 3; ; left -= 1) {
    await rename(folder, gone).catch(() => undefined);
    await rm(gone, { recursive: true, force: true });
    try {
      return await rename(draft, folder);
    } catch (cause) {
      if (left === 0) throw cause;
    }
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** This process's state of a mirror and of the fetches into it. */
export interface MirrorState {
  /** Something in it could not be read: the next fetch makes it anew. */
  suspect: boolean;
  /** When it was last made anew, in milliseconds since the epoch. */
  renewedAt: number;
  /** The head that could not be fetched, and when it is tried again. */
  failed?: Failed | undefined;
  /** True once the remains of others have been removed. */
  swept: boolean;
  readonly now: () => number;
}

interface Failed {
  readonly head: string;
  readonly error: unknown;
  readonly times: number;
  readonly until: number;
}

export const freshState = (now: () => number = Date.now): MirrorState => ({
  suspect: false,
  renewedAt: Number.NEGATIVE_INFINITY,
  swept: false,
  now,
});

/** Creating a mirror anew fetches everything: a failed try is not repeated at every fetch. */
const RENEW_EVERY_MS = 10 * 60_000;
const FIRST_WAIT_MS = 15_000;
const MOST_WAIT_MS = 10 * 60_000;

export const mayRenew = ({ renewedAt, now }: MirrorState): boolean => now() - renewedAt >= RENEW_EVERY_MS;

/** Throws what went wrong, while a head that could not be fetched is left alone. */
export function throwRecentFailure({ failed, now }: MirrorState, head: string): void {
  if (failed?.head === head && now() < failed.until) throw failed.error;
}

/** The wait doubles with each time that the same head fails. */
export function noteFailure(state: MirrorState, head: string, error: unknown): void {
  const times = state.failed?.head === head ? state.failed.times + 1 : 1;
  const wait = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (times - 1));
  state.failed = { head, error, times, until: state.now() + wait };
}

/** The commit that a ref or an object of a mirror leads to. */
export async function commitAt({ mirror }: { readonly mirror: Mirror }, ref: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const end = await mirror.git(args, gitLimits.local());
  const id = end.stdout.toString('latin1').trim();
  return end.code === 0 && /^[0-9a-f]{40}$/.test(id) ? id : undefined;
}
