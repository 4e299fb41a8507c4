import type { HealedAgain, KeptHealing } from '../core/fights.ts';
import type { Count } from '../core/limits.ts';
import type { EndedPatch, Patch, PatchEnd } from '../core/patch.ts';
import type { Held, PauseDraft } from '../core/pause.ts';
import type { CountedCost } from '../core/plan/cost-limit.ts';
import type { Address, ScopeKey } from '../core/resource.ts';
import type { Lifetime } from '../core/ttl.ts';
import type { Reconcile } from './ledger.ts';
import type { Where } from './queue.ts';

/** Messages between workers, and from people to them: in the store, so that any worker may die. */
export interface FleetState {
  readonly specSnapshots: SpecSnapshots;
  readonly requests: Requests;
  readonly pauses: Pauses;
  readonly patches: Patches;
  readonly lifetimes: Lifetimes;
  readonly approvals: Approvals;
  readonly rollouts: Rollouts;
  readonly quarantine: Quarantine;
  readonly backoffs: Backoffs;
  readonly counts: ScopeCounts;
  readonly costs: ScopeCosts;
  readonly fights: Fights;
  readonly resourceNotes: ResourceNotes;
}

/** Spec trees, each as read at a revision, so that a reconcile needs no folder. Never changed once kept. */
export interface SpecSnapshots {
  keep(estate: string, revision: string, tree: SpecSnapshot): Promise<void>;
  read(estate: string, revision: string): Promise<SpecSnapshot | undefined>;
}

/** As read: `specs` are texts, `userData` bytes in base64; paths within the tree. No secret is in a spec tree. */
export interface SpecSnapshot {
  readonly specs: readonly { readonly path: string; readonly text: string }[];
  readonly userData: readonly { readonly path: string; readonly base64: string }[];
  /** That lies over the base; `specs` are of these two. */
  readonly overlay?: string;
}

/** Requests for a reconcile now. A row, not a job: a running reconcile reads it every second. */
export interface Requests {
  /** A later request replaces an earlier one. */
  ask(where: Where, reason: string): Promise<void>;
  /** One query: the newest request that no reconcile has answered yet, and the newest generation's number (0: none). */
  pendingState(where: Where): Promise<PendingState>;
  /** Scopes with an unanswered request, over all estates. */
  unanswered(): Promise<readonly Where[]>;
  /** The reconcile that saw this request has ended: later ones stay. One that was never made answers none. */
  answered(where: Where, request: number): Promise<void>;
}

/** `request`: only ever rising; 0: none. */
export interface PendingState {
  readonly request: number;
  readonly reason?: string;
  readonly generation: number;
}

/** The progress of a generation in a scope. */
export interface Rollouts {
  /** The newest generation that is fully applied here. 0: none. */
  standing(where: Where): Promise<number>;
  standingButGraces(where: Where): Promise<StandingButGraces>;
  /** True where a fleet on this database ever fully applied any generation. */
  any(): Promise<boolean>;
  /** Never lower than it stands. `inGrace`: resources whose deletion waits for the end of its grace; absent: there is none. */
  stand(where: Where, generation: number, inGrace?: readonly Address[]): Promise<void>;
  /** Progressive rollouts that stopped, and wait for a person. */
  stopped(where: Where): Promise<readonly StoppedRollout[]>;
  /** A document's newest stop replaces an earlier one; one of a lower generation than that changes nothing. */
  stop(where: Where, rollout: StoppedRollout): Promise<void>;
  /**
   * Lets it go on: of all documents of the scope where none is named. Writes a note into the ledger, in the same transaction;
   * where nothing had stopped, nothing is written.
   */
  resume(where: Where, by: By, document?: Address): Promise<void>;
}

/** The newest generation that is applied here, but for deletions that wait for the end of their grace: the fully applied one at least. */
export interface StandingButGraces {
  readonly generation: number;
  /** Resources that were in a grace since the fully applied generation. Nobody saw whether specs changed them meanwhile. */
  readonly inGrace: readonly Address[];
}

/** `why`: the failure, for people. */
export interface StoppedRollout {
  readonly document: Address;
  readonly generation: number;
  readonly why: string;
}

/** The end of a quarantine: a job may have lost its workers by bad luck only. */
export const quarantineMs = 600_000;

/** Scopes whose reconciles fail in our own code: out of the way of the others until a person or a newer generation comes. */
export interface Quarantine {
  /** If the scope already is in quarantine for this generation, `since` stays. */
  put(where: Where, why: string, generation: number): Promise<void>;
  /** The scopes in quarantine; of all estates where none is named. */
  list(estate?: string): Promise<readonly Quarantined[]>;
  /** `by`: a person, whose word is a note in the ledger, in the same transaction; where nothing was held, nothing is written. */
  release(where: Where, by?: By): Promise<void>;
}

