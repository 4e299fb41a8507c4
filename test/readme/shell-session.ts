import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { until } from '../support/until.ts';

export interface Ran {
  readonly code: number;
  /** Its output on stdout and stderr, without colours. */
  readonly said: string;
}

/** A command that goes on until somebody ends it. */
export interface Running {
  said(): string;
  /** Waits until it has said so; throws where it ends before. */
  until(pattern: RegExp): Promise<void>;
  /** SIGTERM to the program, or to all of a line of others; waits for its end. */
  end(): Promise<void>;
}

/** Terminals of one person: later lines have the exports and definitions of earlier ones. */
export interface ShellSession {
  /** For later lines only. */
  remember(line: string): void;
  run(line: string): Promise<Ran>;
  /** On a terminal, where `typed` answers its question. Linux only: `script` of util-linux makes the terminal. */
  runTyping(line: string, typed: string): Promise<Ran>;
  start(line: string): Running;
}

/** Even on a machine with too much to do. */
const longestMs = 240_000;

export function shellSession(cwd: string, env: NodeJS.ProcessEnv): ShellSession {
  const remembered: string[] = [];
  const text = (line: string): string => [...remembered, line].join('\n');
  const bash = (script: string): ChildProcessWithoutNullStreams =>
    spawn('bash', ['-c', script], { cwd, env, detached: true });
  const finished = async (child: ChildProcessWithoutNullStreams): Promise<Ran> => {
    const said = collect(child);
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), longestMs);
    const [code] = await once(child, 'close');
    clearTimeout(timer);
    return { code: Number(code ?? 1), said: said() };
  };
  return {
    remember: (line) => void remembered.push(line),
    run: (line) => {
      const child = bash(text(line));
      child.stdin.end();
      return finished(child);
    },
    runTyping: (line, typed) => {
      const child = spawn('script', ['-qec', 'bash -c "$LINE"', '/dev/null'], {
        ...{ cwd, detached: true },
        env: { ...env, LINE: text(line) },
      });
      // why: text typed before the question may be lost
      child.stdout.on('data', (chunk) => {
        if (/accepted: |: ?$/.test(String(chunk))) child.stdin.write(`${typed}\n`);
      });
      return finished(child);
    },
    start: (line) => running(bash(text(line)), line),
  };
}

function running(child: ChildProcessWithoutNullStreams, line: string): Running {
  const said = collect(child);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    said,
    until: (pattern) =>
      until(
        `${line} says ${pattern}`,
        () => {
          if (hasEnded()) throw new Error(`${line} ended:\n${said()}`);
          return pattern.test(said());
        },
        longestMs,
      ),
    end: async () => {
      if (hasEnded()) return;
      const end = once(child, 'close');
      const program = innermost(child);
      if (program === undefined) signalGroup(child, 'SIGTERM');
      else process.kill(program, 'SIGTERM');
      await end;
    },
  };
}

function collect(child: ChildProcessWithoutNullStreams): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += stripVTControlCharacters(String(chunk));
    });
  }
  return () => said;
}

/** The program itself behind npm and its wrappers: these pass a signal on, and a second one ends it at once. */
function innermost({ pid }: ChildProcessWithoutNullStreams): number | undefined {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,args='], { encoding: 'utf8' }).split('\n');
  const ours = lines.flatMap((line) => {
    const [own, parent, group, ...args] = line.trim().split(/\s+/);
    const isOurs = Number(group) === pid && args.some((arg) => arg.endsWith('bin/setpoint.mjs'));
    return isOurs ? [{ pid: Number(own), parent: Number(parent) }] : [];
  });
  return ours.find((one) => !ours.some(({ parent }) => parent === one.pid))?.pid;
}

function signalGroup({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {} // why: it has ended in the meantime
}
