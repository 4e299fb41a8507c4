import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** No fetch runs for so long. */
const OLD_MS = 24 * 60 * 60_000;

/** Removes what processes that were killed in a fetch left of a mirror: unfinished packs, and mirrors that were to replace it. */
export async function sweep(mirror: string, now: number): Promise<void> {
  const beside = { folder: dirname(mirror), prefix: `${basename(mirror)}.` };
  const packs = { folder: join(mirror, 'objects', 'pack'), prefix: 'tmp_' };
  for (const { folder, prefix } of [beside, packs]) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => one.startsWith(prefix))) {
      const path = join(folder, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
      if (now - mtimeMs > OLD_MS) await rm(path, { recursive: true, force: true });
    }
  }
}
