import type { MemoryCloud } from '../../providers/memory/cloud.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import { memoryProvider } from '../../providers/memory/index.ts';
import type { Compiled } from '../../src/core/compile/compile.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { type Converged, converge } from '../../src/engine/converge.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { Authorization, EnginePorts } from '../../src/engine/ports.ts';
import { load } from '../../test/simulation/load.ts';
import { type Spec, textOf } from '../../test/simulation/spec.ts';
import { type MemoryStore, memoryDatabase } from '../../test/support/memory-store.ts';
import type { VirtualClock } from '../../test/support/virtual-clock.ts';

/** One account of the cloud in memory, and its time. */
export interface Account {
  readonly clock: VirtualClock;
  readonly cloud: MemoryCloud;
}

/** An estate with a store of its own. `name` is what the cloud's own log calls it. */
export interface Fleet {
  readonly name: string;
  readonly store: MemoryStore;
  /** What these specs ask for; undefined where the program refuses them. */
  read(spec: Spec): Compiled | undefined;
  /** At most so many passes over the account, each of one look and what it leads to. */
  converge(wanted: Compiled, passes: number): Promise<Converged>;
}

export interface FleetOptions {
  readonly name: string;
  readonly estate: string;
  readonly storeId: string;
  readonly random: () => number;
}

/** It knows nothing of others at the account: not their marks, and not what they take of its budgets. */
export function fleetAt({ clock, cloud }: Account, { name, estate, storeId, random }: FleetOptions): Fleet {
  const store = memoryDatabase(clock, storeId).connect();
  const { ledger, inventory, operations } = store;
  const ports: EnginePorts = { ledger, inventory, operations, limiter: inProcessLimiter({ clock }), clock, random };
  const provider = memoryProvider(cloud, name);
  return {
    name,
    store,
    read: (spec) => load(ownText(textOf(spec), estate)),
    converge: async (compiled, passes) => {
      const [asked] = compiled.scopes;
      if (!asked) throw new Error('the specs name no target');
      const { scope, wanted } = asked;
      const warrant = await warrantOf({ store, name, estate, scope }, compiled);
      const session = await provider.open({ scope, account: 'acme', region: 'north' }, clock);
      const { batches } = provider;
      const site = { session, account: 'acme', batches, holds: dialect.holds, secret: async () => ({}) };
      const job = { site, authorization: warrant, passes, patienceMs: 0 };
      try {
        return await converge(
          { ...job, plan: (observation, knowledge) => plan({ wanted, observation, knowledge, dialect }) },
          ports,
          { signal: new AbortController().signal },
        );
      } finally {
        await warrant.lease.release();
      }
    },
  };
}

/** Its names begin with the estate's own, but for the network `net2`, which only one of two can have. Blocks are as they are. */
const ownText = (text: string, estate: string): string =>
  text
    .replace('"metadata":{"name":"acme"}', `"metadata":{"name":"${estate}"}`)
    .replaceAll(/"((?:net(?!2")|rule|m)\d+)"/g, `"${estate}-$1"`);

interface Writer {
  readonly store: MemoryStore;
  readonly name: string;
  readonly estate: string;
  readonly scope: string;
}

async function warrantOf({ store, name, estate, scope }: Writer, compiled: Compiled): Promise<Authorization> {
  const revision = JSON.stringify(compiled.scopes);
  const { number: generation } = await store.generations.accept(estate, revision, compiled.guards);
  const acquired = await store.leases.acquire(estate, scope, name);
  if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
  const { lease } = acquired;
  const authority = { revision: `r${generation}`, generation, plan: '', approver: name };
  const { holder, epoch } = lease;
  return { lease, pass: { estate, scope, reconcileId: name, authority, lease: { holder, epoch } } };
}