export interface Quarantined extends Where {
  readonly why: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The newest generation then: a newer one releases it. */
  readonly generation: number;
}

/** A person's word that lets pass what modes and limits withhold. Given with a note in the ledger, in the same transaction. */
export interface Approvals {
  give(approval: ApprovalDraft): Promise<Approval>;
  /**
   * Those of this scope that have not run out, and of the newest generation. `actions`: those that are not spent; of a replacement
   * that is half done, also the other half.
   */
  active(where: Where): Promise<readonly Approval[]>;
  /** The same, of all scopes of an estate. */
  activeIn(estate: string): Promise<readonly Approval[]>;
  /** The approvals that began the grace of an object, of any generation, also spent ones. Withdrawn ones are left out. */
  ofTombstones(estate: string): Promise<readonly Approval[]>;
  /** All of the newest generation, of every scope, oldest first: expired ones too, as their actions have run. */
  given(estate: string): Promise<readonly Approval[]>;
  /** The numbers of approvals that a person withdrew. */
  withdrawn(estate: string): Promise<ReadonlySet<number>>;
  /**
   * Ends an approval from now on, also one of `ofTombstones`; with a note in the ledger. Undefined: no approval of this number is
   * active, and none let a deletion begin whose grace still runs.
   */
  withdraw(estate: string, seq: number, by: By): Promise<Approval | undefined>;
  /**
   * Records a refusal of each scope, and a note in the ledger for each, in one transaction. They forbid nothing, and no worker reads
   * them. Undefined: another generation is the newest, and nothing was recorded.
   */
  refuse(refusal: RefusalDraft): Promise<readonly Refusal[] | undefined>;
  /** Refusals in the newest generation, in any scope. Of each person: the newest refusal of each of these actions. */
  refused(estate: string, actions: ReadonlySet<string>): Promise<FoundRefusals>;
}

/** A store reads so many refusals at once. */
export const mostRefusals = 1000;

/** A person refuses the pending actions of a plan. `digest`: of the plan. */
export interface RefusalDraft extends Pick<Refusal, 'estate' | 'generation' | 'digest' | 'by'> {
  readonly parts: readonly Pick<Refusal, 'scope' | 'actions'>[];
}

/** Oldest first. `truncated`: there are older ones. */
export interface FoundRefusals {
  readonly refusals: readonly Refusal[];
  readonly truncated: boolean;
}

