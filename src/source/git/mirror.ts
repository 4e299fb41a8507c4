import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitBounds, type GitEnd, runGit } from './run-git.ts';

/**
 * Our copy of a repository: bare, without hooks, configuration or a work tree. Several processes may use one, and each may
 * find it gone under it: it is made beside its place and moved there whole, and whatever fails may be asked again.
 */
export interface Mirror {
  /** Where it lies, once it is made. */
  readonly folder: string;
  /** The whole environment of git there. */
  readonly env: Environment;
  git(args: readonly string[], bounds: GitBounds, input?: string): Promise<GitEnd>;
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
      ...(input === undefined ? {} : { input }),
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
