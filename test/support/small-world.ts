import { type MemoryCloud, makeCloud } from '../../providers/memory/cloud.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import { memoryProvider } from '../../providers/memory/index.ts';
import type { ScopePlan } from '../../src/core/action.ts';
import type { CompiledScope } from '../../src/core/compile/compile.ts';
import type { Observation } from '../../src/core/observed.ts';
import { plan } from '../../src/core/plan/plan.ts';
import type { ReconcileControl } from '../../src/engine/control.ts';
import { type Converged, type Convergence, converge } from '../../src/engine/converge.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { EnginePorts, Guard } from '../../src/engine/ports.ts';
import type { Lease } from '../../src/ports/leases.ts';
import { compiled } from './engine-world/compiled.ts';
import { type MemoryStore, memoryDatabase } from './memory-store.ts';
import { type VirtualClock, virtualClock } from './virtual-clock.ts';

/** One estate, one cloud in memory, one store: the whole program but its rim. */
export interface SmallWorld {
  readonly clock: VirtualClock;
  readonly cloud: MemoryCloud;
  readonly store: MemoryStore;
  /** Accepts the documents as the next revision, and converges. */
  apply(documents: readonly object[], how?: How): Promise<Applied>;
}

export interface How {
  readonly steering?: Partial<ReconcileControl>;
  readonly job?: Partial<Convergence>;
  readonly lease?: (lease: Lease) => Lease;
  readonly estate?: object;
  /** Gets each plan and its basis. */
  readonly planned?: (observation: Observation, made: ScopePlan) => void;
  /** The generation of the reconcile; by default the newest. */
  readonly generation?: number;
  /** What people say while it goes on; absent: whatever they say ends it. */
  readonly guard?: Pick<Guard, 'judge'>;
}

export interface Applied extends Converged {
  /** Mutating requests, by the cloud's own history: `CreateNetwork`. */
  readonly writes: readonly string[];
  readonly scope: CompiledScope;
}

export function smallWorld(): SmallWorld {
  const clock = virtualClock();
  const cloud = makeCloud({ clock });
  const store = memoryDatabase(clock).connect();
  let revision = 0;
  const apply = async (documents: readonly object[], how: How = {}): Promise<Applied> => {
    revision += 1;
    const { scope, guards } = compiled(documentsOf(documents, how.estate ?? {}), dialect);
    const { number } = await store.generations.accept('acme', `r${revision}`, guards);
    const acquired = await store.leases.acquire('acme', scope.scope, `me-${revision}`);
    if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
    const guardEpoch = await store.ledger.guardEpoch('acme');
    const before = cloud.history.calls.length;
    const job = await jobOf(
      { scope, cloud, clock, lease: acquired.lease, number: how.generation ?? number, guardEpoch },
      how,
    );
    const ports: EnginePorts = { ...store, limiter: inProcessLimiter({ clock }), clock, random: () => 0.5 };
    const steering = { signal: new AbortController().signal, ...how.steering };
    // why: a dead process releases it too, only later
    const converged = await clock.run(() => converge(job, ports, steering)).finally(() => acquired.lease.release());
    const calls = cloud.history.calls.slice(before).filter(({ mutating, caller }) => mutating && caller !== 'outside');
    return { ...converged, writes: calls.map(({ action }) => action), scope };
  };
  return { clock, cloud, store, apply };
}

interface ReconcileInputs {
  readonly scope: CompiledScope;
  readonly cloud: MemoryCloud;
  readonly clock: VirtualClock;
  readonly lease: Lease;
  readonly number: number;
  readonly guardEpoch: number;
}

async function jobOf(
  { scope, cloud, clock, lease, number, guardEpoch }: ReconcileInputs,
  how: How,
): Promise<Convergence> {
  const { scope: key, wanted } = scope;
  const provider = memoryProvider(cloud);
  const session = await provider.open({ scope: key, account: 'acme', region: 'north' }, clock);
  const { holder, epoch } = lease;
  const authority = { revision: `r${number}`, generation: number, plan: '', approver: 'test' };
  return {
    site: {
      session,
      account: 'acme',
      batches: provider.batches,
      holds: provider.dialect.holds,
      secret: async () => ({}),
    },
    authorization: {
      lease: how.lease?.(lease) ?? lease,
      ...(how.guard === undefined ? {} : { guard: { ...how.guard, epoch: guardEpoch } }),
      reconcile: { estate: 'acme', scope: key, reconcileId: `pass-${number}`, authority, lease: { holder, epoch } },
    },
    plan: (observation, knowledge) => {
      const made = plan({ wanted, observation, knowledge, dialect });
      how.planned?.(observation, made);
      return made;
    },
    ...how.job,
  };
}

const documentsOf = (documents: readonly object[], estateSpec: object): readonly object[] => [
  { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', ...estateSpec } },
  { kind: 'Target', metadata: { name: 'here' }, spec: { provider: 'memory', account: 'acme', region: 'north' } },
  ...documents,
];
