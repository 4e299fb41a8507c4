import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fullName } from './full-name.ts';
import type { Mirror } from './mirror.ts';
import { endGroup, startGit } from './run-git.ts';

/** Git's objects by their names, read one after the other from one process. */
export interface ObjectReader {
  /** Undefined: the repository does not hold it. Nothing of its content is read. */
  look(id: string): Promise<ObjectHead | undefined>;
  /** Its bytes, which are what its name says. Rejects where it is not there, is another type or has more bytes. */
  read(id: string, type: ObjectHead['type'], mostBytes: number): Promise<Buffer>;
  end(): void;
}

export interface ObjectHead {
  readonly type: 'blob' | 'tree' | 'commit' | 'tag';
  readonly bytes: number;
}

/** Our copy does not hold what it must, or git ended where it must not. */
export class UnreadableObject extends Error {}

export interface ReaderBounds {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Needs git 2.36, whose `--batch-command` can tell a size before it sends the content. */
export function objectReader({ folder, env }: Mirror, { timeoutMs, signal }: ReaderBounds): ObjectReader {
  const child = startGit([`--git-dir=${folder}`, 'cat-file', '--batch-command'], env, folder);
  const timer = setTimeout(() => endGroup(child), timeoutMs);
  const onAbort = (): void => endGroup(child);
  signal?.addEventListener('abort', onAbort);
  child.once('close', () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  });
  const answers = answersOf(child);
  const look = async (id: string): Promise<ObjectHead | undefined> => {
    child.stdin.write(`info ${fullName(id)}\n`);
    return headOf(await answers.line());
  };
  return {
    look,
    read: async (id, type, mostBytes) => {
      const head = await look(id);
      if (head?.type !== type)
        throw new UnreadableObject(`${id} is ${head ? `a ${head.type}` : 'not there'}, no ${type}`);
      if (head.bytes > mostBytes) throw new UnreadableObject(`${id} has ${head.bytes} bytes`);
      child.stdin.write(`contents ${id}\n`);
      await answers.line();
      const bytes = await answers.bytes(head.bytes);
      await answers.bytes(1);
      // why: git believes a loose object to be what it is called: https://git-scm.com/docs/git-fsck
      if (nameOf(type, bytes) !== id) throw new UnreadableObject(`${id} is not what its name says`);
      return bytes;
    },
    end: () => child.stdin.end(),
  };
}

const nameOf = (type: string, bytes: Buffer): string =>
  createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');

function headOf(line: string): ObjectHead | undefined {
  const [, type, size] = /^[0-9a-f]{40} (blob|tree|commit|tag) (\d+)$/.exec(line) ?? [];
  if (type === 'blob' || type === 'tree' || type === 'commit' || type === 'tag') return { type, bytes: Number(size) };
  if (line.endsWith(' missing')) return undefined;
  throw new UnreadableObject(`git answered ${JSON.stringify(line.slice(0, 100))}`);
}

interface Answers {
  line(): Promise<string>;
  bytes(count: number): Promise<Buffer>;
}

/** What git says, taken as it is asked for; whoever waits when it ends is told. */
function answersOf(child: ChildProcessWithoutNullStreams): Answers {
  const chunks = child.stdout[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, 2000);
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (cause) => reject(new UnreadableObject('git does not start', { cause })));
  });
  failed.catch(() => undefined);
  const more = async (): Promise<Buffer> => {
    const next = await Promise.race([chunks.next(), failed]);
    if (next.done) throw new UnreadableObject(`git ended: ${complaint.trim() || 'without a word'}`);
    return next.value;
  };
  return {
    line: async () => {
      while (!held.includes(0x0a)) held = Buffer.concat([held, await more()]);
      const end = held.indexOf(0x0a);
      const line = held.toString('latin1', 0, end);
      held = held.subarray(end + 1);
      return line;
    },
    bytes: async (count) => {
      const parts = [held];
      let length = held.length;
      while (length < count) {
        const chunk = await more();
        parts.push(chunk);
        length += chunk.length;
      }
      const all = Buffer.concat(parts);
      held = all.subarray(count);
      return all.subarray(0, count);
    },
  };
}
