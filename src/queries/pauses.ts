import { type Bounds, covers } from '../core/access/grant.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import type { PauseDraft, PauseSubject, SubjectNames } from '../core/pause.ts';
import { heldText } from '../core/render/wording.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { Estate, OpenedEstate } from '../estate/load.ts';
import type { By, Pause, StoppedRollout } from '../ports/fleet-state.ts';
import { type BegunPause, Declined, type EstateAsked, type PauseAnswers, type PauseAsked } from '../ports/queries.ts';
import type { Where } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import { openActiveSpec, type QueryContext } from './active-estate.ts';
import { callsOnTheWay, requestReconciles, scopesRunning } from './requests.ts';
import { subjectWithin } from './visible-plans.ts';

export const pausesOn = (grounds: QueryContext): PauseAnswers => ({
  list: async (asked) => {
    const { pauses, estate } = await pausedIn(asked, grounds);
    return pauses.filter(({ of }) => subjectWithin(asked.seen, of, estate));
  },
  begin: (asked, draft) => begin(asked, draft, grounds),
  end: (asked, held, by) => end(asked, { held, by }, grounds),
  ...resumesOn(grounds),
});

async function pausedIn({ estate: name }: EstateAsked, grounds: QueryContext) {
  const pauses = await grounds.store.fleet.pauses.active(name);
  return { pauses, estate: (await openActiveSpec(name, grounds)).estate };
}

async function begin(asked: PauseAsked, draft: PauseDraft, grounds: QueryContext): Promise<BegunPause> {
  const { store } = grounds;
  const { estate } = await openActiveSpec(asked.estate, grounds);
  const { of } = draft;
  if (of.by !== 'estate' && !(await namesIn(estate, store))[of.by].has(of.name)) throw unknown();
  refuseOthers(asked, of, estate);
  const pause = await store.fleet.pauses.begin(asked.estate, draft);
  // why: a running reconcile may be of former specs, in scopes that the active ones do not know
  const its = scopesOf(of, estate);
  const scopes = [...new Set([...its, ...(await scopesRunning(estate, store))])];
  await requestReconciles(estate, scopes, {
    store,
    reason: `${draft.person} paused ${heldText(draft)}: ${draft.reason}`,
  });
  // why: only callers who see all of the estate learn of reconciles elsewhere
  const seen = subjectWithin(asked.seen, { by: 'estate' }, estate) ? scopes : its;
  return { pause, scopes: seen, onTheWay: (await callsOnTheWay(asked.estate, its, store)).length };
}

interface Ending {
  readonly held: Parameters<PauseAnswers['end']>[1];
  readonly by: By;
}

async function end(asked: PauseAsked, { held, by }: Ending, grounds: QueryContext): Promise<readonly Pause[]> {
  const { store } = grounds;
  const { pauses, estate } = await pausedIn(asked, grounds);
  const meant = pauses.filter((pause) => {
    if (held === 'all') return pause.incident === undefined && subjectWithin(asked.mine, pause.of, estate);
    return 'of' in held ? heldText(pause) === heldText(held) : pause.incident === held.incident;
  });
  if (held !== 'all') {
    if (meant.length === 0) throw unknown();
    for (const { of } of meant) refuseOthers(asked, of, estate);
  }
  const ended: Pause[] = [];
  for (const one of new Map(meant.map((pause) => [heldText(pause), pause])).values())
    ended.push(...(await store.fleet.pauses.end(asked.estate, one, by)));
  const scopes = new Set(ended.flatMap(({ of }) => scopesOf(of, estate)));
  await requestReconciles(estate, [...scopes], { store, reason: `${by.person} resumed: ${by.reason}` });
  return ended;
}

/** An invisible subject does not exist for the caller; a visible one that is not theirs is refused. */
function refuseOthers({ seen, mine }: PauseAsked, of: PauseSubject, estate: OpenedEstate): void {
  if (!subjectWithin(seen, of, estate) && of.by !== 'estate') throw unknown();
  if (!subjectWithin(mine, of, estate))
    throw new Declined('forbidden', 'You need the permission operate for everything that the pause covers.', {
      permission: 'operate',
    });
}

/** Resumes work that stopped by itself. */
const resumesOn = (grounds: Pick<QueryContext, 'store' | 'open'>): Pick<PauseAnswers, 'goOn' | 'release'> => ({
  goOn: (asked, document, by) => goOn(asked, { document, by }, grounds),
  release: (asked, scope, by) => release(asked, { scope, by }, grounds),
});

type Ground = Pick<QueryContext, 'store' | 'open'>;

async function goOn(
  asked: PauseAsked,
  { document, by }: { readonly document: string; readonly by: By },
  { store, open }: Ground,
): Promise<readonly StoppedRollout[]> {
  const { estate } = await openActiveSpec(asked.estate, { store, open });
  const isWithin = (bounds: readonly Bounds[], scopeWithin: typeof hasScope) => (stop: Stop) =>
    stop.rollout.document === stop.where.scope
      ? scopeWithin(bounds, stop.where.scope, estate)
      : subjectWithin(bounds, { by: 'address', name: stop.rollout.document }, estate);
  const isSeen = isWithin(asked.seen, seesScope);
  const isMine = isWithin(asked.mine, hasScope);
  const stops = (await stoppedIn(estate, store)).filter(isSeen);
  if (stops.length === 0) return [];
  const chosen = document === 'all' ? stops.filter(isMine) : [stopNamed(document, stops)];
  if (!chosen.every(isMine)) throw notTheirs();
  for (const { where, rollout } of chosen) await store.fleet.rollouts.resume(where, by, rollout.document);
  const reason = `${by.person} let a rollout go on: ${by.reason}`;
  await requestReconciles(estate, [...new Set(chosen.map(({ where }) => where.scope))], { store, reason });
  return chosen.map(({ rollout }) => rollout);
}

