import { type FileHandle, open, readFile } from 'node:fs/promises';
import { canonical } from '../core/ledger/canonical.ts';
import { type AnyCheckpoint, readCheckpoint } from '../core/ledger/chain.ts';

/** Signed checkpoints, one a line, only ever appended to. */
export interface CheckpointFile {
  append(checkpoint: AnyCheckpoint): Promise<void>;
  /** Oldest first; see `readCheckpoints`. */
  read(): Promise<readonly AnyCheckpoint[]>;
}

export const checkpointFile = (path: string): CheckpointFile => ({
  append: (checkpoint) => appendLine(path, canonical(checkpoint)),
  read: async () => readCheckpoints(await textOf(path), path),
});

/** Appends a line, in place of one that a crash cut short, and waits until the disk has it. */
export async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    await file.truncate(await wholeLines(file));
    await file.appendFile(`${line}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Longer than any line. */
const tailBytes = 16 * 1024 * 1024;

/** The size of a file up to its last line break. */
async function wholeLines(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const from = Math.max(0, size - tailBytes);
  const ends = await bytesFrom(file, Math.max(0, size - 1), size);
  if (size === 0 || ends[0] === lineBreak) return size;
  return from + (await bytesFrom(file, from, size)).lastIndexOf(lineBreak) + 1;
}

async function bytesFrom(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
  return buffer.subarray(0, bytesRead);
}

const lineBreak = 0x0a;

const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** The text of a checkpoints file. Throws for a damaged line; only the last one may be cut short, by a crash. */
export function readCheckpoints(text: string, path = 'the checkpoints'): readonly AnyCheckpoint[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    try {
      return [readCheckpoint(line)];
    } catch (error) {
      if (index === lines.length - 1 && !line.endsWith('}')) return [];
      throw new Error(`line ${index + 1} of ${path} is damaged: it holds no signed checkpoint`, { cause: error });
    }
  });
}
