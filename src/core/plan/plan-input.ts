import type { Action, ScopePlan, UnmetRequirement, WithholdCode } from '../action.ts';
import type { BatchLimits } from '../batches.ts';
import type { Dialect } from '../compile/dialect.ts';
import type { Criticality } from '../criticality.ts';
import { type Desired, type DocumentRef, type Mode, strictest, type Terms } from '../desired.ts';
import type { GracePeriods } from '../grace.ts';
import type { Guards } from '../guards.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Observation } from '../observed.ts';
import type { RemediationBefore, Remediations } from '../remediation.ts';
import { remembered } from '../remembered.ts';
import type { Address, CloudId, Kind, ScopeKey } from '../resource.ts';
import type { Rollout } from '../rollout.ts';
import type { Steps } from '../steps.ts';

/** The desired resources of one scope. */
export interface Wanted {
  readonly desired: readonly Desired[];
  /** Every document of this scope, also with 0 replicas, and its permissions. */
  readonly documents: ReadonlyMap<Address, Allowed>;
  /** The same of documents whose lifetime is over: they want nothing, and their terms go on to govern. Absent: none. */
  readonly ended?: ReadonlyMap<Address, Allowed>;
  /** Networks in which a rule that nobody wrote is reported, not removed. */
  readonly additive: ReadonlySet<Address>;
  /** The mode of resources without a document: that of the target. */
  readonly mode: Mode;
  /** The criticality of resources without a document: that of the most critical target. Absent: normal. */
  readonly criticality?: Criticality;
  /** Names of the targets that lie in this scope. */
  readonly targets: readonly string[];
  /** The number of rules that the account lets a container hold, where a target states it. */
  readonly rulesPerContainer?: number;
  /** The default rollout of the scope's changes, where their documents have none. */
  readonly rollout?: Rollout;
  /** Unmanaged objects that are no findings today. */
  readonly ignoreUnmanaged?: readonly IgnoreUnmanaged[];
}

/** Unmanaged objects that a target leaves out of its findings until a day. Each criterion narrows the choice; one is there at least. */
export interface IgnoreUnmanaged extends IgnoreTerms {
  readonly kind?: Kind;
  readonly id?: CloudId;
  /** `*` stands for any text. */
  readonly name?: string;
  /** `key` or `key=value`. */
  readonly label?: string;
  /** The maker, in any case, or the reason of the origin. */
  readonly origin?: string;
}

/** `until`: the last day. */
export interface IgnoreTerms {
  readonly owner: string;
  readonly reason: string;
  readonly until: string;
}

/** The terms of a document that stands, or that has ended. */
export const allowedBy = ({ documents, ended }: Wanted, document: Address): Allowed | undefined =>
  documents.get(document) ?? ended?.get(document);

/** A document's terms for changes and removals of its own resources, its owner, and its targets in the scope. */
export interface Allowed extends Pick<Terms, 'mode' | 'protect'> {
  /** The mode that it says itself, whatever it inherits. */
  readonly own?: Mode;
  readonly owner?: string;
  /** Absent: normal. */
  readonly criticality?: Criticality;
  readonly targets: readonly string[];
  readonly rollout?: Rollout;
  /** Absent: all drift is healed. */
  readonly remediation?: Remediations;
}

export interface PlanInput {
  readonly wanted: Wanted;
  readonly observation: Observation;
  /** True: the observation is one of the store. What it did not ask for, such as the facts of a new image, the next one does. */
  readonly isStored?: boolean;
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  readonly choices?: Choices;
  /** The number of actions that a call may carry, to predict the number of calls. */
  readonly batches?: BatchLimits;
  /** The path of a file of the specs, as the person sees it who reads the findings; default: its path in the tree. */
  readonly pathOf?: (file: string) => string;
}

/** The file and line of a document, for findings: `specs/web.yaml:12`. */
export const placeIn = ({ file, line }: DocumentRef, { pathOf = (path) => path }: Pick<PlanInput, 'pathOf'>): string =>
  `${pathOf(file)}:${line}`;

