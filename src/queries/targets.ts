import { covers, seesTargets } from '../core/access/grant.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import { withheldChangesIn } from '../core/inventory/withheld-changes.ts';
import type { Knowledge } from '../core/knowledge.ts';
import { remembered } from '../core/remembered.ts';
import type { CloudId, ScopeKey } from '../core/resource.ts';
import type { OpenedEstate } from '../estate/load.ts';
import type { ScopeFigures } from '../ports/figures.ts';
import type { Pause, Quarantined } from '../ports/fleet-state.ts';
import type { KeptRow } from '../ports/inventory-rows.ts';
import type {
  InGrace,
  Replacement,
  TargetHeld,
  TargetLook,
  TargetReconciles,
  TargetReport,
  Targets,
  TargetsAsked,
} from '../ports/queries.ts';
import type { ScopeReconciles } from '../ports/reconciles.ts';
import type { Store } from '../ports/store.ts';
import { openActiveSpec, type QueryContext } from './active-estate.ts';
import { everyMsOf } from './cadence.ts';
import { requestReconcile } from './requests.ts';
import { blockedRows, halfReplacedIn, heldRows, inGraceIn, type RowsRead } from './status.ts';
import { subjectOf, subjectWithin } from './visible-plans.ts';

type Ground = Pick<QueryContext, 'store' | 'open'>;

export const targetsOn = (grounds: Ground): Targets => ({
  list: (asked) => list(asked, grounds),
  requestReconcile: ({ estate, scope, reason }) => requestReconcile({ estate, scope }, reason, grounds.store),
});

