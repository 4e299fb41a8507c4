import type { IncomingHttpHeaders } from 'node:http';
import type { Cloud } from '../../core/resource.ts';

/** A request as it came. Until `verify` has said `genuine`, nothing of it is believed or parsed. */
export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  /** When it came, ms since the epoch. */
  readonly at: number;
}

/** One kind of sender. `Proof`: what its hook holds against which a request is checked. */
export interface Sender<Proof> {
  /** The cloud whose audit log it tells; absent: a forge, that tells of a repository. */
  readonly cloud?: Cloud;
  /** From the raw bytes, in a time that says nothing of the secret. Never throws. */
  verify(arrival: Arrival, proof: Proof): Verdict | Promise<Verdict>;
  /** What a genuine request brings. Never throws. */
  read(arrival: Arrival): Reading;
  /** What an OPTIONS request of this sender is answered with, once it is genuine; undefined: it asks for nothing we know. */
  greet?(arrival: Arrival): Readonly<Record<string, string>> | undefined;
}

/** `stale`: genuine, and too long ago. `unproven`: what would prove it is out of reach. */
export type Verdict = 'genuine' | 'forged' | 'stale' | 'unproven';

export type Reading =
  | { readonly as: 'deliveries'; readonly deliveries: readonly Delivery[] }
  | { readonly as: 'handshake'; readonly answer: Readonly<Record<string, string>> }
  | { readonly as: 'malformed'; readonly why: string };

/** `id`: the same whenever the sender repeats it, and beyond the reach of whoever replays it. `event`: as the cloud made it. */
export interface Delivery {
  readonly id: string;
  readonly event?: unknown;
}

/** Genuine, and about nothing. */
export const nothing: Reading = { as: 'deliveries', deliveries: [] };
