import type { Action, WithholdCode } from '../action.ts';
import type { Dialect } from '../compile/dialect.ts';
import { type Desired, type Mode, strictest, type Terms } from '../desired.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Guards } from '../limits.ts';
import type { Observation } from '../observed.ts';
import type { BatchLimits } from '../pack.ts';
import type { Address, ScopeKey } from '../resource.ts';
import type { Rollout } from '../rollout.ts';

/** What one scope is wanted to hold. */
export interface Wanted {
  readonly desired: readonly Desired[];
  /** Every document that speaks of this scope, those that make nothing (0 replicas) included, and what it allows. */
  readonly documents: ReadonlyMap<Address, Allowed>;
  /** Networks in which a rule that nobody wrote is reported, not removed. */
  readonly additive: ReadonlySet<Address>;
  /** The mode of what no document speaks of any more: the target's. */
  readonly mode: Mode;
  /** Names of the targets that lie in this scope. */
  readonly targets: readonly string[];
  /** How many rules the account lets a container hold, where a target says so. */
  readonly rulesPerContainer?: number;
  /** How the scope's changes go out, where their documents do not say it themselves. */
  readonly rollout?: Rollout;
}

/** What a document says of changing and removing whatever is its own, whose it is, and for which targets of the scope. */
export interface Allowed extends Pick<Terms, 'mode' | 'protect'> {
  /** The mode that it says itself, whatever it inherits. */
  readonly own?: Mode;
  readonly owner?: string;
  readonly targets: readonly string[];
  readonly rollout?: Rollout;
}

export interface PlanInput {
  readonly wanted: Wanted;
  readonly observation: Observation;
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  readonly choices?: Choices;
  /** How many actions a call may carry, to predict how many calls there will be. */
  readonly batches?: BatchLimits;
}

/** What a person, or the lack of one, adds to the specs. */
export interface Choices extends WaveChoices {
  /** Orphans to delete. */
  readonly prune?: ReadonlySet<Address>;
  /** The loop runs without a person: only what is in mode `enforce` is acted on. */
  readonly unattended?: boolean;
  readonly modesBefore?: ModesBefore;
  /** What a person let pass beforehand: see policies.ts. */
  readonly approved?: Approved;
  /** Further reasons to withhold. */
  readonly policies?: readonly Policy[];
}

/** How far a rollout in waves may go. */
interface WaveChoices {
  /** Rollouts that stopped, and that nobody has resumed since: see rollout-stops.ts. */
  readonly stopped?: readonly StoppedWaves[];
  /** No waves are kept: a person wants all of it now, or how much it is in all is to be known. */
  readonly atOnce?: boolean;
}

/** `document`: its address; of a target's rollout the scope. `why`: what failed, for people. */
export interface StoppedWaves {
  readonly document: Address | ScopeKey;
  readonly why: string;
}

/** Whether this very action is approved. */
export type Approved = (action: Action) => boolean;

/** Gives a reason to withhold an action, or undefined to let it pass. */
export type Policy = (action: Action) => { readonly code: WithholdCode; readonly why: string } | undefined;

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
  { modes, inherited }: Pick<Guards, 'modes' | 'inherited'>,
  scopes: readonly { readonly wanted: Pick<Wanted, 'documents'> }[],
): ModesBefore {
  const own = (document: Address) => scopes.flatMap(({ wanted }) => wanted.documents.get(document)?.own ?? []);
  const known: readonly ScopeKey[] = Object.keys(inherited?.scopes ?? {});
  const modeBefore: ModesBefore = (document) => {
    const said = modes[document];
    if (said !== undefined || inherited === undefined) return said;
    const scope = known.find((one) => document.startsWith(`${one}/`));
    if (scope === undefined) return inherited.estate;
    return strictest([...own(document), inherited.scopes[scope] ?? undefined]);
  };
  // why: each policy asks for each action of a document
  const found = new Map<Address, Mode | undefined>();
  return (document) => {
    if (!found.has(document)) found.set(document, modeBefore(document));
    return found.get(document);
  };
}
