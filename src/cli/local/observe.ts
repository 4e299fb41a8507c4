import { isDestructive } from '../../core/action.ts';
import type { CompiledScope } from '../../core/compile/compile.ts';
import type { Guards } from '../../core/guards.ts';
import type { WithheldDrift } from '../../core/inventory/withheld-drift.ts';
import { withoutStore } from '../../core/knowledge.ts';
import { type Allowance, allowanceIn } from '../../core/limits.ts';
import { approvedBy } from '../../core/plan/holds.ts';
import type { Approved, Choices } from '../../core/plan/plan-input.ts';
import type { Address, ListedSetting, ScopeKey } from '../../core/resource.ts';
import { messageOf, printable } from '../../core/text.ts';
import { type Converged, withUnrecorded } from '../../engine/converge.ts';
import { observe } from '../../engine/observe.ts';
import type { Site } from '../../engine/ports.ts';
import { type ActiveConstraints, activeConstraints, keepActive, type SeenScope } from '../../estate/active-spec.ts';
import { attemptOf } from '../../estate/inventory-sync.ts';
import { type Estate, providerOf } from '../../estate/load.ts';
import { openSite, withImageFacts } from '../../estate/session.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { Store } from '../../ports/store.ts';
import {
  boundOf,
  type EstateView,
  heldSources,
  planAgain,
  type ScopeView,
  withCost,
} from '../../queries/estate-view.ts';
import { unmanagedScopes, withheldDrift } from '../../queries/status.ts';
import type { Context } from '../context.ts';
import { printHeldSources, printUnmanagedScopes } from '../output/plan.ts';
import { progressOn, reportScope } from '../output/progress.ts';
import type { LocalEstate } from './estate.ts';
import { besidePatchesOf, printPatches } from './patches.ts';

/** An estate observed now, over sessions that are open. */
export interface ObservedEstate<S extends Store | undefined = Store | undefined> extends EstateView<ObservedScope> {
  readonly store: S;
}

/** A person's approvals and choices, beyond the specs. */
export interface PlanGrant extends Allowance {
  readonly prune?: ReadonlySet<Address>;
  /** Windows and freezes hold nothing. */
  readonly breakGlass?: boolean;
  /** Default: `grace`. */
  readonly removals?: RemovalChoice;
  /** Nobody else need approve what they do. */
  readonly withoutApprovals?: boolean;
}

/**
 * The objects of removed documents: `grace`, as workers plan; `grace-by-person`, likewise, and a person lets it begin; `at-once`: a person
 * who applies deletes them, also in their grace.
 */
type RemovalChoice = 'grace' | 'grace-by-person' | 'at-once';

function removalsOf({ removals }: ActiveConstraints['choices'], choice: RemovalChoice = 'grace'): Choices['removals'] {
  if (removals === undefined || choice === 'grace') return removals;
  const { grace, ...rest } = removals;
  return choice === 'at-once' ? { ...rest, skipped: grace } : { ...removals, by: 'person' };
}

/** Changes for which a person who applies needs an approval as well: see destructive-drift.ts. */
async function namedByApproval(estate: string, scope: ScopeKey, store: Store | undefined): Promise<Approved> {
  const approvals = (await store?.fleet.approvals.active({ estate, scope })) ?? [];
  const approved = approvedBy(new Set(approvals.flatMap(({ actions }) => actions)), sha256);
  return (action) => isDestructive(action) && approved(action);
}

/** In the observed scopes; read after the observation, so that it counts. */
async function withheldHere({ name, scopes }: Estate, store: Store | undefined): Promise<readonly WithheldDrift[]> {
  if (store === undefined) return [];
  const targets = scopes.flatMap(({ targets: all }) => all.map(({ metadata }) => metadata.name));
  return withheldDrift({ estate: name, seen: [{ estates: [name] }], targets }, store);
}

interface Observation<S extends Store | undefined> {
  readonly estate: LocalEstate;
  readonly store: S;
  readonly grant?: PlanGrant;
  /** Settings to list besides those that the documents state. */
  readonly settings?: readonly ListedSetting[];
  /** List the outer filters anew, however new the known ones are. */
  readonly freshFilters?: boolean;
}

