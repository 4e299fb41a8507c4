import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stop } from '../process/stop.ts';

/** The API in a process of its own, on the store of a folder. */
export interface ServerProcess {
  readonly url: string;
  /** What it held, every two seconds since it was last asked. */
  takeMemory(): readonly Held[];
  /** SIGTERM, and waits. Returns how long that took, in ms. */
  end(): Promise<number>;
}

/** In bytes. `used`: once everything else is cleared away. */
export interface Held {
  readonly used: number;
  readonly resident: number;
}

/** The heap's young part has its full size from the start: otherwise it grows to that at some moment, and looks like a leak. */
const flags = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16'];

export async function startServer(folder: string, isLossy: boolean): Promise<ServerProcess> {
  const program = fileURLToPath(new URL('./server.ts', import.meta.url));
  const args = [...flags, program, folder, ...(isLossy ? ['--lossy'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const memory: Held[] = [];
  const end = async (): Promise<number> => {
    const from = performance.now();
    await stop(child);
    return performance.now() - from;
  };
  const lines = createInterface({ input: child.stdout });
  const url = await Promise.race([once(lines, 'line').then(([line]) => String(line)), once(child, 'exit')]);
  if (typeof url !== 'string') throw new Error('the server ended without saying where it is');
  lines.on('line', (line) => {
    const [used = Number.NaN, resident = Number.NaN] = line.split(' ').map(Number);
    memory.push({ used, resident });
  });
  return { url, takeMemory: () => memory.splice(0), end };
}
