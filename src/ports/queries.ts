import type { Bounds } from '../core/access/grant.ts';
import type { Action, ScopePlan, UnmetRequirement, Verb } from '../core/action.ts';
import type { CalendarEntry } from '../core/change-windows.ts';
import type { Criticality } from '../core/criticality.ts';
import type { Mode } from '../core/desired.ts';
import type { Problem } from '../core/documents/problem.ts';
import type { Position } from '../core/documents/tree.ts';
import type { Effect } from '../core/effect/effect.ts';
import type { MapLimits, TrafficMap } from '../core/effect/map.ts';
import type { ReachWords } from '../core/effect/reach-between.ts';
import type { Tombstone } from '../core/grace.ts';
import type { WhoReport } from '../core/inventory/authors.ts';
import type { Explanation, Origin } from '../core/inventory/ownership.ts';
import type { WithheldChanges } from '../core/inventory/withheld-changes.ts';
import type { Gap } from '../core/observed.ts';
import type { EndedPatch, Patch } from '../core/patch.ts';
import type { Held, PauseDraft } from '../core/pause.ts';
import type { Withholding } from '../core/plan/plan-input.ts';
import type { Violation } from '../core/policy/evaluate.ts';
import type { PlanBound, PlanJson } from '../core/render/plan-json.ts';
import type { ScopeReach } from '../core/render/reach.ts';
import type { Address, Cloud, CloudId, ScopeKey } from '../core/resource.ts';
import type { UnfinishedReplacement } from '../core/unfinished-replacements.ts';
import type { StatusCount } from './figures.ts';
import type {
  Approval,
  Assignment,
  By,
  ExpectedAssignment,
  NewAssignment,
  Pause,
  Quarantined,
  Refusal,
  ResourceComment,
  ResourceNoteLists,
  SpecSnapshot,
  StoppedRollout,
} from './fleet-state.ts';
import type { KeptRow } from './inventory-rows.ts';
import type { Generation } from './knowledge.ts';
import type { EntryPages } from './ledger.ts';
import type { KeptReconcile, ReconcileDraft } from './reconciles.ts';
import type { Authors } from './sources.ts';

/**
 * Queries about an estate beyond one call of the store, answered out of the store: the active specs, the newest observations,
 * the knowledge. No cloud is called. All of them throw `Declined` where there is no answer.
 */
export interface Answers {
  /** The changes on the clouds outside Setpoint. `effect`: of these changes, not of healing them. */
  drift(asked: EstateAsked): Promise<Drift>;
  /** All about one resource. `of`: its address, the end of it where that is unique, or an id of the cloud. */
  explain(asked: EstateAsked & { readonly of: string }): Promise<Explained>;
  /** Finds the authors of changes to a resource or port. `of`: as of `explain`, or a port. `entries`: of the ledger, as far as the caller sees it. */
  who(asked: WhoAsked): Promise<Who>;
  /** The line of the active specs that decided each field of a resource; none where they cannot say. */
  origins(row: KeptRow): Promise<readonly Origin[]>;
  readonly traffic: TrafficAnswers;
  readonly approvals: ApprovalAnswers;
  readonly pauses: PauseAnswers;
  readonly windows: WindowAnswers;
  readonly patches: PatchAnswers;
  readonly edits: EditAnswers;
  readonly plans: PlanAnswers;
  readonly resourceNotes: ResourceNoteAnswers;
}

/**
 * The actions that modes and limits withhold from workers, and their approval. `seen`: the part that the caller may approve.
 */
export interface ApprovalAnswers {
  offer(asked: OfferAsked): Promise<Offered>;
  /** Exactly the plan with this digest, of any author. */
  give(asked: OfferAsked & ApprovalWord): Promise<Given>;
  /**
   * Of the approval with this entry in the ledger. `mine`: the bounds within which the caller may approve; the person who gave it may
   * withdraw it, too.
   */
  withdraw(asked: PauseAsked, seq: number, by: By): Promise<Withdrawn>;
  /** Refuses exactly the plan with this digest. It forbids nothing. */
  refuse(asked: OfferAsked & Pick<ApprovalWord, 'digest' | 'reason'>): Promise<RefusedPlan>;
}

