import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Lines of JSON that outlive an interrupted run. */
export interface Records<T> {
  readonly all: readonly T[];
  add(record: T): Promise<void>;
}

/** `isFit`: whether an earlier record still holds. */
export async function openRecords<T>(file: string, isFit: (record: T) => boolean): Promise<Records<T>> {
  await mkdir(dirname(file), { recursive: true });
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const all = text
    .split('\n')
    .flatMap((line) => parsed<T>(line))
    .filter(isFit);
  return {
    all,
    add: async (record) => {
      all.push(record);
      await appendFile(file, `${JSON.stringify(record)}\n`);
    },
  };
}

export const forget = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** The last line of a run that was killed may be half. */
function parsed<T>(line: string): readonly T[] {
  try {
    // why: this program wrote the line
    return [JSON.parse(line) as T];
  } catch {
    return [];
  }
}