/** Observes every scope, plans, and reconciles both on; the scopes' sessions are closed afterwards, whatever happened. */
export async function withObservedEstate<T, S extends Store | undefined>(
  { estate: given, store, grant = {}, settings = [], freshFilters = false }: Observation<S>,
  context: Context,
  work: (observed: ObservedEstate<S>) => Promise<T>,
): Promise<T> {
  const estate = await besidePatchesOf(given, store, context);
  await printPatches(estate, store, context);
  const constraints = await activeConstraints(estate, store, {
    now: context.clock.now(),
    breakGlass: grant.breakGlass === true,
    withoutApprovals: grant.withoutApprovals === true,
  });
  const { before } = constraints.policies ?? {};
  const looked = await observeEstate({ estate, store, settings, freshFilters, before }, context);
  try {
    const choices: Choices = {
      ...constraints.choices,
      holds: constraints.holds,
      removals: removalsOf(constraints.choices, grant.removals),
      prune: grant.prune,
    };
    const chosen = await Promise.all(
      looked.map(async (one) => {
        const approved = await namedByApproval(estate.name, one.scope.scope, store);
        return { ...one, input: { ...one.input, choices: { ...choices, approved } } };
      }),
    );
    const bounds = { ...constraints.bounds, ...allowanceIn(grant) };
    const plans = await planAgain({ estate, looked: chosen, bounds });
    const held = await heldSources(estate.name, store);
    printHeldSources(held, context);
    printUnmanagedScopes(await unmanagedScopes(estate, store), context);
    const isRecorded = await recordInventory(estate, looked, store, context);
    // why: else the inventory has the drift of an earlier observation
    const withheld = isRecorded ? await withheldHere(estate, store) : [];
    const bound = {
      ...withCost(boundOf(estate, constraints, held), { estate, looked: chosen, plans, bounds }),
      ...(withheld.length === 0 ? {} : { withheldDrift: withheld }),
    };
    return await work({ estate, store, looked: chosen, plans, bound, bounds });
  } finally {
    await Promise.all(looked.map(({ site }) => site.session.close()));
  }
}

/** One scope observed now. */
export interface ObservedScope extends ScopeView {
  readonly site: Site;
}

/** Observes all scopes side by side, and records the observations where there is a store. Close the sites afterwards. */
async function observeEstate(
  {
    estate,
    store,
    settings,
    freshFilters,
    before,
  }: Required<Pick<Observation<Store | undefined>, 'estate' | 'store' | 'settings' | 'freshFilters'>> & {
    readonly before: Pick<Guards, 'enforced'> | undefined;
  },
  { terminal, dependencies, clock, signal }: Context,
): Promise<readonly ObservedScope[]> {
  const progress = progressOn(terminal.err, clock);
  const observeScope = async (scope: CompiledScope): Promise<ObservedScope> => {
    const known = (await store?.inventory.knowledge(estate.name, scope.scope)) ?? withoutStore(estate.name);
    const opened = await openSite(scope, estate, { secrets: estate.secrets, clock, signal });
    const withSettings = { ...opened, freshFilters, settings: new Set([...(opened.settings ?? []), ...settings]) };
    const site = await withImageFacts(withSettings, { estate, scope }, before);
    const ports = { limiter: dependencies.limiter, clock, random: Math.random };
    const observation = await observe(site, known, ports, { signal, notify: reportScope(scope.scope, progress) });
    await store?.inventory.record(estate.name, observation);
    const knowledge = store === undefined ? known : await withUnrecorded(known, observation, store.inventory);
    const { dialect, batches } = providerOf(scope, estate);
    return { scope, site, input: { wanted: scope.wanted, observation, knowledge, dialect, batches } };
  };
  try {
    return await Promise.all(estate.scopes.map(observeScope));
  } finally {
    progress.end();
  }
}

/**
 * The resources of the inventory by one observation. It fails no command: it reports a resource that cannot be stored. False where
 * it stored none.
 */
const recordInventory = (
  estate: Estate,
  looked: readonly ObservedScope[],
  store: Store | undefined,
  context: Context,
): Promise<boolean> =>
  writeInventory(
    estate,
    looked.map(({ scope, input: { observation, knowledge } }) => ({ scope, observation, knowledge })),
    { store, context },
  );

/** The same after an apply: where nothing was to do, the observation before it holds. */
export async function recordAppliedInventory(
  estate: Estate,
  looked: readonly ObservedScope[],
  converged: readonly Converged[],
  means: { readonly store: Store; readonly context: Context },
): Promise<void> {
  const last = new Map(converged.map((one) => [one.last?.observation.scope, one]));
  const seen = looked.map(({ scope, input }): SeenScope => {
    const end = last.get(scope.scope);
    const { observation, knowledge } = end?.last ?? input;
    const attempt = attemptOf(end?.rounds ?? []);
    return { scope, observation, knowledge, attempt };
  });
  await writeInventory(estate, seen, means);
}

interface Means {
  readonly store: Store | undefined;
  readonly context: Context;
}

async function writeInventory(estate: Estate, seen: readonly SeenScope[], { store, context }: Means): Promise<boolean> {
  if (store === undefined) return false;
  try {
    return await keepActive(estate, seen, store);
  } catch (error) {
    const why = messageOf(error);
    context.terminal.err.write(`The observation was not saved in the inventory: ${printable(why)}\n`);
    return false;
  }
}