/** `refusals`: one for each scope with pending actions. */
export interface RefusedPlan extends Pick<Offered, 'generation' | 'digest'> {
  readonly refusals: readonly Refusal[];
}

/** A refusal, as far as the caller may read it. */
export interface ShownRefusal extends Omit<Refusal, 'seq' | 'digest' | 'by'>, Partial<Pick<Refusal, 'seq' | 'digest'>> {
  readonly by: Pick<By, 'person'> & Partial<Pick<By, 'reason'>>;
}

export interface Withdrawn {
  readonly approval: Approval;
  /** Calls that were sent before it was withdrawn, and have no answer yet. */
  readonly onTheWay: number;
}

/** `address`, or the end of one: only changes there, and those that approvals lift only by name. */
export interface OfferAsked extends EstateAsked {
  readonly by: Poster;
  readonly address?: Address;
  /** Offers changes that windows and freezes hold, too. */
  readonly breakGlass?: boolean;
}

/** `digest`: of the whole offer. `until`: ms since the epoch. `roles`: the approval roles of the approver, with their bounds. */
export interface ApprovalWord {
  readonly roles: Readonly<Record<string, readonly Bounds[]>>;
  readonly digest: string;
  readonly reason: string;
  readonly until: number;
}

/** The actions of each plan are what would be let pass. `free`: how many changes more workers make without anybody. */
export interface Offered extends Planned {
  readonly digest: string;
  readonly generation: number;
  readonly free: number;
  readonly authors: Authorship;
  /** The active approvals that the caller may see. */
  readonly given: readonly Approval[];
  /** Refusals of these actions that stand: see queries/refusals.ts. Each has those of its actions that are here. */
  readonly refusals: readonly ShownRefusal[];
  /** There are more, of earlier times. */
  readonly refusalsTruncated: boolean;
  /** Requirements of its actions, which need more than one approval, or one in a role. */
  readonly required: readonly RequiredApproval[];
}

/** `refused`: why this asker may not let it pass. `unknown`: of some of it nobody knows who made it, or only by a forge's address. */
export interface Authorship {
  readonly refused?: string;
  readonly unknown: boolean;
}

/** `missing`: requirements of its actions that are not met yet. */
export interface Given extends Pick<Offered, 'generation' | 'digest' | 'authors'> {
  readonly given: readonly Approval[];
  readonly missing: readonly RequiredApproval[];
}

/** An action that more people must approve, or others. */
export interface RequiredApproval extends UnmetRequirement {
  readonly address: Address;
  readonly verb: Verb;
  /** Of the action. */
  readonly digest: string;
}

/** The windows and freezes of the newest generation. `breakGlass`: absent for callers who do not see all of the estate. */
export interface WindowAnswers {
  list(asked: EstateAsked): Promise<{
    readonly entries: readonly CalendarEntry[];
    readonly breakGlass?: readonly BreakGlass[];
  }>;
}

/** A person let changes pass windows and freezes. `seq`: of the entry in the ledger, which names them. */
export interface BreakGlass {
  readonly seq: number;
  readonly at: number;
  readonly person: string;
  readonly reason: string;
  readonly changes: number;
}

/** Pauses and resumes an estate, or a part of it. `seen`: the bounds within which the caller reads; `mine`: within which they may pause. */
export interface PauseAnswers {
  list(asked: EstateAsked): Promise<readonly Pause[]>;
  begin(asked: PauseAsked, draft: PauseDraft): Promise<BegunPause>;
  /** The pauses of exactly this subject, or of this incident; `all`: every pause there that belongs to no incident. */
  end(asked: PauseAsked, held: Held | Required<Pick<Held, 'incident'>> | 'all', by: By): Promise<readonly Pause[]>;
  /**
   * Lets stopped rollouts go on: of a document, by its address or an ending of it that is unique, of a target's by its scope;
   * `all`: every one that is theirs. Those that do; none where none had stopped.
   */
  goOn(asked: PauseAsked, document: string, by: By): Promise<readonly StoppedRollout[]>;
  /** A scope in quarantine has reconciles again. */
  release(asked: PauseAsked, scope: ScopeKey, by: By): Promise<void>;
}

