import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The team's repository, and a way to push to it with plain git. */
export interface Remote {
  /** file:///… */
  readonly url: string;
  /** Writes files into specs/, commits them and pushes main; answers with the commit. */
  push(files: Readonly<Record<string, string>>): Promise<string>;
}

const person = ['-c', 'user.name=Kim', '-c', 'user.email=kim@acme.example', '-c', 'commit.gpgsign=false'];

/** `folder` becomes the checkout; the repository that it is pushed to lies in it, and only specs are ever committed. */
export async function makeRemote(folder: string): Promise<Remote> {
  const bare = join(folder, 'infra.git');
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', ['-C', folder, ...person, ...args])).stdout.trim();
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  await run('git', ['init', '--quiet', '--initial-branch=main', folder]);
  return {
    url: `file://${bare}`,
    push: async (files) => {
      await mkdir(join(folder, 'specs'), { recursive: true });
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'specs', name), text);
      await git('add', '--', 'specs');
      await git('commit', '--quiet', '--message', `change ${Object.keys(files).join(', ')}`);
      await git('push', '--quiet', bare, 'main');
      return git('rev-parse', 'HEAD');
    },
  };
}
