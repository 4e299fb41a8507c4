import { type MemoryCloud, makeCloud } from '../../providers/memory/cloud.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import { memoryProvider } from '../../providers/memory/index.ts';
import { actionDigest } from '../../src/core/digest.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { boundedIn } from '../../src/core/plan/tally.ts';
import { acceptSpecs, openEstate } from '../../src/estate/load.ts';
import { besideActive } from '../../src/estate/patches.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { reconcileHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import type { Approval, SpecSnapshot } from '../../src/ports/fleet-state.ts';
import type { Ended, Queue, Where } from '../../src/ports/queue.ts';
import type { ReconcileOutcome, Telemetry } from '../../src/ports/telemetry.ts';
import { parseStored } from '../../src/source/stored-tree.ts';
import { type MemoryStore, memoryDatabase } from './memory-store.ts';
import { unlimited } from './scripted-session.ts';
import { type VirtualClock, virtualClock } from './virtual-clock.ts';

/** A worker of a fleet but its rim: cloud, store and queue in memory, in virtual time. */
export interface FleetWorld {
  readonly clock: VirtualClock;
  readonly cloud: MemoryCloud;
  readonly store: MemoryStore;
  readonly context: WorkerContext;
  /** The documents become the next generation, as if a folder had said so. */
  accept(documents: readonly object[], estate?: object): Promise<number>;
  /** Of `where`, where no other scope is named. */
  reconcile(signal?: AbortSignal, at?: Where): Promise<Passed>;
  /** Each reconcile's report of its open work. */
  said(): readonly string[];
  /** The numbers of withheld actions with which its reconciles ended. */
  withheld(): readonly number[];
}

export interface Passed {
  readonly ended: Ended;
  readonly outcome: ReconcileOutcome | undefined;
  /** Mutating requests, by the cloud's own history: `CreateNetwork`. */
  readonly writes: readonly string[];
}

export const where: Where = { estate: 'acme', scope: 'memory/acme/north' };
export const today = '2026-01-01';

/** A second target, and its scope. */
export const there = {
  kind: 'Target',
  metadata: { name: 'there' },
  spec: { provider: 'memory', account: 'acme', region: 'south' },
};
export const south: Where = { ...where, scope: 'memory/acme/south' };

export function fleetWorld(): FleetWorld {
  const clock = virtualClock();
  const cloud = makeCloud({ clock });
  const store = memoryDatabase(clock).connect();
  const outcomes: ReconcileOutcome[] = [];
  const said: string[] = [];
  const withheld: number[] = [];
  const context: WorkerContext = {
    store,
    queue: idleQueue(),
    limiter: unlimited,
    outside: {
      cloud: async () => memoryProvider(cloud),
      specs: (kept, revision) => parseStored(kept, revision, today),
      secrets: { resolve: async () => ({ ok: false, failure: { kind: 'terminal', code: 'none', message: 'no' } }) },
      allowEndpoint: true,
      holder: 'worker-1',
    },
    clock,
    telemetry: silent((outcome, why = '', held = 0) => {
      outcomes.push(outcome);
      said.push(why);
      withheld.push(held);
    }),
  };
  const reconcileOf = reconcileHandler(context, generationsOf(context));
  return {
    clock,
    cloud,
    store,
    context,
    said: () => said,
    withheld: () => withheld,
    accept: async (documents, estate = {}) => {
      const kept = treeOf(documents, estate);
      const revision = `r-${JSON.stringify(kept).length}-${kept.specs[0]?.text}`;
      const tree = parseStored(kept, revision, today);
      const errors = tree.problems.filter(({ severity }) => severity === 'error');
      if (errors.length > 0) throw new Error(JSON.stringify(errors));
      const beside = await besideActive(tree, { estate: 'acme', store, parse: context.outside.specs });
      return (await acceptSpecs(await openEstate(beside, context.outside.cloud, today), store)).number;
    },
    reconcile: async (signal = new AbortController().signal, at = where) => {
      const before = cloud.history.calls.length;
      const ended = await clock.run(() => reconcileOf(at, signal));
      const calls = cloud.history.calls
        .slice(before)
        .filter(({ mutating, caller }) => mutating && caller !== 'outside');
      return { ended, outcome: outcomes.at(-1), writes: calls.map(({ action }) => action) };
    },
  };
}

/** As `setpoint approve` would: all that the newest generation would do by the last observation of `where`, whatever holds it. */
export async function approveAll({ store, context, clock }: FleetWorld): Promise<Approval> {
  const current = await store.generations.current(where.estate);
  const kept = await store.fleet.specSnapshots.read(where.estate, current?.revision ?? '');
  const [observation] = await store.inventory.latest(where.estate, where.scope);
  if (current === undefined || kept === undefined || observation === undefined) throw new Error('nothing was observed');
  const specs = await context.outside.specs(kept, current.revision);
  const opened = await openEstate(specs, context.outside.cloud, today);
  const scope = opened.compiled.scopes.find((one) => one.scope === where.scope);
  if (scope === undefined) throw new Error(`${where.scope} is not in the specs`);
  const knowledge = await store.inventory.knowledge(where.estate, where.scope);
  const { actions } = plan({ wanted: scope.wanted, observation, knowledge, dialect });
  return store.fleet.approvals.give({
    ...where,
    generation: current.number,
    digest: 'shown',
    actions: actions.map((action) => actionDigest(action, sha256)),
    ...boundedIn(actions),
    by: { person: 'ada', reason: 'looked at' },
    until: clock.now() + 86_400_000,
  });
}

/** Of an estate whose removed documents have no grace. */
export const atOnce = {
  deletionGracePeriod: { network: '0s', subnet: '0s', group: '0s', 'firewall-rule': '0s', instance: '0s' },
} as const;

export function treeOf(documents: readonly object[], estate: object = {}): SpecSnapshot {
  const all = [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', ...estate } },
    { kind: 'Target', metadata: { name: 'here' }, spec: { provider: 'memory', account: 'acme', region: 'north' } },
    ...documents,
  ];
  const text = all.map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document })).join('\n---\n');
  return { specs: [{ path: 'all.yaml', text }], userData: [] };
}

export const idleQueue = (): Queue => ({
  request: async () => {},
  schedule: async () => {},
  work: async () => ({ busy: () => [], stop: async () => {} }),
  counts: async () => [],
  list: async () => ({ reconciles: [], truncated: false }),
  probe: async () => {},
  close: async () => {},
});

/** `ended` is told how each reconcile ended. */
export function silent(
  ended: (outcome: ReconcileOutcome, why?: string, withheld?: number) => void,
): Telemetry<unknown> {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => log };
  return {
    log,
    rateLimits: { waited: () => {}, throttled: () => {} },
    reconcile: () => ({ log, notify: () => {}, ended }),
    lease: () => {},
  };
}
