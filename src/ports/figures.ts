import type { Bounds } from '../core/access/grant.ts';
import type { Status } from '../core/inventory/row.ts';
import type { Gap } from '../core/observed.ts';
import type { Address, Kind, ScopeKey } from '../core/resource.ts';

/** Counts over the resources of the inventory, for people. `seen`: only resources that lie within one of these count. */
export interface Figures {
  /** The counts of each scope that was ever observed, sorted by scope. */
  scopes(estate: string, seen: readonly Bounds[]): Promise<readonly ScopeFigures[]>;
  objectives(query: ObjectivesQuery): Promise<readonly Objective[]>;
  /** The window in parts of equal length, the oldest first: over all that documents want. A resource of several targets counts once. */
  history(query: HistoryQuery): Promise<readonly HistoryPart[]>;
  /**
   * Of these addresses those of a line that lies within, as it is or as it was last. Each with the time, in ms since the epoch, since
   * which it does: before it belonged to others, 0: it did not, as far as versions are kept.
   */
  seen(estate: string, addresses: readonly Address[], seen: readonly Bounds[]): Promise<ReadonlyMap<Address, number>>;
}

/** `at`: the start of the newest observation, ms since the epoch. */
export interface ScopeFigures {
  readonly scope: ScopeKey;
  readonly at: number;
  readonly gaps: readonly Gap[];
  readonly counts: readonly StatusCount[];
}

/** A resource of several targets counts for each. */
export interface StatusCount {
  readonly target: string;
  readonly status: Status;
  readonly count: number;
}

/** From `since` to `now`, ms since the epoch. */
export interface ObjectivesQuery {
  readonly estate: string;
  readonly seen: readonly Bounds[];
  readonly since: number;
  readonly now: number;
}

/** Of what documents want, by target and kind; sorted by both. */
export interface Objective {
  readonly target: string;
  readonly kind: Kind;
  readonly resources: number;
  readonly time: TimeInSync;
  readonly spells: Spells;
}

/** `parts`: their number, from 1. */
export interface HistoryQuery extends ObjectivesQuery {
  readonly parts: number;
}

/**
 * From `since` to `until`, ms since the epoch. `resources`, `outOfSync`: their numbers at its end. `drifted`, `closed`: the spells that began
 * by a change on the cloud, and those that ended, within it. `p95Ms`: of the lengths of these; absent: none ended.
 */
export interface HistoryPart extends Pick<Spells, 'drifted' | 'closed'> {
  readonly since: number;
  readonly until: number;
  readonly resources: number;
  readonly outOfSync: number;
  readonly time: TimeInSync;
  readonly p95Ms?: number;
}

/** Sums over all resources, as far as they were known within the window. */
export interface TimeInSync {
  readonly ms: number;
  readonly inSyncMs: number;
}

/**
 * A spell begins when a line leaves InSync, or is new and not in sync, and ends when it is InSync. `drifted`: that began in the
 * window by a change on the cloud. `closed`: that ended in the window; times are of these, undefined where there are none.
 */
export interface Spells {
  readonly drifted: number;
  readonly closed: number;
  readonly times?: { readonly p50Ms: number; readonly p95Ms: number; readonly maxMs: number };
  readonly open: number;
  /** When the oldest that is open began. */
  readonly openSince?: number;
}
