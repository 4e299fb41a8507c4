import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes of a file inside a tree, or why it is not read. */
export type FileReading =
  | { readonly bytes: Buffer; readonly refused?: never }
  | { readonly bytes?: never; readonly refused: string };

/**
 * Reads `path` (relative, with `/`) under `root`. Refuses whatever is not a plain file or is reached through a symlink,
 * and reads at most `limit` bytes. The file is opened once and judged by what was opened, so it cannot be swapped.
 */
export async function readFileInside(root: string, path: string, limit: number): Promise<FileReading> {
  const full = join(root, path);
  try {
    const real = await realpath(full);
    if (real !== join(await realpath(root), path)) return { refused: 'it is reached through a symlink' };
    if (!(await lstat(full)).isFile()) return { refused: 'it is not a plain file' };
    const file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      if (size > limit) return { refused: `it has ${size} bytes; at most ${limit} are allowed` };
      return { bytes: await file.readFile() };
    } finally {
      await file.close();
    }
  } catch (cause) {
    return { refused: reasonOf(cause) };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is nothing by this name',
  ENOTDIR: 'there is nothing by this name',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  ELOOP: 'it is reached through a symlink',
};

/** In words; unknown codes by their code. */
export function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  return REASONS[code] ?? `it cannot be read (${code})`;
}
