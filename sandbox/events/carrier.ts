import type { Call, WireRequest, WireResponse } from '../protocol.ts';

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reception {
  readonly status: number;
  readonly body: string;
}

/** What the sender makes of an answer's status: the event is delivered, is sent again, or is given up. */
export type Verdict = 'taken' | 'again' | 'refused';

/** How one cloud's service sends to one destination. */
export interface Carrier {
  /** Made anew for each attempt; they count from 1. */
  readonly post: (event: object, attempt: number) => Post | Promise<Post>;
  readonly verdict: (status: number) => Verdict;
  /** What must be answered well before any event is sent. */
  readonly greeting?: { readonly post: Post; readonly accepts: (answer: Reception) => boolean };
}

/** A write that was applied, whatever its client was answered. */
export interface Written {
  /** On the sandbox's clock. */
  readonly time: number;
  readonly call: Call;
  readonly request: WireRequest;
  readonly requestId: string;
  /** What the write itself answered. */
  readonly response: WireResponse;
}

/** One cloud's audit service: what it tells of a write, each as it comes to pass. Never ends sooner than the write does. */
export type Source = (written: Written) => AsyncIterable<object>;
