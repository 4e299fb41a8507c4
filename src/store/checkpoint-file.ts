import { open, readFile } from 'node:fs/promises';
import { canonical } from '../core/ledger/canonical.ts';
import { type AnyCheckpoint, readCheckpoint } from '../core/ledger/checkpoint.ts';

/** Signed checkpoints, one a line, only ever appended to. */
export interface CheckpointFile {
  append(checkpoint: AnyCheckpoint): Promise<void>;
  /** Oldest first. A line that is none throws; one that was cut short by a crash is passed over. */
  read(): Promise<readonly AnyCheckpoint[]>;
}

export function checkpointFile(path: string): CheckpointFile {
  return {
    // why: the line break comes first, so that a line cut short by a crash cannot swallow this one.
    append: async (checkpoint) => {
      const file = await open(path, 'a', 0o600);
      try {
        await file.write(`\n${canonical(checkpoint)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
    },
    read: async () => readCheckpoints(await readFile(path, 'utf8').catch(() => '')),
  };
}

/** The text of a checkpoints file. */
export function readCheckpoints(text: string): readonly AnyCheckpoint[] {
  return text.split('\n').flatMap((line, index) => {
    if (line === '') return [];
    try {
      return [readCheckpoint(line)];
    } catch (error) {
      if (!line.endsWith('}')) return [];
      throw new Error(`line ${index + 1} of the checkpoints is none`, { cause: error });
    }
  });
}