/** The same whether it has not stopped, is not there, or is not seen. */
function stopNamed(given: string, stops: readonly Stop[]): Stop {
  const fits = stopsNamed(given, stops);
  const [stop] = fits;
  if (stop === undefined) throw unknown();
  if (fits.length === 1) return stop;
  throw new Declined('conflict', `The name matches ${fits.length} addresses. Send one of \`addresses\` in full.`, {
    addresses: fits.slice(0, mostListed).map(({ rollout }) => rollout.document),
  });
}

const mostListed = 10;

async function release(
  asked: PauseAsked,
  { scope, by }: { readonly scope: ScopeKey; readonly by: By },
  { store, open }: Ground,
): Promise<void> {
  const { estate } = await openActiveSpec(asked.estate, { store, open });
  const held = (await store.fleet.quarantine.list(asked.estate)).some((one) => one.scope === scope);
  if (!held || !seesScope(asked.seen, scope, estate)) throw unknown();
  if (!hasScope(asked.mine, scope, estate)) throw notTheirs();
  await store.fleet.quarantine.release({ estate: asked.estate, scope }, by);
  await requestReconciles(estate, [scope], { store, reason: `${by.person} released it from quarantine: ${by.reason}` });
}

/** As `/v1/targets` shows it: to callers who see all of one of its targets. */
const seesScope = (bounds: readonly Bounds[], scope: ScopeKey, estate: OpenedEstate): boolean =>
  targetsIn(scope, estate).some((of) => bounds.some((one) => covers(one, of)));

/** Resuming covers a whole scope, so the caller needs all of its targets. */
export const hasScope = (bounds: readonly Bounds[], scope: ScopeKey, estate: OpenedEstate): boolean =>
  targetsIn(scope, estate).every((of) => bounds.some((one) => covers(one, of)));

/** A subject that no spec names any more belongs to everyone with rights on the whole estate. */
function targetsIn(scope: ScopeKey, { name: estate, compiled }: OpenedEstate) {
  const targets = compiled.scopes.find((one) => one.scope === scope)?.wanted.targets ?? [];
  return targets.length === 0 ? [{ estate }] : targets.map((target) => ({ estate, targets: [target] }));
}

const unknown = (): Declined => new Declined('unknown', 'It does not exist, or your grants do not cover it.');

const notTheirs = (): Declined =>
  new Declined('forbidden', 'You need the permission operate for everything that you resume.', {
    permission: 'operate',
  });

export interface Stop {
  readonly where: Where;
  readonly rollout: StoppedRollout;
}

/** Rollouts of this estate that stopped. */
export async function stoppedIn(
  { name, compiled }: Pick<Estate, 'name' | 'compiled'>,
  store: Store,
): Promise<readonly Stop[]> {
  const all = await Promise.all(
    compiled.scopes.map(async ({ scope }) => {
      const where = { estate: name, scope };
      return (await store.fleet.rollouts.stopped(where)).map((rollout) => ({ where, rollout }));
    }),
  );
  return all.flat();
}

/** Those whose document this names: whole, or by an ending. Of a target's rollout the name is its scope. */
export function stopsNamed(given: string, stops: readonly Stop[]): readonly Stop[] {
  const whole = stops.filter(({ rollout: { document } }) => document === given);
  return whole.length > 0 ? whole : stops.filter(({ rollout: { document } }) => document.endsWith(`/${given}`));
}

/** All addresses in the specs, and those that the store knows as ours without a document. */
export async function namesIn(estate: Pick<Estate, 'name' | 'compiled'>, store: Store): Promise<SubjectNames> {
  const { scopes } = estate.compiled;
  const known = await Promise.all(scopes.map(({ scope }) => store.inventory.knowledge(estate.name, scope)));
  return {
    address: new Set([
      ...scopes.flatMap(({ wanted }) => [...wanted.desired.map(({ address }) => address), ...wanted.documents.keys()]),
      ...known.flatMap(({ settled }) => [...settled.values()].map(({ address }) => address)),
    ]),
    owner: new Set(scopes.flatMap(({ wanted }) => [...wanted.documents.values()].flatMap(({ owner }) => owner ?? []))),
    target: new Set(scopes.flatMap(({ wanted }) => wanted.targets)),
  };
}

/** The scopes in which a subject may be. */
export function scopesOf(of: PauseSubject, { compiled: { scopes } }: Pick<Estate, 'compiled'>): readonly ScopeKey[] {
  const its = scopes.filter((scope) => mayHold(scope, of));
  return (its.length === 0 ? scopes : its).map(({ scope }) => scope);
}

function mayHold({ scope, wanted }: CompiledScope, of: PauseSubject): boolean {
  switch (of.by) {
    case 'estate':
      return true;
    case 'address':
      return of.name.startsWith(`${scope}/`);
    case 'owner':
      return [...wanted.documents.values()].some(({ owner }) => owner === of.name);
    case 'target':
      return wanted.targets.includes(of.name);
  }
}
