import type { Criticality } from './criticality.ts';
import type { Desired, DocumentRef } from './desired.ts';
import type { FieldChange } from './diff.ts';
import type { Contested } from './fights.ts';
import type { DeletionGrace, TombstoneChanges } from './grace.ts';
import type { TouchedBy } from './last-modified.ts';
import type { Observed } from './observed.ts';
import type { Surroundings } from './order/neighbours.ts';
import type { DriftRemediation } from './remediation.ts';
import type { Address, CloudId, Kind } from './resource.ts';

/**
 * One change to one resource. Plain data: it is queued, shown for approval, and recorded as is.
 * Refs are addresses where they are ours.
 */
export type Action =
  | (About & Incarnated & { readonly verb: 'create'; readonly desired: Desired; readonly because: 'absent' })
  | (About & {
      readonly verb: 'update';
      readonly desired: Desired;
      readonly observed: Observed;
      readonly changes: readonly FieldChange[];
      readonly effect: Effect;
      /** It starts a machine that an update of ours stopped: see `isStoppedByUs` in knowledge.ts. */
      readonly restarts?: true;
      /**
       * This update stops a machine for the grace of this deletion. The deletion has used the places and approvals of both. A hold on the
       * deletion holds the stop, too: see `heldAs`, and plan/grace.ts.
       */
      readonly retires?: Deletion;
    })
  | (About &
      Incarnated & {
        readonly verb: 'replace';
        readonly desired: Desired;
        readonly observed: Observed;
        readonly changes: readonly FieldChange[];
        /** Absent: the old machine ends before the new one is launched. Where names are unique, `desired` has the successor's. */
        readonly surge?: Surge;
      })
  | (About & {
      readonly verb: 'delete';
      readonly observed: Observed;
      readonly because: DeleteReason;
      /** Absent: it has none, and is deleted at once. */
      readonly grace?: DeletionGrace;
      /** A person deletes it now. Workers would delete it after a grace, or after the rest of its grace. */
      readonly skipsGrace?: true;
      /** The owners at its last write, where the store knows. */
      readonly owners?: readonly string[];
    })
  | (About & {
      readonly verb: 'adopt';
      readonly desired: Desired;
      readonly observed: Observed;
      readonly changes: readonly FieldChange[];
    })
  | (About & { readonly verb: 'forget'; readonly id: CloudId; readonly because: 'gone' });

/** The number of earlier resources at the address; absent: none, or nobody counted. */
export interface Incarnated {
  readonly incarnation?: number;
}

/**
 * The new machine comes up before the old one ends. `successor`: it stands already, since `since`; `asWanted`: nothing of it differs from
 * what is asked for by now.
 */
export interface Surge {
  readonly successor?: CloudId;
  readonly asWanted?: boolean;
  readonly since?: number;
}

export type Verb = Action['verb'];

/**
 * The resource, its documents, and the cause. `by`: of drift, the actor that changed it since our last write; see
 * plan/drift-authors.ts. `remediation`: of drift that is not healed by itself. `contested`: its fights.
 */
export interface About {
  readonly kind: Kind;
  readonly address: Address;
  readonly documents: readonly DocumentRef[];
  readonly cause: Cause;
  readonly by?: TouchedBy;
  readonly remediation?: DriftRemediation;
  /** Absent: normal. */
  readonly criticality?: Criticality;
  readonly contested?: readonly Contested[];
  /** A month's cost that it adds; absent: none, or the estate has no limit on its cost. */
  readonly raisesCostBy?: number;
}

/** A part of a resource's drift that is apart from the rest of it: see `driftPartOf`. */
export type DriftPart = 'restart' | 'destructive' | 'contested' | DriftRemediation['value'];

/**
 * The part of a resource's drift that an action is about; undefined of the rest, which is healed now. Such parts have one address, and no
 * two of them are sent together.
 */
export function driftPartOf(action: Action): DriftPart | undefined {
  if (isRestart(action)) return 'restart';
  if (action.cause === 'drift' && isDestructive(action)) return 'destructive';
  const isDelayed = action.contested?.some(({ until }) => until !== undefined) === true;
  return action.remediation?.value ?? (isDelayed ? 'contested' : undefined);
}

/** The part, as a field of a record of the action. */
export function partField(action: Action): { readonly part?: DriftPart } {
  const part = driftPartOf(action);
  return part === undefined ? {} : { part };
}

