/** What is hashed of an entry, besides its place in the chain. `at`: milliseconds since the epoch. */
export interface Content {
  readonly at: number;
  readonly type: 'intent' | 'settlement' | 'note';
  readonly body: Readonly<Record<string, unknown>>;
}

/** An entry in its place. Structurally the port's `LedgerEntry`. */
export interface Linked extends Content {
  readonly seq: number;
  readonly chain: { readonly previous: string; readonly hash: string };
}
