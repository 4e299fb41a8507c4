/** The hashed content of an entry, besides its place in the chain. `at`: milliseconds since the epoch. */
export interface Content {
  readonly at: number;
  readonly type: 'intent' | 'settlement' | 'note';
  readonly body: Readonly<Record<string, unknown>>;
}

/** An entry in its place. Structurally the port's `LedgerEntry`. `seq`: unique in its estate; rises within each chain. */
export interface Linked extends Content {
  readonly seq: number;
  readonly chain: Link;
}

/**
 * `of`: the scope, or `people` for notes; `number`: from 1, without a gap in the chain. Both are absent in entries of the first
 * version, in which an estate had one chain numbered by `seq`.
 */
export interface Link {
  readonly of?: string;
  readonly number?: number;
  readonly previous: string;
  readonly hash: string;
}
