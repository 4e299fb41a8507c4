import type { Call, WireRequest, WireResponse } from '../protocol.ts';

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reception {
  readonly status: number;
  readonly body: string;
}

/** By an answer's status: the event is delivered, the sender retries it, or the sender drops it. */
export type Verdict = 'taken' | 'again' | 'refused';

/** Sends the events of one cloud's service to one destination. */
export interface Carrier {
  /** Made anew for each attempt; they count from 1. */
  readonly post: (event: object, attempt: number) => Post | Promise<Post>;
  readonly verdict: (status: number) => Verdict;
  /** A handshake that must succeed before any event is sent. */
  readonly greeting?: { readonly post: Post; readonly accepts: (answer: Reception) => boolean };
}

/** A write that was applied, whatever its client was answered. */
export interface Written {
  /** On the sandbox's clock. */
  readonly time: number;
  readonly call: Call;
  readonly request: WireRequest;
  readonly requestId: string;
  /** The answer to the write itself. */
  readonly response: WireResponse;
}

/** One cloud's audit service: what it tells of a write, each as it comes to pass. Never ends sooner than the write does. */
export type Source = (written: Written) => AsyncIterable<object>;
