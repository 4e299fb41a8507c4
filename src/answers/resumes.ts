import { type Bounds, covers } from '../core/access/grant.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { OpenedEstate } from '../estate/load.ts';
import type { PauseAnswers, PauseAsked } from '../ports/answers.ts';
import type { By } from '../ports/by.ts';
import { Declined } from '../ports/declined.ts';
import type { StoppedRollout } from '../ports/fleet-state.ts';
import { type Grounds, openInForce } from './opened.ts';
import { type Stop, stoppedIn, stopsNamed } from './stopped-rollouts.ts';
import { subjectWithin } from './subject-within.ts';
import { wishPasses } from './wish.ts';

/** What stopped by itself, and is let go on by people. */
export const resumesOn = (grounds: Pick<Grounds, 'store' | 'open'>): Pick<PauseAnswers, 'goOn' | 'release'> => ({
  goOn: (asked, document, by) => goOn(asked, { document, by }, grounds),
  release: (asked, scope, by) => release(asked, { scope, by }, grounds),
});

type Ground = Pick<Grounds, 'store' | 'open'>;

async function goOn(
  asked: PauseAsked,
  { document, by }: { readonly document: string; readonly by: By },
  { store, open }: Ground,
): Promise<readonly StoppedRollout[]> {
  const { estate } = await openInForce(asked.estate, { store, open });
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
  await wishPasses(estate, [...new Set(chosen.map(({ where }) => where.scope))], { store, reason });
  return chosen.map(({ rollout }) => rollout);
}

/** The same whether it has not stopped, is not there, or is not seen. */
function stopNamed(given: string, stops: readonly Stop[]): Stop {
  const fits = stopsNamed(given, stops);
  const [stop] = fits;
  if (stop === undefined) throw unknown();
  if (fits.length === 1) return stop;
  throw new Declined('conflict', `That may be one of ${fits.length}: write one of \`addresses\` whole.`, {
    addresses: fits.slice(0, told).map(({ rollout }) => rollout.document),
  });
}

const told = 10;

async function release(
  asked: PauseAsked,
  { scope, by }: { readonly scope: ScopeKey; readonly by: By },
  { store, open }: Ground,
): Promise<void> {
  const { estate } = await openInForce(asked.estate, { store, open });
  const held = (await store.fleet.quarantine.list(asked.estate)).some((one) => one.scope === scope);
  if (!held || !seesScope(asked.seen, scope, estate)) throw unknown();
  if (!hasScope(asked.mine, scope, estate)) throw notTheirs();
  await store.fleet.quarantine.release({ estate: asked.estate, scope }, by);
  await wishPasses(estate, [scope], { store, reason: `${by.person} released it from quarantine: ${by.reason}` });
}

/** As `/v1/targets` tells it: to whoever sees all of one of its targets. */
const seesScope = (bounds: readonly Bounds[], scope: ScopeKey, estate: OpenedEstate): boolean =>
  targetsIn(scope, estate).some((of) => bounds.some((one) => covers(one, of)));

/** A scope is let go on as a whole, so all of its targets must be theirs. */
export const hasScope = (bounds: readonly Bounds[], scope: ScopeKey, estate: OpenedEstate): boolean =>
  targetsIn(scope, estate).every((of) => bounds.some((one) => covers(one, of)));

/** What no specs speak of any more is everybody's who has all of the estate. */
function targetsIn(scope: ScopeKey, { name: estate, compiled }: OpenedEstate) {
  const targets = compiled.scopes.find((one) => one.scope === scope)?.wanted.targets ?? [];
  return targets.length === 0 ? [{ estate }] : targets.map((target) => ({ estate, targets: [target] }));
}

const unknown = (): Declined => new Declined('unknown', 'There is nothing here that you may see.');

const notTheirs = (): Declined =>
  new Declined('forbidden', 'This needs the permission operate over all that is let go on.', { permission: 'operate' });