/** A verb at an address, whatever its part of the drift. */
export const verbKey = ({ verb, address }: { readonly verb: string; readonly address: Address }): string =>
  `${verb} ${address}`;

/** An action of a plan, or its outcome: by its verb, its address, and its part of the drift. */
export const actionKey = (action: Action): string =>
  keyBy({ verb: action.verb, address: action.address, part: driftPartOf(action) });

/** The key of the same action, where only this is known of it. */
export const keyBy = ({ verb, address, part }: ActionName): string => `${verb} ${address} ${part ?? ''}`;

interface ActionName {
  readonly verb: DoneVerb;
  readonly address: Address;
  readonly part?: DriftPart;
}

/** The key of the action that a finding withholds. */
export const withheldKey = ({ action, address, part }: WithheldFinding): string =>
  keyBy({ verb: action, address, part });

/** The changes of an update but the start of a machine that an update of ours stopped: that heals no drift. */
export const withoutRestart = ({
  restarts,
  changes,
}: Extract<Action, { readonly verb: 'update' }>): readonly FieldChange[] =>
  restarts ? changes.filter(({ field }) => field !== powerField) : changes;

/** True of an update that only starts such a machine. */
export const isRestart = (action: Action): boolean =>
  action.verb === 'update' && action.restarts === true && withoutRestart(action).length === 0;

export const powerField = 'machine.power';

/** `drift`: the cloud moved; `rollout`: a spec did; `unknown`: no store to tell them apart. */
export type Cause = 'drift' | 'rollout' | 'unknown';

/** The action by which holds judge this one. */
export const heldAs = (action: Action): Action =>
  action.verb === 'update' && action.retires !== undefined ? action.retires : action;

/** A deletion whose grace runs. As it is not carried out yet, a hold that judges it may judge the stop for its grace. */
type WaitingDeletion = Deletion & {
  readonly grace: Extract<DeletionGrace, { readonly phase: 'runs' | 'ends' }>;
};

export const isInGrace = (action: Action): action is WaitingDeletion =>
  action.verb === 'delete' && action.grace?.phase === 'runs';

/** The effect of an update on a running machine. */
export type Effect = 'in-place' | 'stops';

/** `removed`: its document went; `changed`: its document no longer states it; `scaled-down`: fewer replicas; `rogue`: nobody wrote this rule; `pruned`: chosen by a person; `twin`: a lost answer made two; `again`: it was deleted, and shows again; `withdrawn`: a successor that did not become ready, or is asked for no more, while its predecessor stands. */
export type DeleteReason = 'removed' | 'changed' | 'scaled-down' | 'rogue' | 'pruned' | 'twin' | 'again' | 'withdrawn';

/** So many different people must approve an action, each in this role where one is named. `reason`: the beginning of a sentence. */
export interface Requirement {
  readonly people: number;
  readonly role?: string;
  readonly reason: string;
}

/** A requirement that is not met, and the people who have approved the action so far. `until`: ms since the epoch. */
export interface UnmetRequirement extends Requirement {
  readonly by: readonly { readonly person: string; readonly until: number }[];
}

/** Something true that is not acted on, and why. */
export type Finding =
  | (FindingContext & {
      readonly type: 'unmanaged' | 'orphan' | 'copied-mark' | 'unrecorded-mark';
      readonly id: CloudId;
      readonly kind: Kind;
      readonly name: string;
      /** The resource of ours that it is a setting or a part of. */
      readonly of?: Address;
    })
  | (FindingContext & {
      readonly type: 'blocked' | 'non-convergent';
      readonly address: Address;
      readonly kind: Kind;
      readonly code: BlockCode;
    })
  | (FindingContext & {
      readonly type: 'withheld';
      readonly address: Address;
      readonly kind: Kind;
      readonly action: Verb;
      readonly code: WithholdCode;
      /** Of the action; absent: another one. */
      readonly cause?: 'drift';
      readonly part?: DriftPart;
      readonly remediation?: DriftRemediation;
      /** The end of its grace. */
      readonly until?: number;
      /** With the code `approvals`: the missing approvals. */
      readonly requirements?: readonly UnmetRequirement[];
      readonly contested?: readonly Contested[];
    })
  | (FindingContext & { readonly type: 'incomplete'; readonly kind: Kind; readonly code: string })
  | (FindingContext & { readonly type: 'wrong-account' | 'foreign-store' });

export type WithheldFinding = Extract<Finding, { readonly type: 'withheld' }>;

