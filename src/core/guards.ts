import type { ChangeCalendar } from './change-windows.ts';
import type { PriceTable } from './cost/cost.ts';
import type { DeletionPolicy, Mode } from './desired.ts';
import type { GracePeriods } from './grace.ts';
import type { Limits } from './limits.ts';
import type { PolicyRules } from './policy/rules.ts';
import type { RemediationGuards } from './remediation.ts';
import type { Address, ScopeKey } from './resource.ts';

/** The guards of an estate in one generation. No commit lifts its own guard: the stricter of two generations holds. */
export interface Guards {
  readonly limits: Limits;
  /** Absent where the specs have none. They count beside those of the next generation: see cost/cost.ts. */
  readonly prices?: PriceTable;
  /** By document address. */
  readonly modes: Readonly<Record<Address, Mode>>;
  /** The same of documents whose lifetime is over: they want nothing, and their modes still bind. Absent: none. */
  readonly ended?: Readonly<Record<Address, Mode>>;
  readonly policies: Readonly<Record<Address, DeletionPolicy>>;
  /** Former addresses of documents and their resources, by `was`. Absent: none. */
  readonly renamed?: readonly Address[];
  /** Document addresses under `protect`; it outlives the document. */
  readonly protected: readonly Address[];
  /** By document address; absent where an earlier version wrote it down. */
  readonly owners?: Readonly<Record<Address, string>>;
  /** The policies in enforce mode; absent where there is none, and in records of an earlier version. */
  readonly enforced?: readonly PolicyRules[];
  /** The fields that documents inherit; absent in records of an earlier version. */
  readonly inherited?: Inherited;
  /** Absent: no windows and no freezes. */
  readonly calendar?: ChangeCalendar;
  /** Absent: all drift is healed. */
  readonly remediation?: RemediationGuards;
  /** Absent: the usual one. */
  readonly grace?: GracePeriods;
}

/** Modes that are set above documents. `scopes`: the strictest of its targets' and the estate's; null: none of them says one. */
export interface Inherited {
  readonly estate?: Mode;
  readonly scopes: Readonly<Record<ScopeKey, Mode | null>>;
}