/**
 * Assignments of resources to people, and comments. `mine`: where the caller may write them. `address`: of a resource of the
 * inventory, or a unique end of it.
 */
export interface ResourceNoteAnswers {
  /** Declined where another assignment stands than the one that `word` expects. */
  assign(asked: PauseAsked, word: AssignmentWord): Promise<NewAssignment>;
  /** Likewise. Undefined: nobody had taken it on. */
  endAssignment(asked: PauseAsked, word: AssignmentWord): Promise<Assignment | undefined>;
  comment(asked: PauseAsked, word: CommentWord): Promise<ResourceComment>;
  /** Of these resources, as far as the caller sees them, and from the time on from which they do. */
  of(asked: EstateAsked, addresses: readonly Address[]): Promise<ResourceNoteLists>;
}

export interface AssignmentWord extends Pick<Assignment, 'address' | 'person' | 'reason'> {
  readonly expected?: ExpectedAssignment;
}
export type CommentWord = Pick<ResourceComment, 'address' | 'person' | 'text'>;

/** Patches of documents. `mine`: where the caller may patch; a document must lie there as a whole. */
export interface PatchAnswers {
  list(asked: EstateAsked): Promise<PatchLists>;
  /** `preview`: it is judged, and not begun. */
  begin(asked: PauseAsked, draft: PatchRequest): Promise<BegunPatch>;
  end(asked: PauseAsked & { readonly by: Poster }, id: number, reason: string): Promise<EndedByPerson>;
}

export interface PatchLists {
  readonly active: readonly Patch[];
  /** The last ones, newest first. */
  readonly ended: readonly EndedPatch[];
}

/** `address`: of a document, of the only resource of one, or a unique end of either. `until`: ms since the epoch. */
export interface PatchRequest {
  readonly address: string;
  readonly fields: readonly { readonly field: string; readonly value: unknown }[];
  readonly by: Poster;
  readonly reason: string;
  readonly until: number;
  readonly replaces: number | undefined;
  readonly preview: boolean;
}

/** `generation` absent: a preview. `waits`: the reasons for which some of it waits. `atEnd`: machines that its end deletes or stops. */
export interface BegunPatch {
  readonly patch: Patch;
  /** Of the specs with it. */
  readonly revision: string;
  readonly generation?: Generation;
  /** Of the document alone. */
  readonly plans: readonly ScopePlan[];
  readonly effect?: Effect;
  /** Of the document alone. */
  readonly violations: readonly Violation[];
  readonly waits: readonly string[];
  readonly atEnd: { readonly deletes: number; readonly stops: number };
}

export interface EndedByPerson {
  readonly patch: Patch;
  readonly generation: Generation;
}

export interface PauseAsked extends EstateAsked {
  readonly mine: readonly Bounds[];
}

/** `scopes`: where a reconcile was asked for. */
export interface BegunPause {
  readonly pause: Pause;
  readonly scopes: readonly ScopeKey[];
  /** Calls that were sent before it began, and have no answer yet. */
  readonly onTheWay: number;
}

/** `seen`: the caller gets only what lies within one of these. `targets`: only their scopes; absent: all. */
export interface EstateAsked {
  readonly estate: string;
  readonly seen: readonly Bounds[];
  readonly targets?: readonly string[];
}

/** One plan and one observation for each scope, in the same order. */
export interface Planned {
  readonly bound: PlanBound;
  readonly plans: readonly ScopePlan[];
  readonly looks: readonly ScopeLook[];
  /** The effect on traffic; absent where the caller does not see all of the estate. */
  readonly effect?: Effect;
  /** Of policies, by desired resources and by changes; absent: none. */
  readonly violations?: readonly Violation[];
}

