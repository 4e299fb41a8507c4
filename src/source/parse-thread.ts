import { Worker } from 'node:worker_threads';
import type { Specs } from '../core/documents/check-specs.ts';
import type { Document } from '../core/documents/document.ts';
import type { Problem } from '../core/documents/problem.ts';
import { type Located, locate, type Tree } from '../core/documents/tree.ts';
import { parseSpecs } from './parse-specs.ts';
import type { SpecFile } from './tree.ts';

/** The thread needed more of the processor's time than it was given. */
export class ParseTimeout extends Error {}

/** The input of the thread. */
export interface Parsing {
  readonly files: readonly SpecFile[];
  readonly today: string;
}

/** The thread's messages: some of the documents for each request; in the end the problems, and the documents that have ended. */
export type Parsed =
  | { readonly documents: readonly ParsedDocument[] }
  | { readonly problems: readonly Problem[]; readonly ended: readonly ParsedDocument[] };

interface ParsedDocument {
  readonly value: Document;
  readonly tree: Tree;
}

/** Characters that a parser reads within 50 ms, however full of marks they are (5 to 15 µs a mark, see `limits`). */
const inlineLength = 4 * 1024;

/**
 * `parseSpecs` in a thread of its own, so that a process that serves others goes on meanwhile: leases are renewed, requests are
 * answered. A few small files are read at once, as a thread takes longer to begin. Rejects with `ParseTimeout` once the thread has used
 * more than `mostMs` of the processor's time.
 */
export function parseSpecsInThread(files: readonly SpecFile[], today: string, mostMs?: number): Promise<Specs> {
  const length = files.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= inlineLength) return Promise.resolve(parseSpecs(files, today));
  return inThread({ files, today }, mostMs);
}

function inThread(parsing: Parsing, mostMs = never): Promise<Specs> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData: parsing });
    const documents: Located<Document>[] = [];
    const end = (settle: () => void): void => {
      clearInterval(watch);
      void worker.terminate();
      settle();
    };
    const look = async (): Promise<void> => {
      // why: an ended thread has reported its end
      const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
      if ((user + system) / 1000 > mostMs) end(() => reject(new ParseTimeout()));
    };
    const watch = setInterval(() => void look(), watchMs);
    worker.on('error', (error) => end(() => reject(error)));
    worker.on('exit', () => end(() => reject(new Error('the thread that read the specs ended without an answer'))));
    worker.on('message', (parsed: Parsed) => {
      if ('problems' in parsed) {
        const ended = parsed.ended.map(({ value, tree }) => locate(value, tree));
        return end(() => resolve({ documents, ended, problems: parsed.problems }));
      }
      for (const { value, tree } of parsed.documents) documents.push(locate(value, tree));
      // why: the loop would take all arrived messages in one turn, however many they are
      setImmediate(() => worker.postMessage('go on'));
    });
  });
}

const never = Number.POSITIVE_INFINITY;
const watchMs = 100;

/** Beside this file: as it was written, or as it was built. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './parse-worker.ts' : './parse-worker.js', import.meta.url);
