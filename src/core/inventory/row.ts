import type { DeletionPolicy, DocumentRef, Mode } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import type { Part } from '../observed.ts';
import type { Address, Attributes, Cloud, CloudId, Kind, Labels, ScopeKey } from '../resource.ts';
import type { TouchedBy } from '../touch.ts';
import type { Status } from './status.ts';

/** One line of the inventory: a resource that is wanted, an object that stands on a cloud, or both. Plain data. */
export interface Row {
  /** Unique in its scope, and the same for as long as it is the same thing: its address, else `<kind> <id>`. */
  readonly key: string;
  readonly place: Place;
  readonly called: Called;
  readonly whose: Whose;
  readonly state: State;
  readonly sides: Sides;
}

/** `region`: its region, zone or location; '' where it is global. `targets`: names of those that lie in its scope and that it is of. */
export interface Place {
  readonly scope: ScopeKey;
  readonly cloud: Cloud;
  readonly account: string;
  readonly region: string;
  readonly kind: Kind;
  readonly targets: readonly string[];
}

/** `name`: of the object, else of the document. `labels`: as seen, else as wanted. */
export interface Called {
  readonly name: string;
  /** Where it is ours. */
  readonly address?: Address;
  /** Where it stands. */
  readonly id?: CloudId;
  readonly labels: Labels;
}

/** `owner`: of its documents, or of those that it had; never read from a label on the cloud, which anyone may write. */
export interface Whose {
  readonly claim: Claim;
  readonly owner?: string;
  /** The documents that want it. */
  readonly documents: readonly DocumentRef[];
}

/** Whom an object belongs to. `none`: there is no object, and a document wants one. */
export type Claim =
  | 'ours'
  | 'orphan'
  | 'unmanaged'
  | 'copied-mark'
  | 'unrecorded-mark'
  | 'other'
  | 'foreign-store'
  | 'none';

/** `generation`: the newest that it was found to be in step with; 0: none. `by`: who changed it since we wrote it last. */
export interface State {
  readonly status: Status;
  /** A sentence for people; what to do next, where there is something to do. */
  readonly reason: string;
  /** Of the finding or the failure, where there is one. */
  readonly code?: string;
  readonly generation: number;
  readonly by?: TouchedBy;
}

/** What is asked for, what is there, and where they differ. */
export interface Sides {
  readonly desired?: Wish;
  readonly observed?: Sight;
  readonly diff: readonly FieldChange[];
  /** What the next pass does, or would do if nothing held it. */
  readonly next?: Next;
}

export interface Wish {
  readonly attributes: Attributes[Kind];
  readonly mode: Mode;
  readonly protect: boolean;
  readonly deletionPolicy: DeletionPolicy;
}

export interface Sight {
  readonly attributes: Attributes[Kind];
  readonly state: 'ready' | 'pending' | 'deleting' | 'gone';
  readonly parts: readonly Part[];
}

/** `held`: why it is not done. */
export interface Next {
  readonly verb: 'create' | 'update' | 'replace' | 'delete' | 'adopt' | 'forget';
  readonly cause: 'drift' | 'rollout' | 'unknown';
  readonly held?: string;
}
