import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasSessionCookie } from './auth/session-cookie.ts';

/** A header that names alternatives with weights, as Accept and Accept-Encoding: https://www.rfc-editor.org/rfc/rfc9110#section-12.4.2 */
type Weights = ReadonlyMap<string, number>;

/** At most 50 alternatives are read. */
const mostAlternatives = 50;

function weightsIn(header: string): Weights {
  const weights = new Map<string, number>();
  for (const alternative of header.split(',').slice(0, mostAlternatives)) {
    const [name = '', ...parameters] = alternative.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const weight = quality === undefined ? 1 : Number(quality);
    if (name !== '') weights.set(name, weight >= 0 && weight <= 1 ? weight : 0);
  }
  return weights;
}

/** True where Accept takes this media type. The most specific range counts. An absent or empty header takes all. */
export function takesType(accept: string | undefined, type: string): boolean {
  const weights = weightsIn(accept ?? '');
  if (weights.size === 0) return true;
  const [bare = ''] = type.toLowerCase().split(';');
  const weight = weights.get(bare.trim()) ?? weights.get(`${bare.split('/')[0]}/*`) ?? weights.get('*/*') ?? 0;
  return weight > 0;
}

/** True where Accept names this very media type. A wildcard names none. */
export const namesType = (accept: string | undefined, type: string): boolean =>
  (weightsIn(accept ?? '').get(type) ?? 0) > 0;

/** The first of `offered` with the greatest weight in Accept-Encoding; undefined: the answer goes as it is. */
export function encodingFor<E extends string>(header: string | undefined, offered: readonly E[]): E | undefined {
  const weights = weightsIn(header ?? '');
  const weightOf = (encoding: string): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const asIs = weights.get('identity') ?? 0;
  const [best] = offered.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= asIs ? best : undefined;
}

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
const compressible = /^(?:text\/(?!event-stream)|application\/(?:javascript|(?:[\w.-]+\+)?(?:json|x-ndjson)))/;

/**
 * Compresses answers as Accept-Encoding asks, beside the event loop. `no-transform` in an answer's Cache-Control keeps it as it is:
 * answers with a secret have that, since lengths of compressed text tell of what stands beside it (BREACH, https://www.breachattack.com).
 * A page of another port or of a sibling subdomain is of the same site, so it can make a browser ask with the cookie of a session. Answers
 * to such requests stay as they are, unless the browser reports a page of this very server.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const isStream = payload instanceof Readable;
    if (!isCompressible(reply) || !(isStream || isLong(payload))) return payload;
    reply.header('vary', 'accept-encoding');
    const name = encodingFor(request.headers['accept-encoding'], offered);
    if (name === undefined || request.method === 'HEAD' || mayBeCaused(request)) return payload;
    reply.header('content-encoding', name);
    const encoding = encodings[name];
    reply.removeHeader('content-length');
    if (!isStream) return encoding.whole(Buffer.from(payload));
    // why: an error reaches the reader through the stream that they read, which it cuts off
    return pipeline(payload, encoding.stream(), () => {});
  });
}

/** True where a page of another origin may have caused the request, with the cookie of a session. */
const mayBeCaused = ({ headers }: FastifyRequest): boolean =>
  hasSessionCookie(headers.cookie) && headers['sec-fetch-site'] !== 'same-origin';

const isLong = (payload: unknown): payload is string | Buffer =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && Buffer.byteLength(payload) >= leastBytes;

const isCompressible = (reply: FastifyReply): boolean =>
  compressible.test(String(reply.getHeader('content-type') ?? '')) &&
  !reply.hasHeader('content-encoding') &&
  !String(reply.getHeader('cache-control') ?? '').includes('no-transform');
