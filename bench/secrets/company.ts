import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stop } from '../processes/measured.ts';
import { program, type Serving } from '../processes/setpoint.ts';
import { canary } from './canaries.ts';
import type { Outputs } from './outputs.ts';

/** Processes of ours in one folder, with one environment; all that they say is recorded. */
export interface Company {
  /** Runs a verb to its end; its exit code is for nobody to judge here. */
  run(args: readonly string[], more?: NodeJS.ProcessEnv): Promise<{ readonly code: number; readonly stdout: string }>;
  /** Starts one that goes on. */
  start(args: readonly string[], more?: NodeJS.ProcessEnv): Serving;
}

export function companyIn(cwd: string, env: NodeJS.ProcessEnv, outputs: Outputs): Company {
  const launch = (args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess =>
    spawn(process.execPath, [program, ...args], {
      cwd,
      env: { ...plain, ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    run: async (args, more) => {
      const child = launch(args, more);
      const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
      const [code] = await once(child, 'close');
      outputs.record(`stdout of setpoint ${args[0]}`, stdout());
      outputs.record(`stderr of setpoint ${args[0]}`, stderr());
      return { code: Number(code), stdout: stdout() };
    },
    start: (args, more) => {
      const child = launch(args, more);
      const said = [collected(child.stdout), collected(child.stderr)];
      const all = (): string => said.map((part) => part()).join('\n');
      return {
        said: all,
        hasEnded: () => child.exitCode !== null,
        end: async () => {
          await stop(child);
          outputs.record(`the log of setpoint ${args[0]}`, all());
        },
      };
    },
  };
}

/** Nobody's own; what the clouds' libraries find in an environment is planted. */
const plain: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NO_COLOR: '1',
  SETPOINT_LOG: 'json',
  SETPOINT_LOG_LEVEL: 'debug',
  SETPOINT_DEBUG: '1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: canary('environment: the secret key of the process'),
  AWS_EC2_METADATA_DISABLED: 'true',
  SETPOINT_SECRET_GIT_TOKEN: canary('environment: a token for git'),
};

function collected(stream: NodeJS.ReadableStream | null): () => string {
  const parts: Buffer[] = [];
  stream?.on('data', (part: Buffer) => parts.push(part));
  return () => Buffer.concat(parts).toString('utf8');
}
