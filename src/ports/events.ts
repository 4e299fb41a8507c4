/** What happened, in the order in which it became true: for those who watch. Kept for a few days; never needed for correctness. */
export interface Events {
  /** Those after a place, oldest first, at most `limit`; and the place to go on from. Of all estates: who watches what is for the reader to tell. */
  after(place: string, limit: number): Promise<Happened>;
  /** The place behind all that may be told by now: who begins to watch begins here. */
  newest(): Promise<string>;
}

/**
 * `more`: there were `limit` of them, and more may be there already. `gone`: what came right after that place is not kept any
 * more, or it is no place of this database, so the watcher has missed something; there are no events then. `waits`:
 * something happened that is told only once an earlier transaction has ended.
 */
export interface Happened {
  readonly events: readonly StoredEvent[];
  readonly place: string;
  readonly more: boolean;
  readonly gone: boolean;
  readonly waits: boolean;
}

export interface StoredEvent extends EventDraft {
  /** Opaque, and unique. Places of one database sort as texts, in the order of what happened. */
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * `targets` and `owner`: whose it is, for who may see it; '' of nobody, absent: of all. `about`: no secret, and small.
 * `notTo`: of whoever may see it, those are not told who may see what is of these; and nobody is told whose these are.
 */
export interface EventDraft {
  readonly estate: string;
  readonly type: StoredEventType;
  readonly targets?: readonly string[];
  readonly owner?: string;
  readonly about: Readonly<Record<string, unknown>>;
  readonly notTo?: Whose;
}

/** `resource`: a line of the inventory changed · `pass`: one began or ended · `generation`: one was accepted · `word`: a person's, as noted in the ledger. */
export const storedEventTypes = ['resource', 'pass', 'generation', 'word'] as const;
export type StoredEventType = (typeof storedEventTypes)[number];

/** Whose one thing is: the targets that it is of, and its owner; '' of nobody. */
export interface Whose {
  readonly targets: readonly string[];
  readonly owner: string;
}
