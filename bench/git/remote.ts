import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A bare repository that others follow, and the checkout of somebody who pushes to it, with plain git. */
export interface Remote {
  /** file:///… */
  readonly url: string;
  /** Writes the file, commits and pushes it to main; answers with the commit. */
  push(path: string, text: string): Promise<string>;
}

const person = ['-c', 'user.name=Kim', '-c', 'user.email=kim@acme.example', '-c', 'commit.gpgsign=false'];

/** Both in `folder`, which must exist. */
export async function makeRemote(folder: string): Promise<Remote> {
  const [bare, checkout] = [join(folder, 'infra.git'), join(folder, 'checkout')];
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', ['-C', checkout, ...person, ...args])).stdout.trim();
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  await run('git', ['init', '--quiet', '--initial-branch=main', checkout]);
  return {
    url: `file://${bare}`,
    push: async (path, text) => {
      const file = join(checkout, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      await git('add', '--', path);
      await git('commit', '--quiet', '--message', `change ${path}`);
      await git('push', '--quiet', bare, 'main');
      return git('rev-parse', 'HEAD');
    },
  };
}
