import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import { apiLimits } from '../limits.ts';
import type { LongAnswer } from './answer.ts';

/** Long answers that are being sent: as fast as their readers read, and no further once the reader has gone or the server stops. */
export interface Streams {
  send(to: FastifyReply, answer: Pick<LongAnswer, 'chunks' | 'cut'>, gone: AbortController): FastifyReply;
  /** All are told to end, and soon cut off. */
  close(): void;
}

/** Held for each reader, beside what lies in its socket. */
const atOnceBytes = 16 * 1024;

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
        // why: a clock that is told to stop waiting rejects
        clock.sleep(apiLimits.partingMs, closed.signal).then(
          () => to.raw.destroy(),
          () => {},
        );
      };
      open.add(end);
      to.raw.once('close', () => open.delete(end));
      if (isClosed) end();
      const source = { [Symbol.asyncIterator]: () => told(chunks, gone.signal, () => complain(log, to)) };
      const options = { objectMode: false, highWaterMark: atOnceBytes };
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

/** What makes the chunks may fail in the middle: whoever reads sees that the answer was cut off, and the log says so. */
async function* told(chunks: AsyncIterable<string>, gone: AbortSignal, onTrouble: () => void): AsyncGenerator<string> {
  try {
    yield* chunks;
  } catch (error) {
    if (gone.aborted) return;
    onTrouble();
    throw error;
  }
}

function complain(log: Log, { request }: FastifyReply): void {
  // why: the message of an error may hold what was asked about
  log.error('a long answer was cut off', { of: request.routeOptions.url ?? '', requestId: request.id });
}
