import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Pace } from '../../../src/queue/jobs.ts';
import { until } from '../../support/until.ts';
import type { Bench } from './harness.ts';

interface Victim {
  begins(): Promise<void>;
  kill(): Promise<void>;
}

/** A process of its own with reconciles that never end. */
export async function worker({ backend, name }: Bench, pace: Pace): Promise<Victim> {
  const path = fileURLToPath(new URL('./worker-process.ts', import.meta.url));
  const child = spawn(process.execPath, [path, JSON.stringify({ backend, name, pace })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = told(child);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await until('the worker is ready', () => said().includes('ready'));
  return {
    begins: () => until('the worker has begun', () => said().includes('began')),
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function told(child: ChildProcess): () => string {
  let said = '';
  child.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  return () => said;
}
