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
