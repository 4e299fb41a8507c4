import { plan } from '../../src/core/plan/plan.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { type Converged, converge } from '../../src/engine/converge.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import { compiled } from '../support/engine-world/compiled.ts';
import { access } from '../support/engine-world/documents.ts';
import { revisionsOf } from '../support/engine-world/engine-world.ts';
import type { Stage } from './stage.ts';

/** The whole engine before the cloud of a stage, with a store of its own. */
export interface Converging {
  /** Accepts the documents as the next revision, and converges. The cloud settles before and after. */
  apply(documents: readonly object[]): Promise<Converged>;
  /** The id of the first machine of a document, once it was applied. */
  machine(name: string): Promise<CloudId>;
}

/** Not that of the stage, which another store holds. */
const estate = 'shop';

const limits = { deletes: 50, replaces: 50, creates: 50, closures: 50, share: '100%' };

export function convergingOn({ harness, subject: { dialect } }: Stage): Converging {
  const { place } = harness.words;
  const { clock, batches } = harness;
  const scope = dialect.scope(place);
  const revisions = revisionsOf(scope, clock, estate);
  const head = [
    { kind: 'Estate', metadata: { name: estate }, spec: { mode: 'enforce', limits } },
    { kind: 'Target', metadata: { name: 'here' }, spec: { provider: dialect.cloud, ...place } },
  ];
  return {
    apply: async (documents) => {
      const asked = compiled([...head, ...documents], dialect);
      const { wanted } = asked.scope;
      await harness.settle();
      const converged = await revisions.next(asked.guards, (warrant) => {
        const { session } = harness;
        const site = {
          session,
          account: place.account,
          batches,
          holds: dialect.holds,
          secret: async () => ({ access }),
        };
        const ports = { ...revisions.store(), limiter: inProcessLimiter({ clock }), clock, random: () => 0.5 };
        const thinking: Parameters<typeof converge>[0]['plan'] = (observation, knowledge) =>
          plan({ wanted, observation, knowledge, dialect, batches });
        const job = { site, authorization: warrant, plan: thinking };
        return harness.run(() => converge(job, ports, { signal: new AbortController().signal }));
      });
      await harness.settle();
      return converged;
    },
    machine: async (name) => {
      const { settled } = await revisions.store().inventory.knowledge(estate, scope);
      for (const [id, { address, kind }] of settled)
        if (kind === 'instance' && address.endsWith(`/${name}-0`)) return id;
      throw new Error(`no machine of ${name} was settled`);
    },
  };
}
