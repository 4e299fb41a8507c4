import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Mirror } from './mirror.ts';
import { fullName } from './refs.ts';
import { endGroup, startGit } from './run-git.ts';

/** A rule for an object, checked before its bytes are used. */
export interface ObjectRule {
  readonly name: string;
  readonly breaks: (object: GitObject) => boolean;
  /** Goes on after the object's name. */
  readonly message: string;
}

interface GitObject {
  /** Its full name. */
  readonly id: string;
  readonly type: string;
  readonly bytes: Buffer;
}

export const objectRules: readonly ObjectRule[] = [
  {
    // why: git believes a loose object to be what it is called: https://git-scm.com/docs/git-fsck
    name: 'hash',
    breaks: ({ id, type, bytes }) => nameOf(type, bytes) !== id,
    message: 'does not match its hash',
  },
];

const nameOf = (type: string, bytes: Buffer): string =>
  createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');

/** Git's objects by their names, read one after the other from one process. */
export interface ObjectReader {
  /** Its bytes where it is of this type and has no more of them. Rejects with `UnreadableObject` where it is not there whole. */
  read(id: string, type: ObjectHead['type'], mostBytes: number): Promise<ObjectReading>;
  /** Resolves when the process has ended. */
  end(): Promise<void>;
}

/** `bytes`: absent where it was not asked for what it is. */
interface ObjectReading {
  readonly head: ObjectHead;
  readonly bytes?: Buffer;
}

interface ObjectHead {
  readonly type: 'blob' | 'tree' | 'commit' | 'tag';
  readonly bytes: number;
}

/** Our copy does not hold what it must, or git ended where it must not. */
export class UnreadableObject extends Error {}

export class MissingObject extends UnreadableObject {}

interface ReaderBounds {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Needs git 2.36, whose `--batch-command` can tell a size before it sends the content. */
export function objectReader(
  { folder, env }: Mirror,
  { timeoutMs, signal }: ReaderBounds,
  rules: readonly ObjectRule[] = objectRules,
): ObjectReader {
  const child = startGit([`--git-dir=${folder}`, 'cat-file', '--batch-command'], env, folder);
  const ended = new Promise<void>((resolve) => child.once('close', resolve).once('error', resolve));
  const stop = (): void => endGroup(child);
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const answers = answersOf(child);
  const read: ObjectReader['read'] = async (id, type, mostBytes) => {
    child.stdin.write(`info ${fullName(id)}\n`);
    const line = await answers.line();
    const head = headOf(line);
    if (head.type !== type || head.bytes > mostBytes) return { head };
    child.stdin.write(`contents ${id}\n`);
    if ((await answers.line()) !== line) throw new UnreadableObject(`${id} changed while it was read`);
    const bytes = await answers.bytes(head.bytes);
    await answers.bytes(1);
    const broken = rules.find(({ breaks }) => breaks({ id, type, bytes }));
    if (broken) throw new UnreadableObject(`${id} ${broken.message}`);
    return { head, bytes };
  };
  let before: Promise<unknown> = Promise.resolve();
  return {
    read: (id, type, mostBytes) => {
      // why: answers come in the order of the questions, so nobody asks before the one before has been answered
      const reading = before.then(() => read(id, type, mostBytes));
      before = reading.catch(() => undefined);
      return reading;
    },
    end: async () => {
      for (const stream of child.stdio) stream?.destroy();
      stop();
      await ended;
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    },
  };
}

function headOf(line: string): ObjectHead {
  const [, type, size] = /^[0-9a-f]{40} (blob|tree|commit|tag) (\d+)$/.exec(line) ?? [];
  if (type === 'blob' || type === 'tree' || type === 'commit' || type === 'tag') return { type, bytes: Number(size) };
  if (line.endsWith(' missing')) throw new MissingObject(`${line} in it`);
  throw new UnreadableObject(`git says ${JSON.stringify(line.slice(0, 100))}`);
}

interface Answers {
  line(): Promise<string>;
  bytes(count: number): Promise<Buffer>;
}

/** Git's output, read on demand; its end is reported to waiting readers. */
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
