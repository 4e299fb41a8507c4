import { spawn } from 'node:child_process';
import { environment, program } from './command-line.ts';
import { stop } from './stop.ts';

/** `setpoint serve` in a folder, as a user starts it. */
export interface Serving {
  hasEnded(): boolean;
  /** All that it has said on stderr. */
  said(): string;
  /** SIGTERM, and waits. */
  end(): Promise<void>;
}

/** `more`: arguments; `secrets`: variables that its specs name. */
export function serve(
  cwd: string,
  more: readonly string[] = [],
  secrets: Readonly<Record<string, string>> = {},
): Serving {
  const args = [program, 'serve', '--allow-endpoint', '--reserve', '0', ...more];
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...environment(), ...secrets },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  return {
    hasEnded: () => child.exitCode !== null,
    said: () => said,
    end: () => stop(child),
  };
}
