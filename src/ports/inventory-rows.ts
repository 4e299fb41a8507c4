import type { Bounds } from '../core/access/grant.ts';
import type { Criticality } from '../core/criticality.ts';
import type { Row, Status } from '../core/inventory/row.ts';
import type { Gap } from '../core/observed.ts';
import type { Address, Cloud, CloudId, Kind, ScopeKey } from '../core/resource.ts';
import type { Where } from './queue.ts';

/** The lines of the inventory as they are and as they were: a version for each change, none for a reconcile that found the same. */
export interface Rows {
  /**
   * Keeps the result of one observation of a scope and its plan: all resources of it, but kinds with gaps keep their earlier
   * other resources. One transaction; an observation older than the newest kept one changes nothing. One without gaps ends the
   * assignments of earlier times at addresses where all rows are in sync, or where there is none.
   */
  keep(where: Where, look: KeptLook): Promise<void>;
  /** Like `find` and `history`: throws `BeforeHistory` where `asOf` is before what is kept. */
  page(query: RowQuery): Promise<RowPage>;
  /** The number of all rows of a filter, as they are now. */
  count(query: Pick<RowQuery, 'seen' | 'filter'>): Promise<number>;
  /** The rows of a filter by one of their properties, the largest number first; throws `BeforeHistory` as `page`. */
  countBy(query: RowCountQuery): Promise<RowCounts>;
  /** The newest versions of resources with such an address or, in any scope, such an id; of other estates and scopes too. At most 100. */
  find(query: RowAsked): Promise<readonly KeptRow[]>;
  /** All versions of one line, those under other ids too, newest first, at most `limit`. */
  history(query: LineAsked & { readonly limit: number }): Promise<readonly RowVersion[]>;
  /**
   * The newest observation of each scope with kept resources, without unmanaged scopes; sorted by estate and scope; of all
   * estates, or of one.
   */
  looks(estate?: string): Promise<readonly RowLook[]>;
}

/** `at`: the start of the observation, ms since the epoch. `gaps`: kinds that it could not list. */
export interface RowLook extends Where {
  readonly at: number;
  readonly gaps: readonly Kind[];
}

/**
 * `at`: the start of the observation, ms since the epoch. `left`: there was none, as no target names the scope any more; its
 * resources keep the observation that found them last, until the next one.
 */
export interface KeptLook {
  readonly at: number;
  readonly rows: readonly Row[];
  readonly gaps: readonly Gap[];
  readonly left?: true;
}

/** `seen`: the caller sees only resources within one of these bounds. */
export interface RowAsked {
  readonly seen: readonly Bounds[];
  readonly estate?: string;
  /** One name, or several asked for together. */
  readonly of: Address | CloudId | readonly (Address | CloudId)[];
  /** As it was then, ms since the epoch; absent: now. */
  readonly asOf?: number;
}

/** One line, by what is its own. `key`: as in `Row`. */
export interface LineAsked extends Pick<RowAsked, 'seen' | 'asOf'>, Where {
  readonly key: string;
}

export interface RowQuery {
  readonly seen: readonly Bounds[];
  readonly filter: RowFilter & RowWords;
  /** As it was then, ms since the epoch; absent: now. */
  readonly asOf?: number;
  readonly sort: RowSort;
  readonly limit: number;
  /** The place after which to go on, as the page before gave it; opaque. */
  readonly after?: string;
}

/**
 * The properties that rows are counted by. A row has one value of each, and '' where it has none; only of `target` it may have several.
 *
 *   network | the address of its network, else the id; '' also where nobody knows the subnet of a machine
 *   origin  | as in core/inventory/coverage.ts, as far as the caller sees the group of a rule
 */
export const rowDimensions = [
  'status',
  'kind',
  'scope',
  'cloud',
  'account',
  'region',
  'criticality',
  'claim',
  'owner',
  'target',
  'exposed',
  'network',
  'origin',
] as const;

export type RowDimension = (typeof rowDimensions)[number];

/** `limit`: of the values. */
export interface RowCountQuery extends Pick<RowQuery, 'seen' | 'filter' | 'asOf' | 'limit'> {
  readonly by: RowDimension;
}

/** `total`: of all rows of the filter. `more`: the number of values that are left out. */
export interface RowCounts {
  readonly total: number;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  readonly more: number;
}

/** Several values of one are alternatives; several of them must all fit. */
export interface RowFilter extends RowScopes {
  readonly clouds?: readonly Cloud[];
  readonly accounts?: readonly string[];
  readonly regions?: readonly string[];
  readonly kinds?: readonly Kind[];
  readonly statuses?: readonly Status[];
  readonly owners?: readonly string[];
  readonly criticalities?: readonly Criticality[];
}

interface RowScopes {
  readonly scopes?: readonly ScopeKey[];
}

/**
 * `violates`: it breaks a rule of one of these policies; `*`: of any. `labels`: all must be there; '' stands for any value. `text`: part of an address, a name, an id or a label. `refersTo`: names one
 * of these addresses or ids.
 */
export interface RowWords {
  readonly estates?: readonly string[];
  readonly targets?: readonly string[];
  readonly claims?: readonly string[];
  readonly violates?: readonly string[];
  /** Only lines on which a reconcile does not act as it should: see core/inventory/withheld-changes.ts. */
  readonly held?: true;
  /** Only lines that the cloud moved behind our back, withheld ones too: see `isDrift` in core/inventory/withheld-drift.ts. */
  readonly drift?: true;
  /** Of machines: the answers of `Exposure`. */
  readonly exposed?: readonly string[];
  /** By `network` and `origin` of `rowDimensions`. */
  readonly networks?: readonly string[];
  readonly origins?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly refersTo?: readonly (Address | CloudId)[];
}

/** `address`: by scope, then by address; resources without one by kind and id. `since`: by the beginning of the status. */
export interface RowSort {
  readonly by: 'address' | 'name' | 'status' | 'since';
  readonly descending: boolean;
}

export interface RowPage {
  readonly rows: readonly KeptRow[];
  /** For the next page; absent: this was the last. */
  readonly next?: string;
}

/** A line as the store has it. Times are ms since the epoch. */
export interface KeptRow extends Row {
  readonly estate: string;
  /** When its status became what it is. */
  readonly since: number;
  /** The observation that found it last, and whether the newest one could list its kind. */
  readonly observed: { readonly at: number; readonly complete: boolean };
}

/** `until`: when it became another, or went; absent: it is so still. `number`: only ever rising. */
export interface RowVersion extends KeptRow {
  readonly number: number;
  readonly from: number;
  readonly until?: number;
}

/** The time that was asked of is before what is kept, so that an answer would not be whole. `since`: ms since the epoch. */
export class BeforeHistory extends Error {
  readonly since: number;

  constructor(since: number) {
    super(
      `What the inventory was is kept since ${new Date(since).toISOString()}: ask of a time after it, or keep more from now on with SETPOINT_HISTORY_DAYS.`,
    );
    this.name = 'BeforeHistory';
    this.since = since;
  }
}

/** A page was asked for after a place that is no place of that question. */
export class ForeignCursor extends Error {
  constructor() {
    super(
      'the cursor is not of this question: it was given for another filter or order, or is not whole. Begin again without it, or ask as before',
    );
    this.name = 'ForeignCursor';
  }
}
