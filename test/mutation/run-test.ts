import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Copy, scratchOf } from './tree.ts';

export interface Run {
  readonly how: 'passed' | 'failed' | 'timeout';
  readonly ms: number;
}

export interface RunOptions {
  readonly timeoutMs: number;
  /** The folder for V8's coverage. */
  readonly coverage?: string;
}

/** Runs one test file in a process of its own, which is ended at the first failed test or when its time is over. */
export function runTest(copy: Copy, file: string, { timeoutMs, coverage }: RunOptions): Promise<Run> {
  const from = performance.now();
  const child = spawn(process.execPath, ['--test-reporter=tap', join(copy.root, file)], {
    cwd: copy.root,
    env: environment(copy, coverage),
    stdio: ['ignore', 'pipe', 'ignore'],
    // why: processes of a test end with it
    detached: true,
  });
  return new Promise((resolve, reject) => {
    let how: Run['how'] | undefined;
    const end = (as: Run['how']): void => {
      how ??= as;
      if (child.pid !== undefined && child.exitCode === null) killGroup(child.pid);
    };
    const timer = setTimeout(() => end('timeout'), timeoutMs);
    let line = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (line + text).split('\n');
      line = lines.pop() ?? '';
      // while coverage is taken the process ends by itself, as it writes at its end
      if (coverage === undefined && lines.some(isFailure)) end('failed');
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ how: how ?? (code === 0 ? 'passed' : 'failed'), ms: Math.round(performance.now() - from) });
    });
  });
}

const isFailure = (line: string): boolean => /^\s*not ok /.test(line) && !/# (?:TODO|SKIP)/.test(line);

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // why: it ended a moment ago by itself
  }
}

/** The simulation replays few seeds, and no test asks a server of the person at the terminal. */
function environment(copy: Copy, coverage: string | undefined): NodeJS.ProcessEnv {
  const {
    NODE_V8_COVERAGE: _,
    NODE_TEST_CONTEXT: __,
    NODE_COMPILE_CACHE: _____,
    SETPOINT_SERVER: ___,
    SETPOINT_TOKEN: ____,
    ...rest
  } = process.env;
  return {
    ...rest,
    TMPDIR: scratchOf(copy),
    SIM_SEEDS: '5',
    // V8 measures cached code less exactly
    ...(coverage === undefined
      ? { NODE_COMPILE_CACHE: join(scratchOf(copy), 'compiled') }
      : { NODE_V8_COVERAGE: coverage }),
  };
}
