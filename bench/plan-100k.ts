import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Figure } from './figure.ts';

const measured = z.object({
  resources: z.number(),
  kinds: z.number(),
  largest: z.number(),
  actions: z.number(),
  planMs: z.number(),
  floorMs: z.number(),
  peakMiB: z.number(),
});

/**
 * Planning 100,000 resources to JSON text, against the time that JSON itself takes to write and read the same input in
 * the same process; and its peak memory over the input. Asked: at most 2, and at most 512 MiB.
 */
export async function plan100k(): Promise<readonly Figure[]> {
  const script = fileURLToPath(new URL('./plan-100k/measure.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--max-old-space-size=8000', script]);
  const { resources, kinds, largest, planMs, floorMs, peakMiB } = measured.parse(JSON.parse(stdout));
  if (resources < 100_000 || kinds !== 5 || largest > 1024) throw new Error(`not what was asked: ${stdout}`);
  return [
    { name: 'plan-100k', value: planMs, unit: 'ms', floor: floorMs, ratio: planMs / floorMs },
    { name: 'plan-100k-peak', value: peakMiB, unit: 'MiB over the input', floor: 512, ratio: peakMiB / 512 },
  ];
}