/** A person refused pending actions of a scope. `digest`, `actions`: as of an approval. */
export interface Refusal extends Where {
  readonly generation: number;
  readonly digest: string;
  readonly actions: readonly string[];
  readonly by: By;
  /** Of its note in the ledger. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Bound to the plan that the person saw: `digest` is the plan's, `actions` are the digests of its actions. Another before-value makes
 * another digest, so a change that moved since is not approved.
 */
export interface ApprovalDraft extends Where {
  readonly generation: number;
  readonly digest: string;
  readonly actions: readonly string[];
  /** Deletes and replaces among them, which reconcile whatever the limits. */
  readonly destroys: number;
  /** New machines among them, which reconcile likewise; absent: none. */
  readonly creates?: number;
  /** Closures among them of rules that nobody wrote, which reconcile likewise; absent: none. */
  readonly closures?: number;
  readonly by: ApprovedBy;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** As their credential proved them; absent: it was given on the store itself, where anybody may claim any name. */
  readonly approver?: Approver;
  /** Its actions pass change windows and freezes. */
  readonly breakGlass?: true;
}

/** `names`: all names of this person. `roles`: their roles in approvals, each with the digests of the actions that it covers. */
export interface Approver {
  readonly names: readonly string[];
  readonly roles?: Readonly<Record<string, readonly string[]>>;
}

/** `authorsUnknown`: nobody could say whether the person made some of it. */
interface ApprovedBy {
  readonly person: string;
  readonly reason: string;
  readonly authorsUnknown?: true;
}

export interface Approval extends ApprovalDraft {
  /** Of its note in the ledger. */
  readonly seq: number;
  /** The estate's deletes and replaces by then: by the generation, or by healing where that is more. */
  readonly ran: number;
  /** The same of new machines and closures; absent where an earlier version wrote it down. */
  readonly ranBeside?: { readonly creates: number; readonly closures: number };
}

/** Actions that a cloud refuses again and again, by their address: a wait that grows, which any worker keeps. */
export interface Backoffs {
  /** By address. */
  list(where: Where): Promise<readonly Backoff[]>;
  /** Replaces the record of the address. `forMs`: from now on, by the store's clock. */
  put(where: Where, refused: Refused, forMs: number): Promise<void>;
  /** Of this address; of all in the scope where none is named. */
  clear(where: Where, address?: Address): Promise<void>;
}

/** An action that was refused. `digest`: of the action; one that differs is another matter. */
export interface Refused {
  readonly address: Address;
  readonly digest: string;
  readonly generation: number;
  /** The number of failures in a row. */
  readonly failures: number;
  /** In the words of the cloud. */
  readonly said: string;
}

/** `until`: ms since the epoch. `waits`: it is not over yet, by the store's clock. */
interface Backoff extends Refused {
  readonly until: number;
  readonly waits: boolean;
}

/** Drift that Setpoint healed in the last 24 hours. Fights are found in it. */
export interface Fights {
  /**
   * Each draft replaces the record of its field. A draft with `isTold` becomes an event in the same transaction. Times are by the store's
   * clock.
   */
  keep(where: Where, healings: readonly HealingDraft[]): Promise<void>;
  /** Of one scope, or of all of an estate; sorted by scope, address and field. */
  list(where: Pick<Where, 'estate'> & Partial<Where>): Promise<readonly ListedHealing[]>;
  /** Of all estates, those that are fights. */
  counts(): Promise<readonly FightCount[]>;
}

/**
 * `waitMs`: the wait before the next healing. `closes`: healing takes traffic away, and never waits. `isTold`: the healing becomes an
 * event.
 */
export interface HealingDraft extends HealedAgain {
  readonly waitMs: number;
  readonly closes: boolean;
  readonly isTold: boolean;
  readonly targets: readonly string[];
  /** '' where there is none. */
  readonly owner: string;
}

export interface ListedHealing extends KeptHealing {
  readonly scope: ScopeKey;
  readonly closes: boolean;
}

export interface FightCount {
  readonly cloud: string;
  readonly closes: boolean;
  readonly count: number;
}

/** Holding still. Both verbs write a note into the ledger, in the same transaction; where nothing ends, nothing is written. */
export interface Pauses {
  begin(estate: string, pause: PauseDraft): Promise<Pause>;
  /** Ends all that hold exactly this still; returns those that ended. */
  end(estate: string, held: Held, by: By): Promise<readonly Pause[]>;
  /** Those that have neither ended nor run out, oldest first. */
  active(estate: string): Promise<readonly Pause[]>;
}

export interface Pause extends PauseDraft {
  readonly id: number;
  readonly at: number;
}

/** Patches of an estate. They begin and end with the generation that has them or no longer has them: see `Generations.accept`. */
export interface Patches {
  /** Those that nobody has ended, oldest first. */
  active(estate: string): Promise<readonly Patch[]>;
  /** At most so many that have ended, the last one first. */
  ended(estate: string, most: number): Promise<readonly EndedPatch[]>;
  /** The number of the next one. */
  next(estate: string): Promise<number>;
  /** Estates with a patch whose time is over, by the store's clock. */
  due(): Promise<readonly string[]>;
}

/** The lifetimes of documents. They begin and end with the generation that states them or no longer does: see `Generations.accept`. */
export interface Lifetimes {
  /** Of the newest generation, by the store's clock; the next to end comes first. */
  list(estate: string): Promise<readonly Lifetime[]>;
  /** Estates with a lifetime that is over while its document is still in the newest generation. */
  due(): Promise<readonly string[]>;
}

/** The patches of a generation that is to be accepted. `holding`: the ids of those that its specs have, `begins` among them. */
export interface PatchDecision {
  readonly holding: readonly number[];
  readonly begins?: Patch;
  readonly ends: readonly PatchEnd[];
}

/**
 * The remaining limited changes of a generation in each scope. The transaction that takes a place in a scope lowers its count,
 * and the one that returns the place raises it, so that nothing is missing between the two. A count may be too high where a
 * worker is midway, and is never too low.
 */
export interface ScopeCounts {
  /** Read it before anything that a count rests on: a count of an earlier epoch is none. */
  epoch(estate: string): Promise<number>;
  /** By the scope's own worker, from its observation: it replaces any earlier count. */
  keep(where: Where, count: ScopeCount): Promise<void>;
  /** By another scope's worker, from the last observation: it changes nothing where the scope has a count. */
  fill(where: Where, count: ScopeCount): Promise<void>;
  /** One query: the sum over all other scopes that were ever observed, and those of them that have no count. */
  others(where: Where, asked: Pick<ScopeCount, 'generation'>): Promise<OtherScopes>;
}

/**
 * The monthly cost of each scope, for the limit of the estate's cost. The transaction of an intent that raises it checks the sum of all
 * scopes and adds to its own, so scopes cannot race.
 */
export interface ScopeCosts {
  /** Keeps the count of the scope's own reconcile, from its observation. Ignores the count of a former lease or of an older generation. */
  keep(where: Where & Pick<Reconcile, 'lease'>, cost: KeptScopeCost): Promise<void>;
  /**
   * Keeps the count of another scope's reconcile, from the last observation. It changes nothing where the scope is counted in this
   * generation. Read `before`, the monthly cost in an earlier generation, before all other input of the count. Where the stored cost
   * differs from `before`, an intent raised it meanwhile, and the store changes nothing.
   */
  fill(where: Where, cost: ScopeCost, before: number | undefined): Promise<void>;
  /**
   * Drops the cost of other scopes where we own no machine and no intent is open. Until then a scope that left the specs keeps its last
   * cost, as nobody observes it.
   */
  dropEmpty(named: { readonly estate: string; readonly scopes: readonly ScopeKey[] }): Promise<void>;
  /** The costs of all scopes that Setpoint ever observed, sorted by scope. */
  list(estate: string): Promise<readonly ListedScopeCost[]>;
}

/** `generation`: the one with the prices of this count. The other fields: see core/plan/cost-limit.ts. */
export interface ScopeCost extends Omit<CountedCost, 'scope'> {
  readonly generation: number;
}

/** Without `plannedIncrease` the store keeps that of the generation. It keeps nothing where it has no count of that generation. */
export type KeptScopeCost = Omit<ScopeCost, 'plannedIncrease'> & Partial<Pick<ScopeCost, 'plannedIncrease'>>;

/** Without a cost: the scope was not counted yet. */
export interface ListedScopeCost {
  readonly scope: ScopeKey;
  readonly cost?: ScopeCost;
}

export interface ScopeCount {
  readonly generation: number;
  readonly epoch: number;
  /** It is none from then on, ms since the epoch; absent: no pause ends by itself. */
  readonly until?: number;
  readonly count: Count;
}

export interface OtherScopes {
  readonly count: Count;
  readonly uncounted: readonly ScopeKey[];
}

/** The actor of a decision, and the reason. Both are written into the ledger. */
export interface By {
  readonly person: string;
  readonly reason: string;
}

/**
 * Words of people on one resource. Each is a note in the ledger under its address, in the same transaction. They change nothing, and no
 * worker reads them.
 */
export interface ResourceNotes {
  /** Replaces an earlier assignment of the address. A complete observation ends it, see `Rows.keep`; that is no note. */
  assign(draft: AssignmentDraft, expected?: ExpectedAssignment): Promise<NewAssignment>;
  /** Returns the assignment that ended; undefined: there was none, and nothing is written. */
  endAssignment(draft: AssignmentDraft, expected?: ExpectedAssignment): Promise<Assignment | undefined>;
  comment(draft: CommentDraft): Promise<ResourceComment>;
  /** Of these addresses. `comments`: the newest 5 of each, newest first. */
  list(estate: string, addresses: readonly Address[]): Promise<ResourceNoteLists>;
}

/** Of each address so many comments are kept beside the ledger. */
export const mostComments = 5;

/** `person`: takes the resource on, or ends that. */
export interface AssignmentDraft extends Where {
  readonly address: Address;
  readonly person: string;
  readonly reason?: string;
}

export interface Assignment extends AssignmentDraft, Noted {}

/** The assignment that the person saw; `none`: they saw that there was none. */
export type ExpectedAssignment = Pick<Assignment, 'person' | 'at'> | 'none';

/** Another assignment stands than the person saw. Nothing is written. */
export class OtherAssignment extends Error {
  readonly standing: Assignment;

  constructor(standing: Assignment) {
    super(`another assignment of ${standing.address} stands than was expected`);
    this.name = 'OtherAssignment';
    this.standing = standing;
  }
}

/** `replaced`: the earlier assignment. */
export interface NewAssignment {
  readonly assignment: Assignment;
  readonly replaced?: Assignment;
}

export interface CommentDraft extends Where {
  readonly address: Address;
  readonly person: string;
  readonly text: string;
}

export interface ResourceComment extends CommentDraft, Noted {}

/** `seq`: of the note in the ledger. `at`: milliseconds since the epoch. */
interface Noted {
  readonly seq: number;
  readonly at: number;
}

export interface ResourceNoteLists {
  readonly assignments: readonly Assignment[];
  readonly comments: readonly ResourceComment[];
}