/** A person's choices beyond the specs, or the lack of them. */
export interface Choices extends WaveChoices {
  /** Orphans to delete. */
  readonly prune?: ReadonlySet<Address>;
  /** The loop runs without a person: only what is in mode `enforce` is acted on. */
  readonly unattended?: boolean;
  readonly modesBefore?: ModesBefore;
  /** Absent: the generation before had none. */
  readonly remediationBefore?: RemediationBefore;
  /** Absent: removals have no grace, and tombstones do not count. */
  readonly removals?: Removals;
  /** The actions that a person approved beforehand: see holds.ts. */
  readonly approved?: Approved;
  /** Further reasons to withhold. */
  readonly holds?: readonly Hold[];
  /** Judges the plan as a whole. The planner withholds the denied actions and plans the rest again. */
  readonly judge?: PlanJudge;
}

/** The way in which removed documents are carried out. */
export interface Removals {
  /** The number that the specs have or, once accepted, would have. */
  readonly generation: number;
  /** Absent: a person deletes at once. */
  readonly grace?: GracePeriods;
  /** The periods of workers, where a person deletes at once. */
  readonly skipped?: GracePeriods;
  /** A person asked for the grace. */
  readonly by?: 'person';
  /** True where the generation before named this document. */
  readonly wasNamed?: (document: Address) => boolean;
}

/** The limit of a rollout in waves. */
interface WaveChoices {
  /** Rollouts that stopped, and that nobody has resumed since: see rollout-stops.ts. */
  readonly stopped?: readonly StoppedWaves[];
  /** No waves are kept: a person wants all of it now, or how much it is in all is to be known. */
  readonly atOnce?: boolean;
}

/** `document`: its address; of a target's rollout the scope. `why`: the failure, for people. */
export interface StoppedWaves {
  readonly document: Address | ScopeKey;
  readonly why: string;
}

/** True where this very action is approved. */
export type Approved = (action: Action) => boolean;

/** Gives a reason to withhold an action, or undefined to let it pass. */
export interface Hold {
  (action: Action): Withholding | undefined;
  /** The same hold, if people approved these actions; absent: it takes no notice of approvals. */
  readonly assuming?: (approval: AssumedApproval) => Hold;
}

/** `requirements`: of `approvals`. */
export interface Withholding {
  readonly code: WithholdCode;
  readonly why: string;
  readonly requirements?: readonly UnmetRequirement[];
}

/** Approvals that might be given: by as many people as are needed. `breakGlass`: they pass change windows and freezes as well. */
export interface AssumedApproval {
  readonly approved: Approved;
  readonly breakGlass: boolean;
}

/** Gives a reason to withhold actions of this plan; undefined where it denies none of them. In steps: traffic may be compared for it. */
export interface PlanJudge {
  (plan: ScopePlan, input: PlanInput): Steps<Hold | undefined>;
  /** The same judge, if people approved these actions; absent: it takes no notice of approvals. */
  readonly assuming?: (approval: AssumedApproval) => PlanJudge;
  /** Equal for equal rules. */
  readonly key: string;
}

/** The mode by which the generation before binds what is done for a document; undefined where it does not. */
export type ModesBefore = (document: Address) => Mode | undefined;

/**
 * A document that the generation before did not name is bound by what it would have inherited there:
 *
 *   named there | its scope         | mode before
 *   ------------+-------------------+--------------------------------------------------------------------
 *   yes         | –                 | as it was
 *   no          | had a target      | the strictest of its own word now, its targets' and the estate's then
 *   no          | none spoke of it  | the estate's then, where it said one
 */
export function modesBefore(
  { modes, ended = {}, inherited }: Pick<Guards, 'modes' | 'ended' | 'inherited'>,
  scopes: readonly { readonly wanted: Pick<Wanted, 'documents'> }[],
): ModesBefore {
  const own = (document: Address) => scopes.flatMap(({ wanted }) => wanted.documents.get(document)?.own ?? []);
  const known: readonly ScopeKey[] = Object.keys(inherited?.scopes ?? {});
  const modeBefore: ModesBefore = (document) => {
    const said = modes[document] ?? ended[document];
    if (said !== undefined || inherited === undefined) return said;
    const scope = known.find((one) => document.startsWith(`${one}/`));
    if (scope === undefined) return inherited.estate;
    return strictest([...own(document), inherited.scopes[scope] ?? undefined]);
  };
  // why: each hold asks for each action of a document
  return remembered(modeBefore);
}
