import type { DeletionPolicy, Mode } from './desired.ts';
import type { Address, ScopeKey } from './resource.ts';

/** What guards an estate in one generation. No commit lifts its own guard: the stricter of two generations holds. */
export interface Guards {
  readonly limits: Limits;
  /** By document address. */
  readonly modes: Readonly<Record<Address, Mode>>;
  readonly policies: Readonly<Record<Address, DeletionPolicy>>;
  /** Document addresses under `protect`; it outlives the document. */
  readonly protected: readonly Address[];
  /** By document address; absent where an earlier version wrote it down. */
  readonly owners?: Readonly<Record<Address, string>>;
  /** What documents inherit; absent where an earlier version wrote it down. */
  readonly inherited?: Inherited;
}

/** Modes that are set above documents. `scopes`: the strictest of its targets' and the estate's; null: none of them says one. */
export interface Inherited {
  readonly estate?: Mode;
  readonly scopes: Readonly<Record<ScopeKey, Mode | null>>;
}

/** Blast radius per estate, over all scopes. `share`: part of the resources we own (0.1 is 10%), from 20 up; absent: no such bound. */
export interface Limits {
  readonly deletes: number;
  readonly replaces: number;
  readonly share?: number;
  /** New machines. Absent where an earlier version wrote it down: `usualLimits`, never unlimited. */
  readonly creates?: number;
  /** Rules that nobody wrote and that are removed. Absent: as above. */
  readonly closures?: number;
}

/** What `specs` that do not say it mean, and generations that were accepted before these limits were known. */
export const usualLimits = { creates: 50, closures: 50 } as const;