/** `leftToPeople`: actions that a person's plan carries out and that workers withhold, with the reasons. */
export interface Drift extends Planned {
  readonly leftToPeople: ReadonlyMap<Action, Withholding>;
  /** Of its resources. */
  readonly notes: ResourceNoteLists;
}

/**
 * `at`: the start of the observation, ms since the epoch; absent: there is none yet. `targets`: those that lie in the scope.
 */
export interface ScopeLook {
  readonly scope: ScopeKey;
  readonly targets: readonly string[];
  readonly at?: number;
  readonly gaps: readonly Gap[];
}

/** Answers about the present traffic, by the rules, routes and addresses that were observed. */
export interface TrafficAnswers {
  /** Checks the traffic from one end to the other, and names the deciding rules. */
  reach(asked: ReachAsked): Promise<ReachAnswered>;
  map(asked: MapAsked): Promise<Mapped>;
}

export interface ReachAsked extends EstateAsked, ReachWords {}

export interface ReachAnswered extends Pick<Planned, 'looks'> {
  readonly estate: string;
  readonly scopes: readonly ScopeReach[];
}

/**
 * `network`, `group`: only the machines there. `focus`: only the traffic from and to this end. `rule`: only the traffic that rules of this name allow. All are
 * words as for `reach`.
 */
export interface MapAsked extends EstateAsked {
  readonly network?: string | undefined;
  readonly group?: string | undefined;
  readonly focus?: string | undefined;
  readonly rule?: string | undefined;
  readonly limits: MapLimits;
}

/** `isPartial`: the caller does not see all of the estate. */
export interface Mapped extends Pick<Planned, 'looks'> {
  readonly estate: string;
  readonly map: TrafficMap;
  readonly isPartial: boolean;
}

export interface WhoAsked extends EstateAsked {
  readonly of: string;
  readonly entries: Pick<EntryPages, 'page'>;
  /** Absent: the reader does not see the whole estate, so the authors of its commits stay unnamed. */
  readonly authors?: Pick<Authors, 'of'>;
}

export interface Who extends Pick<Planned, 'looks'> {
  readonly estate: string;
  readonly report: WhoReport;
}

/** `effect`: of its actions alone; absent where it has none, or where the caller does not see all of the estate. */
export interface Explained extends Pick<Planned, 'bound' | 'looks' | 'effect'> {
  readonly explanation: Explanation;
}

/** Requested plans, of posted or of active specs, kept for a while. */
export interface PlanAnswers {
  make(asked: PlanAsked): Promise<MadePlan>;
  read(asked: PlanNamed): Promise<MadePlan>;
  /** Newest first. */
  list(asked: PlansAsked): Promise<readonly ProposalHead[]>;
  /** Brings the specs into force that it was made of, exactly as far as it was shown. */
  apply(asked: PlanNamed & { readonly reason: string }): Promise<AppliedPlan>;
}

/** `posted`: absent: the active specs. */
export interface PlanAsked extends EstateAsked {
  readonly by: Poster;
  readonly posted?: Posted;
}

/** Posted specs, which are not trusted. `team`: the team of their repository; absent: the estate itself. */
export interface Posted extends Pick<SpecSnapshot, 'specs' | 'userData'> {
  readonly team?: string;
}

export interface PlanNamed extends PlanReader {
  readonly id: string;
}

interface PlansAsked extends Omit<ProposalQuery, 'by'>, PlanReader {}

/** `reads`: where the asker may read, now: a plan is seen as far as that goes, whatever it was when they had it made. */
export interface PlanReader {
  readonly by: Poster;
  readonly reads: readonly Bounds[];
}

/** `stale`: the active specs have changed since it was made. */
export interface MadePlan extends Pick<Proposal, 'head' | 'planned' | 'problems'> {
  readonly stale: boolean;
}

