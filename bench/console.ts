import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Figure } from './figure.ts';

const inConsole = (path: string): string => fileURLToPath(new URL(`../console/${path}`, import.meta.url));

const needed: readonly (readonly [path: string, why: string])[] = [
  ['dist/index.html', 'the console is not built. Run npm run console:build'],
  ['node_modules/playwright-core', 'playwright-core is not installed. Run npm ci in console/'],
];

/**
 * Figures of the built console in Chromium, over `setpoint api` on the embedded database, in a process with the packages of the console. Some
 * are measured alone: `npm run bench -- console --console-live`. What the machine lacks for the others is said, and they are left out.
 */
export async function consoleFigures(args: readonly string[]): Promise<readonly Figure[]> {
  const [lack] = needed.filter(([path]) => !existsSync(inConsole(path)));
  if (lack !== undefined) {
    process.stderr.write(`console: LEFT OUT: ${lack[1]}\n`);
    return [];
  }
  const child = spawn(process.execPath, [inConsole('test/bench/figures.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const figures: Figure[] = [];
  for await (const line of createInterface({ input: child.stdout })) figures.push(figure.parse(JSON.parse(line)));
  const [code] = await ended;
  if (code !== 0) throw new Error(`the process that measures ended with ${code}`);
  return figures;
}

const figure = z.object({
  name: z.string(),
  value: z.number(),
  unit: z.string(),
  floor: z.number().exactOptional(),
  ratio: z.number().exactOptional(),
  evidence: z.array(z.string()).exactOptional(),
});
