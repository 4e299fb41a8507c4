import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { apiLimits } from '../limits.ts';
import { type BodyJson, bodyJson } from './body-json.ts';
import { Refusal } from './refusal.ts';

/** Bodies of this part of the server come as what their JSON says; those of the rest stay bytes. */
export function jsonBodies(api: FastifyInstance): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => {
    if (body.length === 0) return undefined;
    const read = body.length <= apiLimits.bodyBytes ? bodyJson(body) : await bodyJsonAside(body);
    if ('refused' in read) throw new Refusal(read.refused);
    return read.value;
  });
}

/** `bodyJson` in a thread of its own: a body of some MiB would hold up leases and every other request. */
async function bodyJsonAside(body: Buffer): Promise<BodyJson> {
  const worker = new Worker(entry);
  try {
    const bytes = new Uint8Array(body);
    worker.postMessage(bytes, [bytes.buffer]);
    const [read]: BodyJson[] = await once(worker, 'message');
    if (read === undefined) throw new Error('the thread that read a body said nothing');
    return read;
  } finally {
    await worker.terminate();
  }
}

/** Beside this file: as it was written, or as it was built. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './body-worker.ts' : './body-worker.js', import.meta.url);