export interface AppliedPlan {
  readonly estate: string;
  readonly generation: number;
  readonly revision: string;
  /** The scopes with new reconcile requests. */
  readonly scopes: readonly ScopeKey[];
}

/** Requested plans, kept for people who read them, or accept their specs. Gone once they have expired. */
export interface Proposals {
  /** Of an estate at most `most` are kept: the oldest go. */
  keep(proposal: Proposal, most: number): Promise<void>;
  read(id: string): Promise<Proposal | undefined>;
  /** Newest first, from before the one with this id on. `by`: only of this caller; absent: of all. */
  list(query: ProposalQuery): Promise<readonly ProposalHead[]>;
}

export interface ProposalQuery {
  readonly estate: string;
  readonly by?: string;
  readonly after?: string;
  readonly limit: number;
}

/**
 * Times are ms since the epoch. `generation`: active when it was planned. `seen`: the part of the estate that it shows; absent:
 * that is not known any more.
 */
export interface ProposalHead
  extends Pick<PlanJson, 'revision' | 'summary' | 'digest'>,
    Pick<EstateAsked, 'estate'>,
    Partial<Pick<EstateAsked, 'seen'>> {
  readonly id: string;
  readonly generation: number;
  readonly times: { readonly at: number; readonly until: number };
  readonly by: Poster;
  readonly of: 'posted' | 'in-force';
}

/** `caller`: the id of the credential, never shown; `names`: all names of its person. */
export interface Poster {
  readonly person: string;
  readonly caller: string;
  readonly names: readonly string[];
}

export interface Proposal {
  readonly head: ProposalHead;
  readonly planned: Planned;
  /** Warnings. */
  readonly problems: readonly ReportedProblem[];
  /** Absent: the active specs. */
  readonly tree?: SpecSnapshot;
}

export type ReportedProblem = Pick<Problem, 'severity' | 'code' | 'at' | 'message' | 'hint'>;

/** The targets of an estate, by the newest active specs. Throws `Declined` where there is no answer. */
export interface Targets {
  /** Those that may be seen, sorted by name. */
  list(asked: TargetsAsked): Promise<readonly TargetReport[]>;
  /** A reconcile of this scope now, as by a person. */
  requestReconcile(asked: {
    readonly estate: string;
    readonly scope: ScopeKey;
    readonly reason: string;
  }): Promise<void>;
}

/** `seen`: the caller counts only resources within one of these bounds. */
export interface TargetsAsked {
  readonly estate: string;
  readonly seen: readonly Bounds[];
  readonly now: number;
}

/** Facts about all of a scope (reconciles, held work) are shown to callers who see all owners of the target. */
export interface TargetReport {
  readonly name: string;
  readonly place: TargetPlace;
  readonly mode: Mode;
  /** That of the most critical document there. */
  readonly criticality: Criticality;
  /** The observation interval of its scope. */
  readonly everyMs: number;
  readonly look: TargetLook;
  readonly reconciles?: TargetReconciles;
  readonly held?: TargetHeld;
}

interface TargetPlace {
  readonly cloud: Cloud;
  readonly account: string;
  readonly region: string;
  readonly scope: ScopeKey;
}

/** `at`: the start of the newest observation; absent: there is none yet. */
export interface TargetLook {
  readonly at?: number;
  readonly gaps: readonly Gap[];
  readonly counts: readonly Omit<StatusCount, 'target'>[];
}

/** `nextAt`: at the latest; absent: not known. */
export interface TargetReconciles {
  readonly last?: KeptReconcile;
  readonly running?: Pick<ReconcileDraft, 'id' | 'began'>;
  readonly nextAt?: number;
}

/** The changes that await an approval. */
export interface Approvable {
  /** The changes of each scope that a mode or a limit withholds from workers, and all other holds there. */
  readonly plans: readonly ScopePlan[];
  /** The number of further changes that workers make without an approval. */
  readonly free: number;
  /** Of those plans: the requirements that are not met yet. */
  readonly required: readonly RequiredApproval[];
}