async function list(asked: TargetsAsked, grounds: Ground): Promise<readonly TargetReport[]> {
  const { estate, generation } = await openActiveSpec(asked.estate, grounds);
  const facts = await factsOf({ ...asked, newest: generation.number }, grounds.store);
  const reports = await Promise.all(
    estate.compiled.scopes.map((scope) => reportsOf(scope, { ...asked, opened: estate }, facts)),
  );
  return reports.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Facts that are read once for all targets. `requested`: scopes with a waiting reconcile request. */
interface Facts {
  readonly store: Store;
  /** Reads each scope once. */
  readonly knowledgeOf: (scope: ScopeKey) => Promise<Knowledge>;
  readonly figures: ReadonlyMap<string, ScopeFigures>;
  readonly reconciles: ReadonlyMap<string, ScopeReconciles>;
  readonly requested: ReadonlySet<string>;
  readonly pauses: readonly Pause[];
  readonly quarantine: ReadonlyMap<string, Quarantined>;
  readonly halfReplaced: ReadonlySet<ScopeKey>;
  readonly held: RowsRead;
  readonly inGrace: ReadonlyMap<CloudId, InGrace>;
}

type FactsAsked = TargetsAsked & { readonly newest: number };

async function factsOf({ estate, seen, newest }: FactsAsked, store: Store): Promise<Facts> {
  const { fleet } = store;
  const knowledgeOf = remembered((scope: ScopeKey) => store.inventory.knowledge(estate, scope));
  const [figures, reconciles, requests, pauses, quarantine, halfReplaced, held] = await Promise.all([
    store.figures.scopes(estate, seen),
    store.reconciles.scopes(estate),
    fleet.requests.unanswered(),
    fleet.pauses.active(estate),
    fleet.quarantine.list(estate),
    store.inventory.halfReplaced(estate),
    heldRows({ seen, filter: { estates: [estate] }, pages: 1 }, store),
  ]);
  return {
    store,
    knowledgeOf,
    figures: new Map(figures.map((one) => [one.scope, one])),
    reconciles: new Map(reconciles.map((one) => [one.scope, one])),
    requested: new Set(requests.filter((where) => where.estate === estate).map(({ scope }) => scope)),
    pauses,
    quarantine: new Map(quarantine.map((one) => [one.scope, one])),
    halfReplaced,
    held,
    inGrace: await gracesOf(held.rows, newest, knowledgeOf),
  };
}

/** Rows show which objects the caller sees; the store knows when their grace ends. */
async function gracesOf(
  held: readonly KeptRow[],
  newest: number,
  knowledgeOf: Facts['knowledgeOf'],
): Promise<ReadonlyMap<CloudId, InGrace>> {
  const scopes = new Set(held.filter(isToGo).map(({ place }) => place.scope));
  const known = await Promise.all([...scopes].map(knowledgeOf));
  return new Map(known.flatMap((one) => inGraceIn(one, newest).map((grace) => [grace.id, grace] as const)));
}

/** Something else may hold the deletion at the end of its grace. */
const isToGo = ({ sides }: KeptRow): boolean => sides.next?.verb === 'delete';

async function reportsOf(
  of: CompiledScope,
  asked: TargetsAsked & { readonly opened: OpenedEstate },
  facts: Facts,
): Promise<readonly TargetReport[]> {
  const { estate, seen } = asked;
  const stopped = await facts.store.fleet.rollouts.stopped({ estate, scope: of.scope });
  // why: a place may have targets that the caller does not see, and the rollouts there belong to others
  const rollouts = stopped.filter(
    ({ document }) => document === of.scope || subjectWithin(seen, { by: 'address', name: document }, asked.opened),
  );
  const quarantined = quarantineIn(of.scope, seesTargets(seen, { estate, targets: of.wanted.targets }), facts);
  const replacements = await replacementsIn(of.scope, asked, facts);
  return of.targets.flatMap(({ metadata: { name }, spec }): readonly TargetReport[] => {
    const subject = { estate, targets: [name] };
    if (!seen.some(({ owners: _, ...bounds }) => covers(bounds, subject))) return [];
    const whole = seen.some((bounds) => covers(bounds, subject));
    const held = { ...quarantined, rollouts };
    return [
      {
        name,
        place: { cloud: spec.provider, account: spec.account, region: spec.region, scope: of.scope },
        mode: of.wanted.mode,
        criticality: of.cadence.targets.find(({ target }) => target === name)?.criticality ?? 'normal',
        everyMs: everyMsOf(of, facts.reconciles.get(of.scope)),
        look: lookOf(name, facts.figures.get(of.scope)),
        ...(whole ? { reconciles: reconcilesOf(of.scope, facts, asked.now) } : {}),
        ...(whole
          ? {
              held: {
                ...{ ...held, ...changesOf({ name, scope: of.scope }, facts) },
                ...{ pauses: pausesOf(name, facts), halfReplaced: ofTarget(name, replacements) },
              },
            }
          : {}),
      },
    ];
  });
}

/** Of one target of a scope. */
function changesOf(
  { name, scope }: { readonly name: string; readonly scope: ScopeKey },
  { held, inGrace }: Facts,
): Pick<TargetHeld, 'withheldChanges' | 'inGrace' | 'truncated'> {
  const rows = held.rows.filter(({ place }) => place.scope === scope && place.targets.includes(name));
  return {
    withheldChanges: withheldChangesIn(rows),
    truncated: held.truncated,
    inGrace: rows.flatMap(({ called: { id = '' } }) => inGrace.get(id) ?? []).toSorted((a, b) => a.until - b.until),
  };
}

const lookOf = (target: string, figures: ScopeFigures | undefined): TargetLook => ({
  ...(figures === undefined ? {} : { at: figures.at }),
  gaps: figures?.gaps ?? [],
  counts: (figures?.counts ?? [])
    .filter((one) => one.target === target)
    .map(({ status, count }) => ({ status, count })),
});

function reconcilesOf(scope: string, { reconciles, requested }: Facts, now: number): TargetReconciles {
  const { last, running } = reconciles.get(scope) ?? {};
  const nextAt = requested.has(scope) ? now : last?.ending?.nextAt;
  return { ...(last && { last }), ...(running && { running }), ...(nextAt === undefined ? {} : { nextAt }) };
}

interface Placed {
  readonly replacement: Replacement;
  /** Undefined: no document names it any more. */
  readonly targets: readonly string[] | undefined;
}

/** Those that may be seen, with their targets. */
async function replacementsIn(
  scope: ScopeKey,
  { estate, seen, opened }: TargetsAsked & { readonly opened: OpenedEstate },
  { store, knowledgeOf, halfReplaced }: Facts,
): Promise<readonly Placed[]> {
  if (!halfReplaced.has(scope)) return [];
  const [knowledge, blocked] = await Promise.all([
    knowledgeOf(scope),
    blockedRows({ seen, filter: { estates: [estate], scopes: [scope], kinds: ['instance'] } }, store),
  ]);
  return halfReplacedIn(knowledge, blocked).flatMap((replacement): readonly Placed[] => {
    const subject = subjectOf({ by: 'address', name: replacement.address }, opened);
    if (!seen.some((bounds) => covers(bounds, subject))) return [];
    return [{ replacement, targets: subject.targets }];
  });
}

/** A replacement that no document names any more appears at each target of its place. */
const ofTarget = (name: string, all: readonly Placed[]): readonly Replacement[] =>
  all.flatMap(({ replacement, targets = [name] }) => (targets.includes(name) ? [replacement] : []));

/** Pauses of owners and addresses hold only a part of a target; other answers list them. */
const pausesOf = (name: string, { pauses }: Facts): readonly Pause[] =>
  pauses.filter(({ of }) => of.by === 'estate' || (of.by === 'target' && of.name === name));

function quarantineIn(scope: ScopeKey, isWhole: boolean, { quarantine }: Facts): Pick<TargetHeld, 'quarantine'> {
  const held = quarantine.get(scope);
  if (held === undefined) return {};
  const { why, ...rest } = held;
  return { quarantine: isWhole ? { ...rest, why } : rest };
}
