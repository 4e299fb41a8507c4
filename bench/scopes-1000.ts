import { type MemoryCloud, makeCloud } from '../providers/memory/cloud.ts';
import { memoryProvider } from '../providers/memory/index.ts';
import { generationsOf } from '../src/fleet/generations.ts';
import { reconcileHandler } from '../src/fleet/scope-reconcile.ts';
import type { Provider } from '../src/ports/provider.ts';
import type { Where } from '../src/ports/queue.ts';
import { network, rule } from '../test/support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld } from '../test/support/fleet-world.ts';
import type { Figure } from './figure.ts';

/** Rounds over all scopes that one worker is given. */
const mostRounds = 5;

/**
 * Seconds until a generation that deletes a rule in each of many scopes has sent all of them, by one worker: virtual time for all
 * that waits, and real time for all that computes. Asked: at most 180 s. While each scope
 * planned all others, 50 scopes took 2 s and 200 took 60 s.
 */
export async function scopes1000(scopes = 1000, rules = 1): Promise<readonly Figure[]> {
  const world = fleetWorld();
  const names = Array.from({ length: scopes }, (_, n) => `r${String(n).padStart(4, '0')}`);
  const all = names.map((name): Where => ({ estate: 'acme', scope: `memory/acme/${name}` }));
  const estate = { limits: { deletes: scopes, replaces: 0, share: '100%' } };
  await world.accept(documentsIn(names, rules, ['old']), estate);
  const worker = workerIn(world);
  for (const where of all) await worker.reconcile(where);
  await world.accept(documentsIn(names, rules, []), estate);
  const from = worker.now();
  let sent = 0;
  for (let round = 0; round < mostRounds && sent < scopes; round++)
    for (const where of all) sent += await worker.reconcile(where);
  if (sent !== scopes) throw new Error(`${sent} deletions were sent, not ${scopes}`);
  const seconds = (worker.now() - from) / 1000;
  return [{ name: 'scopes-1000', value: Number(seconds.toFixed(1)), unit: `s until ${scopes} scopes sent a deletion` }];
}

function documentsIn(names: readonly string[], rules: number, more: readonly string[]): readonly object[] {
  const targets = names.map((name) => ({
    kind: 'Target',
    metadata: { name },
    spec: { provider: 'memory', account: 'acme', region: name },
  }));
  const standing = Array.from({ length: rules }, (_, n) => rule(`web-${n}`, { ports: [1000 + n] }));
  const others = more.map((name, n) => rule(name, { ports: [9000 + n] }));
  return [...targets, network({ internet: false, targets: names }), ...standing, ...others];
}

/** The inventory is kept beside a reconcile; the store in memory takes longer for it than for all else. */
const noRows = { keep: async () => {}, page: async () => ({ rows: [] }) };

/** Each region is a cloud of its own. The clock goes on with what waits in virtual time, and with what is computed. */
function workerIn({ context, clock }: FleetWorld) {
  const now = (): number => clock.now() + Math.round(performance.now());
  const clouds = new Map<string, MemoryCloud>();
  const cloudOf = (scope: string): MemoryCloud => {
    const found = clouds.get(scope) ?? makeCloud({ clock });
    clouds.set(scope, found);
    return found;
  };
  const provider: Provider = {
    ...memoryProvider(cloudOf('')),
    open: (access, by) => memoryProvider(cloudOf(access.scope)).open(access, by),
  };
  const world = {
    ...context,
    clock: { ...clock, now },
    store: { ...context.store, rows: { ...context.store.rows, ...noRows } },
    outside: { ...context.outside, cloud: async () => provider },
  };
  const reconcileOf = reconcileHandler(world, generationsOf(world));
  const signal = new AbortController().signal;
  return {
    now,
    /** Returns the number of deletions of rules it sent. */
    reconcile: async (where: Where): Promise<number> => {
      const { history } = cloudOf(where.scope);
      const before = history.calls.length;
      await clock.run(() => reconcileOf(where, signal));
      return history.calls.slice(before).filter(({ action }) => action === 'RevokeRules').length;
    },
  };
}
