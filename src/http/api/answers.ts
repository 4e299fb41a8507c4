import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import { apiLimits } from '../limits.ts';
import type { Reply, Route, RouteResponse } from './route.ts';

/** A checked answer, as text. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** True where Setpoint may keep the answer and give it again. */
  readonly isKept: boolean;
}

/** A long one, sent as it comes. */
export interface LongAnswer extends Pick<Answer, 'status' | 'headers'> {
  readonly chunks: AsyncIterable<string>;
  /** It may be quiet for as long as it likes, and is cut off when this aborts. */
  readonly cut: AbortSignal | undefined;
}

/** An answer, as far as its schema declares it; one that does not fit is a defect that names the field, and never leaves. */
export function answerOf({ operation }: Route, reply: Reply): Answer | LongAnswer {
  const { status } = reply;
  const response = operation.responses[status];
  if (response === undefined) throw new UndeclaredAnswer(operation.id, `status ${status}`);
  const type = response.type ?? (response.schema === undefined ? undefined : 'application/json');
  const headers = { ...(type === undefined ? {} : { 'content-type': type }), ...reply.headers };
  if ('chunks' in reply) return { status, headers, chunks: reply.chunks, cut: reply.cut };
  return { status, headers, text: textOf(operation.id, response, reply.body), isKept: !response.once };
}

function textOf(id: string, { schema, type }: RouteResponse, body: unknown): string {
  if (type !== undefined) return String(body);
  if (schema === undefined) return '';
  const { success, data, error } = schema.safeParse(body);
  if (success) return JSON.stringify(data);
  throw new UndeclaredAnswer(id, error.issues.map(({ path }) => path.join('.')).join(', '));
}

/** A route's answer does not match its declaration. `at` names the fields, never their values. */
export class UndeclaredAnswer extends Error {
  readonly at: string;

  constructor(id: string, at: string) {
    super(`the answer of ${id} is not as it declares: ${at}`);
    this.name = 'Undeclared';
    this.at = at;
  }
}

/**
 * A weak ETag (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1): the same for equal answers, however old the data that
 * they rest on has become. Within a text of JSON no key can look like this one: its quotes would be escaped.
 */
export const etagOf = (json: string): string =>
  `W/"${createHash('sha256')
    .update(json.replace(/"ageSeconds":[\d.e+-]+/g, ''))
    .digest('base64url')
    .slice(0, 22)}"`;

/** True where If-None-Match names the ETag, by the weak comparison. */
export const matchesEtag = (etag: string, ifNoneMatch: string | undefined): boolean =>
  (ifNoneMatch ?? '').split(',').some((one) => one.trim() === etag || one.trim() === '*');

/** Long answers that are being sent: as fast as their readers read, and no further once the reader has gone or the server stops. */
export interface Streams {
  send(to: FastifyReply, answer: Pick<LongAnswer, 'chunks' | 'cut'>, gone: AbortController): FastifyReply;
  /** Ends all streams, and soon cuts them off. */
  close(): void;
}

/** Held for each reader, beside what lies in its socket. */
const bufferBytes = 16 * 1024;

export function openStreams({ clock, log }: { clock: Clock; log: Log }): Streams {
  const open = new Set<() => void>();
  let isClosed = false;
  return {
    send: (to, { chunks, cut }, gone) => {
      const end = (): void => {
        const { socket } = to.raw;
        // why: its reader would keep it for the next question, and there is nobody to answer that
        to.raw.once('finish', () => socket?.end());
        gone.abort();
        const closed = new AbortController();
        to.raw.once('close', () => closed.abort());
        // why: an aborted sleep rejects
        clock.sleep(apiLimits.partingMs, closed.signal).then(
          () => to.raw.destroy(),
          () => {},
        );
      };
      open.add(end);
      to.raw.once('close', () => open.delete(end));
      if (isClosed) end();
      const source = { [Symbol.asyncIterator]: () => untilGone(chunks, gone.signal, () => logCutOff(log, to)) };
      const options = { objectMode: false, highWaterMark: bufferBytes };
      if (cut === undefined) return to.send(Readable.from(source, options));
      // why: the server ends connections on which nothing goes on
      to.raw.socket?.setTimeout(0);
      return to.send(Readable.from(source, { ...options, signal: cut }));
    },
    close: () => {
      isClosed = true;
      for (const end of open) end();
    },
  };
}

/** The source of chunks may fail in the middle. The reader sees a cut answer, and the log records it. */
async function* untilGone(
  chunks: AsyncIterable<string>,
  gone: AbortSignal,
  onTrouble: () => void,
): AsyncGenerator<string> {
  try {
    yield* chunks;
  } catch (error) {
    if (gone.aborted) return;
    onTrouble();
    throw error;
  }
}

function logCutOff(log: Log, { request }: FastifyReply): void {
  // why: the message of an error may hold what was asked about
  log.error('response stream interrupted', { route: request.routeOptions.url ?? '', requestId: request.id });
}
