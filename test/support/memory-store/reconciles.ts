import { covers } from '../../../src/core/access/grant.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import { ForeignCursor } from '../../../src/ports/inventory-rows.ts';
import type {
  KeptReconcile,
  ReconcileDetails,
  ReconcileDraft,
  ReconcileEnding,
  ReconcileFilter,
  Reconciles,
} from '../../../src/ports/reconciles.ts';
import { reconcileBegan, reconcileEnded } from '../../../src/store/reconciles.ts';
import { leaseKey, type Memory, publishEventsIn } from './memory.ts';

const graceMs = 15_000;

export function memoryReconciles({ reconciles, leases, events }: Memory, clock: Clock): Reconciles {
  const isAlive = ({ estate, scope, ground: { lease } }: ReconcileDraft): boolean => {
    const held = leases.get(leaseKey(estate, scope));
    return held?.epoch === lease?.epoch && (held?.expires ?? clock.now()) > clock.now() - graceMs;
  };
  const all = (): readonly ReconcileDetails[] =>
    [...reconciles.values()]
      .map(({ draft, ending }) => told(draft, ending, isAlive(draft)))
      .sort((a, b) => b.began - a.began || (a.id < b.id ? 1 : -1));
  return {
    begin: async (draft) => {
      if (reconciles.has(draft.id)) return;
      reconciles.set(draft.id, structuredClone({ draft }));
      publishEventsIn(events, draft.began, [reconcileBegan(draft)]);
    },
    end: async (draft, ending) => {
      reconciles.set(draft.id, structuredClone({ draft, ending }));
      publishEventsIn(events, ending.ended, [reconcileEnded(draft, ending)]);
    },
    page: async ({ seen, filter, limit, after }) => {
      const found = all().filter((one) => seen.some((bounds) => covers(bounds, subjectOf(one))) && fits(one, filter));
      const from = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
      if (after !== undefined && from === 0) throw new ForeignCursor();
      const shown = found.slice(from, from + limit);
      const next = found.length > from + limit ? shown.at(-1)?.id : undefined;
      return { reconciles: shown.map(withoutTimeline), ...(next === undefined ? {} : { next }) };
    },
    find: async (id, seen) =>
      all().find((one) => one.id === id && seen.some((bounds) => covers(bounds, subjectOf(one)))),
    scopes: async (estate) => {
      const scopes = Map.groupBy(
        all().filter((one) => one.estate === estate),
        ({ scope }) => scope,
      );
      return [...scopes.keys()].sort().flatMap((scope) => {
        const last = scopes.get(scope)?.find(({ state }) => state === 'ended');
        const now = scopes.get(scope)?.find(({ state }) => state === 'running');
        if (last === undefined && now === undefined) return [];
        const running = now && { running: { id: now.id, began: now.began } };
        return [{ scope, ...(last && { last: withoutTimeline(last) }), ...running }];
      });
    },
  };
}

const subjectOf = ({ estate, ground: { targets } }: ReconcileDraft) => ({ estate, targets });

function told(draft: ReconcileDraft, ending: ReconcileEnding | undefined, isAlive: boolean): ReconcileDetails {
  if (ending === undefined) return { ...draft, state: isAlive ? 'running' : 'lost' };
  const { account, quiet: _, ...rest } = ending;
  const { counts, ...timeline } = account;
  return { ...draft, state: 'ended', ending: { ...rest, counts }, timeline };
}

const withoutTimeline = ({ timeline: _, ...reconcile }: ReconcileDetails): KeptReconcile => reconcile;

const fits = (reconcile: KeptReconcile, { estate, scope, target, outcomes, since, until }: ReconcileFilter): boolean =>
  [
    estate === undefined || reconcile.estate === estate,
    scope === undefined || reconcile.scope === scope,
    target === undefined || reconcile.ground.targets.includes(target),
    outcomes === undefined || (reconcile.ending !== undefined && outcomes.includes(reconcile.ending.outcome)),
    since === undefined || reconcile.began >= since,
    until === undefined || reconcile.began < until,
  ].every(Boolean);
