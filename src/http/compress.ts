import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { encodingFor } from './negotiate.ts';

/** Shorter answers go as they are: they fit into one packet. */
const leastBytes = 1024;

/** Brotli's level 4 takes about as long as gzip's 6 and its usual level, 11, a hundred times that: https://www.rfc-editor.org/rfc/rfc7932 */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

interface Encoding {
  readonly whole: (text: Buffer) => Promise<Buffer>;
  readonly stream: () => Transform;
}

const encodings = {
  br: { whole: (text) => promisify(brotliCompress)(text, brotli), stream: () => createBrotliCompress(brotli) },
  gzip: { whole: (text) => promisify(gzip)(text), stream: () => createGzip() },
} as const satisfies Record<string, Encoding>;

const offered = ['br', 'gzip'] as const;

/** Texts. Events go as they are: a reader must have each at once. */
const compressible = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?(?:json|x-ndjson))/;

/**
 * Compresses answers as Accept-Encoding asks, beside the event loop. `no-transform` in an answer's Cache-Control keeps it as it is:
 * answers with a secret have that, since lengths of compressed text tell of what stands beside it (BREACH, https://www.breachattack.com).
 * Others need no more: a browser sends no credential of its own accord, as there are no cookies.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const isStream = payload instanceof Readable;
    if (!isCompressible(reply) || !(isStream || isLong(payload))) return payload;
    reply.header('vary', 'accept-encoding');
    const name = encodingFor(request.headers['accept-encoding'], offered);
    if (name === undefined || request.method === 'HEAD') return payload;
    reply.header('content-encoding', name);
    const encoding = encodings[name];
    if (!isStream) return encoding.whole(Buffer.from(payload));
    // why: an error reaches the reader through the stream that they read, which it cuts off
    return pipeline(payload, encoding.stream(), () => {});
  });
}

const isLong = (payload: unknown): payload is string | Buffer =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && Buffer.byteLength(payload) >= leastBytes;

const isCompressible = (reply: FastifyReply): boolean =>
  compressible.test(String(reply.getHeader('content-type') ?? '')) &&
  !reply.hasHeader('content-encoding') &&
  !String(reply.getHeader('cache-control') ?? '').includes('no-transform');