/** A deletion that waits for the end of its grace. */
export const isHeldByGrace = (one: Action | Finding): one is WithheldFinding =>
  'type' in one && one.type === 'withheld' && one.code === 'grace';

export type Deletion = Extract<Action, { readonly verb: 'delete' }>;

type BeginningDeletion = Deletion & { readonly grace: Extract<DeletionGrace, { readonly phase: 'begins' }> };

/** Records that something is to be deleted, and calls no cloud. */
export const beginsGrace = (action: Action): action is BeginningDeletion =>
  action.verb === 'delete' && action.grace?.phase === 'begins';

/** The verb of a finished action in reports: an action that only begins its grace has deleted nothing. */
export type DoneVerb = Verb | 'tombstone';

export const doneVerbOf = (action: Action): DoneVerb => (beginsGrace(action) ? 'tombstone' : action.verb);

/** The planner's decision about a resource: to act, or to report why not. */
export type Decision = Action | Finding;

export type DestructiveAction = Extract<Action, { readonly verb: 'update' | 'replace' }>;

/** True where it deletes a machine, or stops it. */
export const isDestructive = (action: Action): action is DestructiveAction =>
  action.verb === 'replace' || (action.verb === 'update' && action.effect === 'stops');

/** Actions that one call may carry. */
export interface Batch {
  readonly kind: Kind;
  readonly verb: Action['verb'];
  readonly actions: readonly Action[];
}

/** `why`: a sentence for people, with what to do next where there is something to do. `by`: who changed what it speaks of. */
export interface FindingContext {
  readonly why: string;
  readonly scope: string;
  readonly by?: TouchedBy;
  /** Absent: normal. */
  readonly criticality?: Criticality;
}

export type BlockCode =
  | 'not-observed'
  | 'unknown-region'
  | 'pending'
  | 'duplicate-claim'
  | 'name-taken'
  | 'owned-by'
  | 'immutable'
  | 'adopt-missing'
  | 'undeclared-rules'
  | 'depends'
  | 'non-convergent'
  | 'foreign-store'
  | 'lost-commits';

/**
 * `stale`: not what was approved. `destructive-drift`: it would lose data, and no spec asked for it. `backoff`: the cloud
 * refused it, and it is tried again later. `quota`: its container has no room for it. `wave`: a later wave of a progressive rollout; `rollout-stopped`: that rollout failed and waits
 * for a person. `failed-launches`: machines of this document ended soon after their launch, several times in a row.
 * `lost-commits`: the store may have forgotten what was done last. `data-disks`: the cloud would delete data disks with the machine.
 * `policy`: a rule of a policy in enforce mode denies the resource.
 * `window`: outside its change windows; `freeze`: within a freeze. `patch`: a patch would replace or delete a machine by it.
 * `remediation`: its document does not want such drift healed by itself. `grace`: its document is gone, and its deletion comes later.
 * `approvals`: more people must approve it, or others.
 * `contested`: others undo the healing again and again, and the next one waits.
 */
export type WithholdCode =
  | 'protect'
  | 'limit'
  | 'mode'
  | 'retain'
  | 'depends'
  | 'adopted-in-store-only'
  | 'stale'
  | 'destructive-drift'
  | 'backoff'
  | 'quota'
  | 'paused'
  | 'wave'
  | 'rollout-stopped'
  | 'failed-launches'
  | 'lost-commits'
  | 'data-disks'
  | 'policy'
  | 'window'
  | 'freeze'
  | 'patch'
  | 'remediation'
  | 'grace'
  | 'approvals'
  | 'contested';

/**
 * Ordered actions and findings of one scope. `calls`: made to look, absent where only a part of what was seen is told; and those
 * that applying takes at least.
 */
export interface ScopePlan {
  readonly scope: string;
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
  readonly calls: { readonly observed?: number; readonly predicted: number };
  /** As wanted with nothing sent; absent: none that the store does not know of. */
  readonly standing?: readonly Standing[];
  /** Absent: none. */
  readonly tombstones?: TombstoneChanges;
  /** Machines that an interrupted update of ours stopped, and that shall be stopped by now. Absent: none. */
  readonly keptStopped?: readonly Address[];
  /** Machines and rules that the order of its actions depends on; absent where none does. */
  readonly around?: Surroundings;
}

/** A resource that stands as it is wanted, by its documents' addresses. */
export interface Standing {
  readonly id: CloudId;
  readonly address: Address;
  readonly attributes: Desired['attributes'];
  readonly documents: readonly Address[];
}
