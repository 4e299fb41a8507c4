import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';

/** One run of the `git` binary: a list of arguments, no shell, nothing of our own environment but `env`. */
interface GitRun {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A folder that is no repository, or is ours: git reads the configuration of the one it stands in. */
  readonly cwd: string;
  /** Its input on stdin. */
  readonly input?: string;
  readonly bounds: GitLimits;
}

export interface GitLimits {
  readonly timeoutMs: number;
  /** Of stdout. */
  readonly mostBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** `why`: it was ended by us. Otherwise `code` is git's own; undefined: it died of a signal, or is not installed. */
export interface GitResult {
  readonly code: number | undefined;
  readonly stdout: Buffer;
  /** Its first 16 KiB. */
  readonly stderr: string;
  readonly why?: 'aborted' | 'too long' | 'too much' | 'not installed';
}

/** Never rejects: how it ended is for the caller to judge. When it resolves nothing that git started runs any more. */
export async function runGit({ args, env, cwd, input = '', bounds }: GitRun): Promise<GitResult> {
  if (bounds.signal?.aborted) return { code: undefined, stdout: Buffer.alloc(0), stderr: '', why: 'aborted' };
  const child = startGit(args, env, cwd);
  let why: GitResult['why'];
  const end = (reason: GitResult['why']): void => {
    why ??= reason;
    endGroup(child);
  };
  const stdout = keep(child, bounds.mostBytes, () => end('too much'));
  const stderr = keepFirst(child, 16_384);
  child.once('error', () => end('not installed'));
  const timer = setTimeout(() => end('too long'), bounds.timeoutMs);
  const onAbort = (): void => end('aborted');
  bounds.signal?.addEventListener('abort', onAbort);
  child.stdin.end(input);
  const [code] = await once(child, 'close').catch(() => [null]);
  clearTimeout(timer);
  bounds.signal?.removeEventListener('abort', onAbort);
  const result = {
    code: typeof code === 'number' && why === undefined ? code : undefined,
    stdout: stdout(),
    stderr: stderr(),
  };
  return why === undefined ? result : { ...result, why };
}

/** In a group of its own, so that it ends with all that it starts: ssh, git-remote-https, index-pack. */
export function startGit(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): ChildProcessWithoutNullStreams {
  const child = spawn('git', [...args], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  // why: a git that ends before it has read its input is judged by its exit
  child.stdin.on('error', () => undefined);
  return child;
}

/** Asks git to end, so that it removes what it was writing, and two seconds later makes it. */
export function endGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined) return;
  const group = -child.pid;
  signalGroup(group, 'SIGTERM');
  const last = setTimeout(() => signalGroup(group, 'SIGKILL'), 2000);
  child.once('close', () => clearTimeout(last));
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(group, signal);
  } catch {
    // it has ended
  }
}

function keep(child: ChildProcessWithoutNullStreams, most: number, onMore: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most) onMore();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks);
}

function keepFirst(child: ChildProcessWithoutNullStreams, most: number): () => string {
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < most) text += chunk.slice(0, most - text.length);
  });
  return () => text;
}

const MINUTE = 60_000;

/** The limits of git's time and output. `http.lowSpeedTime` gives up a silent server earlier. */
export const gitLimits = {
  local: (): GitLimits => ({ timeoutMs: 2 * MINUTE, mostBytes: 8 * 1024 * 1024 }),
  ask: (signal?: AbortSignal): GitLimits => ({ timeoutMs: MINUTE, mostBytes: 1024 * 1024, signal }),
  fetch: (signal?: AbortSignal): GitLimits => ({ timeoutMs: 15 * MINUTE, mostBytes: 1024 * 1024, signal }),
  read: (signal?: AbortSignal) => ({ timeoutMs: 5 * MINUTE, signal }),
} as const;