/**
 * Reasons that a reconcile does less than its specs ask. `why` of a quarantine: for callers who see all targets of the scope.
 */
export interface TargetHeld {
  readonly pauses: readonly Pause[];
  readonly quarantine?: Omit<Quarantined, 'why'> & Partial<Pick<Quarantined, 'why'>>;
  readonly rollouts: readonly StoppedRollout[];
  /** Sorted by address. */
  readonly halfReplaced: readonly Replacement[];
  /** Resources on which the last reconcile did not act as it should. */
  readonly withheldChanges: readonly WithheldChanges[];
  /** There are more than the store read. */
  readonly truncated: boolean;
  /** The next one to be deleted comes first. */
  readonly inGrace: readonly InGrace[];
}

/** An object whose document is gone, and that still runs. Times are ms since the epoch. */
export type InGrace = Pick<Tombstone, 'kind' | 'address' | 'since' | 'until'> & { readonly id: CloudId };

/** `heldBy`: the reason that the last reconcile did not continue it; absent: nothing held it, as far as the caller sees. */
export interface Replacement extends UnfinishedReplacement {
  readonly heldBy?: string;
}

/** Edits of documents by which the specs keep drift, for a person to commit. Neither specs nor clouds change. */
export interface EditAnswers {
  /** Documents that state the drift. `fields`: as documents call them; none: all. */
  accept(asked: DriftNamed & { readonly fields: readonly string[] }): Promise<ProposedEdit>;
  /** A document that leaves a drifted field alone until a day. */
  ignore(asked: DriftIgnored): Promise<ProposedEdit>;
}

/** `address`: of a resource or document, a unique end of it, or an id of the cloud. */
interface DriftNamed extends EstateAsked {
  readonly address: string;
}

export interface DriftIgnored extends DriftNamed {
  readonly ignore: IgnoredField;
}

/** An entry under `ignore` of a document. `until`: its last day, 2027-01-31. */
export interface IgnoredField {
  readonly field: string;
  readonly owner: string;
  readonly reason: string;
  readonly until: string;
}

/** A difference that a plan of the edited documents no longer has. `from`: in the documents; `to`: on the cloud. `field`: absent where a rule is gone. */
export interface EditedChange {
  readonly address: Address;
  readonly field?: string;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly at: Position;
}

/**
 * `revision`: of the specs that are edited. `others`: resources that nobody named, and whose differences the same edits keep. `left`: fields of
 * Setpoint's own, which no document states. `rollouts`: differences that the specs caused. `command`: the line that proposes the same.
 */
export interface ProposedEdit {
  readonly revision: string;
  readonly accepted: readonly EditedChange[];
  readonly others: readonly Address[];
  readonly left: readonly Pick<EditedChange, 'address' | 'field'>[];
  readonly rollouts: readonly Pick<EditedChange, 'address' | 'field'>[];
  /** Diffs for people, with the lines of secrets masked. By their path in the tree. */
  readonly files: readonly { readonly path: string; readonly removed: boolean; readonly diff: string }[];
  readonly command?: string;
}

/**
 * The reason of a refusal. `unknown`: there is no such thing that the caller may see; `forbidden`: it is not theirs to do;
 * `conflict`: something else has happened, or must happen first; `unsound`: the sent data is not valid; `too-many`: too much is
 * asked for at once; `away`: the database is unavailable for a while.
 */
export type DeclineReason = 'unknown' | 'forbidden' | 'conflict' | 'unsound' | 'too-many' | 'away';

/** Thrown instead of an answer. The message is for people, says what to do next, and repeats nothing that was sent. */
export class Declined extends Error {
  readonly because: DeclineReason;
  /** For machines: data of ours, declared nowhere. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(because: DeclineReason, message: string, { cause, ...more }: Readonly<Record<string, unknown>> = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'Declined';
    this.because = because;
    this.more = more;
  }
}
