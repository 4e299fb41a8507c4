import type { IncomingHttpHeaders } from 'node:http';
import { fitsBounds } from '../../core/json-bounds.ts';
import type { Cloud } from '../../core/resource.ts';

/** A request as it came. Until `verify` has said `genuine`, nothing of it is believed or parsed. */
export interface RawRequest {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  /** When it came, ms since the epoch. */
  readonly at: number;
}

/** Verifies and reads the requests of one sender. `Proof`: the part of a webhook that verifies them, such as its secret. */
export interface WebhookAdapter<Proof> {
  /** The cloud whose audit log it sends; absent: a forge, that reports a repository. */
  readonly cloud?: Cloud;
  /** From the raw bytes, in a time that says nothing of the secret. Never throws. */
  verify(request: RawRequest, proof: Proof): Verdict | Promise<Verdict>;
  /** The content of a genuine request. Never throws. */
  read(request: RawRequest): ReadResult;
  /** The headers that answer a genuine OPTIONS request of this sender; undefined: the request is unknown. */
  handshake?(request: RawRequest): Readonly<Record<string, string>> | undefined;
}

/** `stale`: genuine, and too long ago. `unproven`: what would prove it is out of reach. */
export type Verdict = 'genuine' | 'forged' | 'stale' | 'unproven';

export type ReadResult =
  | { readonly as: 'deliveries'; readonly deliveries: readonly Delivery[] }
  | { readonly as: 'handshake'; readonly answer: Readonly<Record<string, string>> }
  | { readonly as: 'malformed'; readonly why: string };

/** `id`: the same whenever the sender repeats it, and beyond the reach of whoever replays it. `event`: as the cloud made it. */
export interface Delivery {
  readonly id: string;
  readonly event?: unknown;
}

/** Genuine, and about nothing. */
export const noDeliveries: ReadResult = { as: 'deliveries', deliveries: [] };

/** A header that was sent; Node joins the values of one that was sent twice, so it fits nothing. */
export function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** A whole number of seconds since the epoch, in ms; undefined where it is none. */
export function unixSeconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) * 1000 : undefined;
}

/**
 * Limits of any delivery. The largest body has some 3,000 events of 20 parts and a depth of 10. A parser needs 60 ms for one of
 * brackets alone, and 40 ms for one of 85,000 keys.
 */
const bounds = { depth: 64, parts: 100_000 } as const;

/**
 * A body as JSON; undefined where it is none, or more than any sender sends. The error of `JSON.parse` repeats the body, so
 * nobody is shown it.
 */
export function parseJson(body: Buffer): unknown {
  if (!fitsBounds(body, bounds)) return undefined;
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return parsed;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that is text and not empty. */
export function textOf(value: unknown, field: string): string | undefined {
  const held = isObject(value) ? value[field] : undefined;
  return typeof held === 'string' && held !== '' ? held : undefined;
}
