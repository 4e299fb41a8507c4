import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hash } from './mutants.ts';

/** A copy of a checkout in a scratch folder. Tests and mutants run there and never in the checkout. */
export interface Copy extends AsyncDisposable {
  readonly root: string;
  /** All files, relative to the root, in the order of their names. */
  readonly files: readonly string[];
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
}

/** Copies every file that git tracks or would track, and links node_modules. */
export async function copyOf(checkout: string): Promise<Copy> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = [...new Set(listed.split('\0').filter((file) => file !== ''))].sort();
  // why: V8 names a script by its real path, and the folder of temporary files may be a link
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'setpoint-mutation-')));
  const root = join(scratch, 'tree');
  await mkdir(join(scratch, 'tmp'));
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await cp(join(checkout, file), join(root, file));
  }
  await symlink(join(checkout, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    files,
    read: (file) => readFile(join(root, file), 'utf8'),
    write: (file, text) => writeFile(join(root, file), text),
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Temporary files of a test that was ended midway lie here, and go with the copy. */
export const scratchOf = ({ root }: Copy): string => join(dirname(root), 'tmp');

/** One hash over the names and the texts of files. */
export async function digestOf(copy: Copy, files: readonly string[]): Promise<string> {
  const each = await Promise.all(files.map(async (file) => `${file} ${hash(await copy.read(file))}`));
  return hash(each.join('\n'));
}
