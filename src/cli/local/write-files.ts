import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../core/text.ts';
import type { ChangedFile } from '../../ports/sources.ts';
import { exitCodes, UserError } from '../errors.ts';

/**
 * Replaces files as a whole, all of them or none; a reader never sees half a file. Mode and byte order mark stay. Refuses where a file
 * is no longer as it was read.
 */
export async function writeChangedFiles(dir: string, files: readonly ChangedFile[]): Promise<void> {
  const drafts: Draft[] = [];
  const done: Draft[] = [];
  try {
    for (const file of files) drafts.push(await draftOf(dir, file));
    // why: asked again at the end, as drafts of many files take a while
    for (const { file, path } of drafts) await bytesIfSame(path, file);
    for (const draft of drafts) {
      await replace(draft);
      done.push(draft);
    }
  } catch (cause) {
    for (const { path, before } of done) await putBack(path, before);
    if (cause instanceof UserError) throw cause;
    throw new UserError('The files were not written.', {
      why: `${messageOf(cause)}. All of them are as before.`,
      next: 'Mend the cause and run it again.',
      cause,
    });
  } finally {
    await Promise.all(drafts.map(({ temporary }) => temporary && rm(temporary, { force: true })));
  }
}

/** A file to write, whole in a temporary file beside it. `temporary` absent: the file goes. */
interface Draft {
  readonly file: ChangedFile;
  readonly path: string;
  /** Absent: it is new. */
  readonly before?: Buffer;
  readonly temporary?: string;
}

async function draftOf(dir: string, file: ChangedFile): Promise<Draft> {
  const path = join(dir, file.path);
  const before = await bytesIfSame(path, file);
  if (before === undefined) {
    await mkdir(dirname(path), { recursive: true });
    return { file, path, temporary: await writeBeside(path, Buffer.from(file.after ?? ''), 0o644) };
  }
  if (file.after === undefined) return { file, path, before };
  const { mode } = await lstat(path);
  const head = before.subarray(0, mark.length).equals(mark) ? mark : Buffer.alloc(0);
  const temporary = await writeBeside(path, Buffer.concat([head, Buffer.from(file.after)]), mode);
  return { file, path, before, temporary };
}

/** Of UTF-8: https://www.rfc-editor.org/rfc/rfc3629#section-6 */
const mark = Buffer.from([0xef, 0xbb, 0xbf]);

async function bytesIfSame(path: string, { before }: ChangedFile): Promise<Buffer | undefined> {
  const isFile = await lstat(path).then(
    (found) => found.isFile(),
    (error: unknown) => {
      if (before === undefined) return undefined;
      throw error;
    },
  );
  if (isFile === undefined) return undefined;
  const bytes = isFile ? await readFile(path) : undefined;
  if (bytes !== undefined && new TextDecoder().decode(bytes) === before) return bytes;
  throw new UserError(`${path} has changed since it was read. Nothing was written.`, {
    next: 'Run the command again.',
    code: exitCodes.refused,
  });
}

/** Hidden, so that nobody reads it as a spec. */
async function writeBeside(path: string, bytes: Buffer, mode: number): Promise<string> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  const opened = await open(temporary, 'wx', mode);
  try {
    await opened.chmod(mode & 0o7777);
    await opened.writeFile(bytes);
    await opened.sync();
  } finally {
    await opened.close();
  }
  return temporary;
}

const replace = ({ path, temporary }: Draft): Promise<void> =>
  temporary === undefined ? rm(path) : rename(temporary, path);

async function putBack(path: string, bytes: Buffer | undefined): Promise<void> {
  if (bytes === undefined) return rm(path, { force: true });
  const mode = await lstat(path).then(
    (found) => found.mode,
    () => 0o644,
  );
  await rename(await writeBeside(path, bytes, mode), path);
}
