import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

/** moto, an emulator of AWS that others write: https://github.com/getmoto/moto */
export interface Moto {
  readonly url: string;
  /** Empties the account. */
  reset(): Promise<void>;
  close(): void;
}

/** As it is born: https://docs.getmoto.org/en/latest/docs/multi_account.html */
export const motoPlace = { account: '123456789012', region: 'us-east-1', image: 'ami-12c6146b' } as const;

const root = join(import.meta.dirname, '../..');

/** The one at SETPOINT_MOTO, or one started for us by the gates' script; undefined where there is neither. */
export async function openMoto(env: NodeJS.ProcessEnv = process.env): Promise<Moto | undefined> {
  const given = env['SETPOINT_MOTO'];
  if (given !== undefined) return motoAt(given, () => undefined);
  const script = join(resolve(root, env['SETPOINT_GATES'] ?? '../shared/gates'), 'start-moto.sh');
  if (!existsSync(script)) return undefined;
  const { url, group } = await start(script, env);
  // why: by its group, as the file in which the script keeps the pid may meanwhile name somebody else's
  return motoAt(url, () => void process.kill(-group));
}

interface Started {
  readonly url: string;
  /** The process group of all that the script started. */
  readonly group: number;
}

async function start(script: string, env: NodeJS.ProcessEnv): Promise<Started> {
  const port = await freePort();
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const child = spawn('bash', [script, String(port)], { env, detached: true, stdio: [...stdio] });
  const code = await new Promise<number | null>((resolved, reject) => {
    child.once('error', reject);
    child.once('exit', resolved);
  });
  if (code !== 0 || child.pid === undefined) throw new Error(`${script} ended with ${code}: moto did not start`);
  return { url: `http://127.0.0.1:${port}`, group: child.pid };
}

const motoAt = (url: string, close: () => void): Moto => ({
  url,
  reset: async () => {
    const { ok, status } = await fetch(new URL('/moto-api/reset', url), { method: 'POST' });
    if (!ok) throw new Error(`${url} did not empty itself: ${status}`);
  },
  close,
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
