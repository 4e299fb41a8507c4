import { hash } from 'node:crypto';
import { aws } from '../../providers/aws/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { type Converged, converge } from '../../src/engine/converge.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { Limiter } from '../../src/ports/limiter.ts';
import type { SpecFile } from '../../src/source/spec-file.ts';
import { type MemoryStore, memoryDatabase } from '../../test/support/memory-store.ts';
import { compiled } from '../estate/compiled.ts';
import { bootScript, type Place } from '../estate/specs.ts';
import { randomFrom } from '../fuzz-specs/random.ts';
import { busySession } from './busy-session.ts';
import { type VirtualTime, virtualTime } from './time.ts';

/** An account on the sandbox, a store, and one virtual time for both and for the engine between them. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly time: VirtualTime;
  readonly place: Place;
  /** One `apply` of these specs, with nothing withheld: a session, the lease, and passes until nothing is left to do. */
  apply(files: readonly SpecFile[]): Promise<Converged>;
  close(): Promise<void>;
}

export const account = '111122223333';
export const region = 'eu-west-1';

/** Budgets hold, and none is reserved for others. */
export async function openStage(options: SandboxOptions = {}): Promise<Stage> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';
  const sandbox = await startSandbox({ clock: { rate: 0, start: Date.UTC(2027, 0, 31) }, ...options });
  const time = virtualTime(sandbox.control.clock);
  const store = memoryDatabase(time.clock).connect();
  const limiter = inProcessLimiter({ clock: time.clock, reserve: 0 });
  return {
    sandbox,
    time,
    place: { account, region, endpoint: sandbox.url, image: 'ami-0abcdef1234567890' },
    apply: (files) => time.run(() => apply(files, { url: sandbox.url, time, store, limiter })),
    close: () => sandbox.close(),
  };
}

interface Props {
  readonly url: string;
  readonly time: VirtualTime;
  readonly store: MemoryStore;
  readonly limiter: Limiter;
}

async function apply(files: readonly SpecFile[], { url, time, store, limiter }: Props): Promise<Converged> {
  const { scope, wanted, guards } = compiled(files);
  const opened = await aws.open({ scope, account, region, endpoint: url }, time.clock);
  const acquired = await store.leases.acquire(estate, scope, 'bench');
  if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
  const { lease } = acquired;
  const revision = hash('sha256', JSON.stringify(files));
  const { number: generation } = await store.generations.accept(estate, revision, guards);
  const authority = { revision, generation, plan: '', approver: 'bench', allowDeletes: Number.MAX_SAFE_INTEGER };
  const held = { holder: lease.holder, epoch: lease.epoch };
  try {
    return await converge(
      {
        site: {
          session: busySession(opened, time),
          account,
          batches: aws.batches,
          secret: async () => ({ userData: bootScript.text }),
        },
        warrant: { lease, pass: { estate, scope, reconcileId: 'bench', authority, lease: held } },
        plan: (observation, knowledge) => plan({ wanted, observation, knowledge, dialect: aws.dialect }),
      },
      { ledger: store.ledger, inventory: store.inventory, limiter, clock: time.clock, random: seededRandom() },
      { signal: new AbortController().signal },
    );
  } finally {
    await lease.release();
    await opened.close();
  }
}

const estate = 'bench';

function seededRandom(): () => number {
  const { whole } = randomFrom(1);
  return () => whole(2 ** 32) / 2 ** 32;
}
