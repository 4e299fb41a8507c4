import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { progressOn } from '../progress/progress.ts';
import { boundedText, linesOf } from './bounded.ts';
import type { Server } from './choice.ts';
import { exchange, type Line, type Request } from './exchange.ts';
import { unanswered } from './failure.ts';
import { Unexpected, type Want } from './want.ts';

/** A server that is asked as somebody. All throw complaints that say what to do. */
export interface Client {
  readonly url: string;
  /** The JSON that a request is answered with, read as what is wanted. */
  ask<T>(request: Request, want: Want<T>): Promise<T>;
  /** A long answer, line by line, as it comes. */
  lines(path: string): AsyncIterable<string>;
}

const mostBytes = 256 * 1024 * 1024;
const longestLine = 16 * 1024 * 1024;
const streamMs = 3_600_000;

export function clientOf(server: Server, context: Context, fetching: typeof fetch = fetch): Client {
  const { url } = server;
  const line: Line = { ...server, fetch: fetching, clock: context.clock, stop: context.stop };
  const reading = async <T>(atMostMs: number, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Complaint || context.stop.aborted) throw error;
      throw unanswered(error, url, atMostMs);
    }
  };
  return {
    url,
    ask: (request, want) =>
      waiting(url, context, async () => {
        const response = await exchange(request, line);
        const text = await reading(request.atMostMs ?? 30_000, () => boundedText(response, mostBytes));
        return readAs(want, jsonIn(text, response, url), url);
      }),
    async *lines(path) {
      const request: Request = { method: 'GET', path, atMostMs: streamMs };
      const response = await waiting(url, context, () => exchange(request, line));
      const all = linesOf(response, longestLine)[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await reading(streamMs, () => all.next());
        if (done) return;
        yield value;
      }
    },
  };
}

/** What was wanted, or a complaint that two versions do not understand each other. */
function readAs<T>(want: Want<T>, value: unknown, url: string): T {
  try {
    return want(value, 'it');
  } catch (error) {
    if (error instanceof Unexpected) throw otherVersion(url, error);
    throw error;
  }
}

/** What is made of a server's answer. Its inside is checked by this only: whatever is not as expected there is told to be so. */
export function rendered<T>({ url }: Pick<Client, 'url'>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw otherVersion(url, error);
    throw error;
  }
}

const otherVersion = (url: string, cause: Error): Complaint =>
  new Complaint(`${url} answered what this command line does not understand.`, {
    why:
      cause instanceof Unexpected ? `In its answer ${cause.message}.` : 'Something in its answer is not as expected.',
    next: 'Perhaps it is of another version: compare `setpoint --version` here and there.',
    cause,
  });

function jsonIn(text: string, { status, headers }: Response, url: string): unknown {
  if (status === 204) return {};
  try {
    if (/^application\/([\w.-]+\+)?json\b/.test(headers.get('content-type') ?? '')) return JSON.parse(text);
  } catch {}
  throw new Complaint(`What answers at ${url} is no Setpoint API.`, {
    why: `It answered ${status}, and not with JSON.`,
    next: 'Name the address that `setpoint serve` said, or that of the proxy before it, with its path.',
  });
}

/** It is silent for a second by itself. */
const tickMs = 200;

/** Says on stderr that the server is waited for, once that takes longer than a second. */
async function waiting<T>(url: string, { terminal, clock }: Context, work: () => Promise<T>): Promise<T> {
  const progress = progressOn(terminal.err, clock);
  const tick = setInterval(() => progress.show('', `waiting for ${url}`), tickMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(tick);
    progress.end();
  }
}
