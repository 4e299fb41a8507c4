import type { Bounds } from '../core/access/grant.ts';

/** What happened, in the order in which it became true: for those who watch. Kept for a few days; never needed for correctness. */
export interface Happenings {
  /**
   * Those after a place, oldest first, at most `limit`; and the place to go on from. What lies outside of `seen` is left out,
   * and passed over. `gone`: what came right after that place is not kept any more, so the watcher has missed something.
   */
  after(place: string, query: { readonly seen: readonly Bounds[]; readonly limit: number }): Promise<Happened>;
  /** The place of the newest one: who begins to watch begins here. */
  newest(): Promise<string>;
}

export interface Happened {
  readonly happenings: readonly Happening[];
  readonly place: string;
  readonly gone: boolean;
}

export interface Happening extends HappeningDraft {
  /** Opaque. */
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** `targets` and `owner`: whose it is, for who may see it; '' of nobody, absent: of all. `about`: no secret, and small. */
export interface HappeningDraft {
  readonly estate: string;
  readonly type: HappeningType;
  readonly targets?: readonly string[];
  readonly owner?: string;
  readonly about: Readonly<Record<string, unknown>>;
}

/** `resource`: a line of the inventory changed · `pass`: one began or ended · `generation`: one was accepted · `word`: a person's, as noted in the ledger. */
export type HappeningType = 'resource' | 'pass' | 'generation' | 'word';
