import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refused, type SignatureRefusal } from './signers.ts';

/** Commits, keys and signatures are small: what takes longer or says more is none. */
const MOST_MS = 30_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

/** The environment of a program. `path`: the folders to search, as in PATH. */
interface Run {
  readonly args: readonly string[];
  readonly input: string | Buffer;
  /** Its working folder and its HOME. */
  readonly folder: string;
  readonly path: string;
}

export interface ProgramResult {
  readonly ok: true;
  /** Undefined: it was ended by us or by a signal. */
  readonly exit: number | undefined;
  readonly output: Buffer;
  readonly complaint: string;
}

/** The programs that are needed, with the packages they come in. */
const PACKAGES = { git: 'git', gpg: 'gnupg', 'ssh-keygen': 'openssh-client' } as const;

/**
 * Runs a program to its end, without a shell. Of our environment it sees nothing; what it would ask of users, systems,
 * networks or terminals is off. Output over the limit is cut, and the program ended.
 */
export function runProgram(name: keyof typeof PACKAGES, run: Run): Promise<ProgramResult | SignatureRefusal> {
  return new Promise((resolve) => {
    const child = spawn(name, run.args, { cwd: run.folder, env: environment(run), stdio: 'pipe' });
    const output: Buffer[] = [];
    let complaint = '';
    let length = 0;
    const end = (): boolean => child.kill('SIGKILL');
    const timer = setTimeout(end, MOST_MS);
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MOST_OUTPUT) end();
      else output.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint = (complaint + chunk).slice(0, 4096);
    });
    // why: a program that refuses its arguments ends without reading
    child.stdin.on('error', () => undefined);
    child.stdin.end(run.input);
    child.on('error', (cause) => {
      clearTimeout(timer);
      resolve(notRun(name, cause));
    });
    child.on('close', (exit) => {
      clearTimeout(timer);
      resolve({ ok: true, exit: exit ?? undefined, output: Buffer.concat(output), complaint });
    });
  });
}

function notRun(name: keyof typeof PACKAGES, cause: Error): SignatureRefusal {
  const isMissing = 'code' in cause && cause.code === 'ENOENT';
  const what = isMissing ? `${name} is not installed` : `${name} cannot be run: ${cause.message}`;
  return refused('no-program', `${what}: install the package ${PACKAGES[name]}`);
}

const environment = ({ folder, path }: Run): NodeJS.ProcessEnv => ({
  PATH: path,
  HOME: folder,
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
});

/** The workspace for verifying signatures: a folder of our own that is deleted afterwards. */
export interface SignatureWorkspace {
  readonly folder: string;
  /** The folders to search for programs, as in PATH. */
  readonly path: string;
  /** YYYY-MM-DD. */
  readonly today: string;
}

/** Keys and signatures for other programs are written where nobody else may read, and deleted afterwards. */
export async function withPrivateFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  // mkdtemp makes it 0700
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-signatures-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
