import { spawn } from 'node:child_process';
import { environment, program } from '../process/command-line.ts';
import { stop } from '../process/stop.ts';
import { until } from '../process/until.ts';

/** `setpoint api` on the store in a folder, as a user starts it. */
export interface ServedApi {
  readonly url: string;
  /** The first one, which it prints once. */
  readonly token: string;
  /** SIGTERM, and waits. */
  end(): Promise<void>;
}

export async function serveApi(cwd: string): Promise<ServedApi> {
  const child = spawn(process.execPath, [program, 'api', '--listen', '0'], {
    cwd,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  const end = (): Promise<void> => stop(child);
  const find = () => ({
    url: /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0],
    token: /setpoint_[\w]+_[\w-]{43}/.exec(said)?.[0],
  });
  try {
    await until(() => Object.values(find()).every(Boolean), {
      hasEnded: () => child.exitCode !== null,
      said: () => said,
      end,
    });
    const { url = '', token = '' } = find();
    return { url, token, end };
  } catch (error) {
    await end();
    throw error;
  }
}
