import { type EventEmitter, once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { type ParsedBody, parseBody } from '../json.ts';
import { apiLimits } from '../limits.ts';
import { forbidden, type Problem, ProblemError } from '../problem.ts';
import type { Caller, Route } from './route.ts';

/** Bodies of this part of the server come as what their JSON says; those of the rest stay bytes. */
export function parseJsonBodies(api: FastifyInstance): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => {
    if (body.length === 0) return undefined;
    const read = body.length <= apiLimits.bodyBytes ? parseBody(body) : await parseBodyInThread(body);
    if ('refused' in read) throw new ProblemError(read.refused);
    return read.value;
  });
}

/** `bodyJson` in a thread of its own: a body of some MiB would hold up leases and every other request. */
async function parseBodyInThread(body: Buffer): Promise<ParsedBody> {
  const worker = new Worker(entry);
  try {
    const bytes = new Uint8Array(body);
    worker.postMessage(bytes, [bytes.buffer]);
    const [read]: ParsedBody[] = await once(worker, 'message');
    if (read === undefined) throw new Error('the thread that read a body said nothing');
    return read;
  } finally {
    await worker.terminate();
  }
}

/** Beside this file: as it was written, or as it was built. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './body-worker.ts' : './body-worker.js', import.meta.url);

/**
 * Settles, before any of it is read, whether a caller may send a large body: where the route takes none of theirs, and while
 * another of theirs is being read or answered, it is refused. A body of unstated length counts as large.
 */
export type LargeBodyLimit = (
  route: Route,
  caller: Caller,
  request: { readonly headers: IncomingHttpHeaders },
  reply: { readonly raw: Pick<EventEmitter, 'once'> },
) => void;

export function largeBodyLimit(): LargeBodyLimit {
  const sending = new Set<string>();
  return ({ permission, maySendLargeBody, request }, caller, { headers }, { raw }) => {
    if ((request.bodyBytes ?? 0) <= apiLimits.bodyBytes || !isLarge(headers)) return;
    if (permission !== undefined && maySendLargeBody?.(caller) === false) throw new ProblemError(forbidden(permission));
    if (sending.has(caller.id)) throw new ProblemError(oneAtATime);
    sending.add(caller.id);
    raw.once('close', () => sending.delete(caller.id));
  };
}

function isLarge(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length) > apiLimits.bodyBytes;
  return headers['transfer-encoding'] !== undefined;
}

const oneAtATime: Problem = {
  status: 429,
  title: 'Too Many Requests',
  detail: `Another body of yours of more than ${apiLimits.bodyBytes / 1024} KiB is being read: send this one after it is answered.`,
  headers: { 'retry-after': '1' },
};
