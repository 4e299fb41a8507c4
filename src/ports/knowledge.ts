import type { Standing } from '../core/action.ts';
import type { TombstoneChanges } from '../core/grace.ts';
import type { Guards } from '../core/guards.ts';
import type { BirthVerdict, Knowledge } from '../core/knowledge.ts';
import type { Count } from '../core/limits.ts';
import type { Observation, Observed } from '../core/observed.ts';
import type { OnceProtected } from '../core/plan/required-approvals.ts';
import type { Address, CloudId, ScopeKey } from '../core/resource.ts';
import type { LifetimeDecision } from '../core/ttl.ts';
import type { PatchDecision } from './fleet-state.ts';
import type { Reconcile } from './ledger.ts';

/** Knowledge and observations in the store. */
export interface Inventory {
  knowledge(estate: string, scope: ScopeKey): Promise<Knowledge>;
  /** Keeps the newest observation of a scope, and the history of its changes. */
  record(estate: string, observation: Observation): Promise<void>;
  /** The newest observation of each scope of an estate, or of one of them. */
  latest(estate: string, scope?: ScopeKey): Promise<readonly Observation[]>;
  /**
   * Scopes in which a machine is half replaced: it stands as the store knows, and so does its successor, or the launch of that is
   * open. One query, so that only these scopes need `knowledge`.
   */
  halfReplaced(estate: string): Promise<ReadonlySet<ScopeKey>>;
  /** Objects of an estate that were under `protect` at any time, whichever estate had them then. One query. */
  onceProtected(estate: string): Promise<OnceProtected>;
  /** The intents among these that this store never recorded, in any estate and scope. All are spelled as UUIDs. */
  unrecorded(intents: readonly string[]): Promise<ReadonlySet<string>>;
  /** These ids, released before, were proven gone: the store forgets them. */
  buried(estate: string, scope: ScopeKey, ids: readonly CloudId[]): Promise<void>;
  /** These were found as wanted: how often their updates did not stick (`unstuck`) counts from nought again. */
  converged(estate: string, addresses: readonly Address[]): Promise<void>;
  /**
   * These resources match the reconcile's generation without a call: that generation counts as applied there. Needs the reconcile's lease,
   * as a write to the ledger does; where a higher generation is active nothing changes.
   */
  confirm(reconcile: Reconcile, standing: readonly Standing[]): Promise<void>;
  /**
   * Records what a plan of the newest generation says of tombstones; for a reconcile of another generation nothing changes. Needs the
   * reconcile's lease. Each tombstone that ends has a note in the ledger.
   */
  tombstones(reconcile: Reconcile, changes: TombstoneChanges): Promise<void>;
  /**
   * Records an observation's verdicts on the machines that this store launched. Needs the reconcile's lease. Of a failed birth the ledger has a note;
   * a machine that was never ready is not applied, so its address goes back to what was applied there before. One that survived
   * ends the row of failed births of its document, where these asked for the same.
   */
  births(reconcile: Reconcile, verdicts: readonly BirthVerdict[]): Promise<void>;
  /** The observed changes of one object, newest first, at most 100. */
  history(estate: string, id: CloudId): Promise<readonly Sighting[]>;
}

/** `at`: the start of the observation, ms since the epoch. `resource`: as it was then; of a vanished one, as it was last. */
export interface Sighting {
  readonly at: number;
  readonly scope: ScopeKey;
  readonly change: 'appeared' | 'changed' | 'vanished';
  readonly resource: Observed;
}

/** Accepted revisions, numbered. */
export interface Generations {
  /** The newest accepted one. */
  current(estate: string): Promise<Generation | undefined>;
  /**
   * The newest one of other specs than the newest: its guards still bind the newest. The same specs with other patches are no other specs,
   * so no patch lifts a guard.
   */
  previous(estate: string): Promise<Generation | undefined>;
  numbered(estate: string, number: number): Promise<Generation | undefined>;
  /** The one that was the newest at a time, by the store's clock. Undefined: there was none yet. */
  at(estate: string, time: number): Promise<Generation | undefined>;
  /** The newest that holds this commit, of the estate's own repository or of a team's. `commit`: how its hash begins. */
  ofCommit(estate: string, commit: string): Promise<Generation | undefined>;
  /**
   * Accepts a revision, whose tree was kept before (`fleet.specSnapshots`): the newest one's number if it is the same revision, else the
   * next. Never lower. Throws `Pinned` where a person holds the estate at another revision, and `Overtaken` where `after` is given
   * and the newest one has another number, or other patches hold or other lifetimes are over by now.
   */
  accept(estate: string, revision: string, guards: Guards, terms?: AcceptTerms): Promise<Generation>;
  /** The estate's deletes and replaces: by this generation, and by healing in the last 24 h. */
  spent(estate: string, generation: number): Promise<Spent>;
}

/** `after`: the number of the newest one, 0: none. `patches`, `lifetimes`: of the specs of the revision; absent: none. */
export interface AcceptTerms {
  readonly after?: number | undefined;
  readonly patches?: PatchDecision | undefined;
  readonly lifetimes?: LifetimeDecision | undefined;
}

export interface Generation {
  readonly number: number;
  readonly revision: string;
  readonly guards: Guards;
}

export interface Spent {
  readonly generation: Count;
  readonly healing: Count;
  /**
   * The number of resources that the estate owns over all scopes, with those that the counts above already removed: shares are of this
   * number.
   */
  readonly owned: number;
}

/** The change that came first: another generation, a patch that began or ended, or the end of a lifetime. */
export type OvertakenBy = 'generation' | 'patch' | 'lifetime';

/** A change was refused because another one came first since it was decided. */
export class Overtaken extends Error {
  readonly by: OvertakenBy;
  constructor(estate: string, after: number, newest: number, by: OvertakenBy = 'generation') {
    super(`${firstText({ estate, after, newest })[by]} Read the active specs and try again.`);
    this.name = 'Overtaken';
    this.by = by;
  }
}

const firstText = ({ estate, after, newest }: { estate: string; after: number; newest: number }) => ({
  generation: `generation ${newest} of ${estate} is active, so nothing follows generation ${after} any more.`,
  patch: `a patch of ${estate} began or ended, so these specs do not follow generation ${after} any more.`,
  lifetime: `a lifetime in ${estate} ended or began anew, so these specs do not follow generation ${after} any more.`,
});
