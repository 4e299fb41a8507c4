/** Events, in the order in which they became true: for people who watch. Kept for a few days; never needed for correctness. */
export interface Events {
  /** Those after a place, oldest first, at most `limit`; and the place to go on from. Of all estates: the reader filters them for each watcher. */
  after(place: string, limit: number): Promise<EventPage>;
  /** The place behind all events that may be sent by now: a new watcher begins here. */
  newest(): Promise<string>;
}

/**
 * `more`: there were `limit` of them, and more may be there already. `gone`: the next events are not kept any more, or the
 * place is none of this database, so the watcher has missed something; there are no events then. `waits`: an event waits until
 * an earlier transaction has ended.
 */
export interface EventPage {
  readonly events: readonly StoredEvent[];
  readonly place: string;
  readonly more: boolean;
  readonly gone: boolean;
  readonly waits: boolean;
}

export interface StoredEvent extends EventDraft {
  /** Opaque, and unique. Places of one database sort as texts, in the order of the events. */
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * `targets` and `owner`: decide the callers who may see it; '' of nobody, absent: of all. `about`: no secret, and small.
 * `notTo`: of the callers who may see the event, those who may see these do not receive it; and nobody receives these owners.
 */
export interface EventDraft {
  readonly estate: string;
  readonly type: StoredEventType;
  readonly targets?: readonly string[];
  readonly owner?: string;
  readonly about: Readonly<Record<string, unknown>>;
  readonly notTo?: ResourceOwners;
}

/**
 * `resource`: a resource of the inventory changed · `pass`: a reconcile began or ended · `generation`: a generation was accepted · `word`:
 * a person decided something, as noted in the ledger · `fight`: healing undid a change once more that another writer repeats.
 */
export const storedEventTypes = ['resource', 'pass', 'generation', 'word', 'fight'] as const;
export type StoredEventType = (typeof storedEventTypes)[number];

/** The owners of a resource: its targets, and its owner; '' of nobody. */
export interface ResourceOwners {
  readonly targets: readonly string[];
  readonly owner: string;
}
