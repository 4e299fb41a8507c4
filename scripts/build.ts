// Writes dist/, which the published package runs: Node strips no types under node_modules.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What the sources read at run time, by a path relative to their own, and the compiler does not copy. */
const ASSETS = ['src/**/*.sql', 'src/**/*.lua', 'src/console/assets'];

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
if (status === 0) for (const path of globSync(ASSETS)) cpSync(path, join('dist', path), { recursive: true });
process.exitCode = status ?? 1;
