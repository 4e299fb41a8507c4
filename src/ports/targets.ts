import type { Bounds } from '../core/access/grant.ts';
import type { Mode } from '../core/desired.ts';
import type { Gap } from '../core/observed.ts';
import type { HalfDone } from '../core/plan/succession.ts';
import type { Cloud, ScopeKey } from '../core/resource.ts';
import type { StatusCount } from './figures.ts';
import type { Quarantined, StoppedRollout } from './fleet-state.ts';
import type { KeptPass, PassDraft } from './passes.ts';
import type { Pause } from './pauses.ts';

/** The targets of an estate, by the newest specs in force. Throws `Declined` where there is no answer. */
export interface Targets {
  /** Those that may be seen, sorted by name. */
  list(asked: TargetsAsked): Promise<readonly TargetReport[]>;
  /** A pass of this scope now, as by a person. */
  wish(asked: { readonly estate: string; readonly scope: ScopeKey; readonly reason: string }): Promise<void>;
}

/** `seen`: whose asks counts only what lies within one of these. */
export interface TargetsAsked {
  readonly estate: string;
  readonly seen: readonly Bounds[];
  readonly now: number;
}

/** What is about all of a scope (passes, what is held) is told to those who see all owners of the target. */
export interface TargetReport {
  readonly name: string;
  readonly place: TargetPlace;
  readonly mode: Mode;
  readonly look: TargetLook;
  readonly passes?: TargetPasses;
  readonly held?: TargetHeld;
}

export interface TargetPlace {
  readonly cloud: Cloud;
  readonly account: string;
  readonly region: string;
  readonly scope: ScopeKey;
}

/** `at`: when the newest look began; absent: nobody has looked yet. */
export interface TargetLook {
  readonly at?: number;
  readonly gaps: readonly Gap[];
  readonly counts: readonly Omit<StatusCount, 'target'>[];
}

/** `nextAt`: at the latest; absent: not known. */
export interface TargetPasses {
  readonly last?: KeptPass;
  readonly running?: Pick<PassDraft, 'id' | 'began'>;
  readonly nextAt?: number;
}

/** What keeps passes from doing what the specs ask. `why` of a quarantine: for those who see all targets of the scope. */
export interface TargetHeld {
  readonly pauses: readonly Pause[];
  readonly quarantine?: Omit<Quarantined, 'why'> & Partial<Pick<Quarantined, 'why'>>;
  readonly rollouts: readonly StoppedRollout[];
  /** Sorted by address. */
  readonly halfReplaced: readonly Replacement[];
}

/** `heldBy`: why the last look went no further with it; absent: nothing held it, as far as the caller sees. */
export interface Replacement extends HalfDone {
  readonly heldBy?: string;
}
