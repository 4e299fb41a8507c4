import { hash } from 'node:crypto';
import { aws } from '../../providers/aws/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.ts';
import { withoutStore } from '../../src/core/knowledge.ts';
import type { Observation } from '../../src/core/observed.ts';
import { plan } from '../../src/core/plan/plan.ts';
import type { Kind, ScopeKey } from '../../src/core/resource.ts';
import { type Converged, converge } from '../../src/engine/converge.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import { observe } from '../../src/engine/observe.ts';
import type { Site } from '../../src/engine/ports.ts';
import type { Limiter } from '../../src/ports/limiter.ts';
import type { Actuator, Call, Provider, Session } from '../../src/ports/provider.ts';
import type { SpecFile } from '../../src/source/tree.ts';
import { type MemoryStore, memoryDatabase } from '../../test/support/memory-store.ts';
import { bootScript, compiled, type Place } from '../estate/specs.ts';
import { randomFrom } from './random.ts';
import { type VirtualTime, virtualTime } from './time.ts';

/** An account on the sandbox, a store, and one virtual time for both and for the engine between them. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly time: VirtualTime;
  readonly place: Place;
  /** One `apply` of these specs, with nothing withheld: a session, the lease, and reconciles until nothing is left to do. */
  apply(files: readonly SpecFile[]): Promise<Staged>;
  /** One look at the scope, without a store. */
  look(): Promise<Observation>;
  close(): Promise<void>;
}

/** `predicted`: calls that its first plan named. */
interface Staged extends Converged {
  readonly predicted: number;
}

/** One scope of a cloud, and the account of it. */
export interface CloudScope {
  readonly provider: Provider;
  readonly account: string;
  readonly region: string;
}

export const account = '111122223333';
export const region = 'eu-west-1';
const estate = 'bench';
const onAws: CloudScope = { provider: aws, account, region };

/** Budgets hold, and none is reserved for others. */
export async function openStage(options: SandboxOptions = {}, cloudScope: CloudScope = onAws): Promise<Stage> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';
  const sandbox = await startSandbox({ clock: { rate: 0, start: Date.UTC(2027, 0, 31) }, ...options });
  const time = virtualTime(sandbox.control.clock);
  const store = memoryDatabase(time.clock).connect();
  const limiter = inProcessLimiter({ clock: time.clock, reserve: 0 });
  const { account, region } = cloudScope;
  const stand: StageContext = { cloudScope, url: sandbox.url, time, estate, store, limiter };
  return {
    sandbox,
    time,
    place: { account, region, endpoint: sandbox.url, image: 'ami-0abcdef1234567890' },
    apply: (files) => time.run(() => apply(files, stand)),
    look: () => time.run(() => look(stand)),
    close: () => sandbox.close(),
  };
}

/** Another estate at the first account, or the same one from another database: its own store, and budgets it takes for its own alone. */
export function besides(
  { sandbox, time }: Stage,
  estate: string,
  store: MemoryStore,
  slowed: (rateLimitKey: string) => void = () => {},
): Stage['apply'] {
  const limiter = inProcessLimiter({ clock: time.clock, reserve: 0, slowed });
  return (files) => apply(files, { cloudScope: onAws, url: sandbox.url, time, estate, store, limiter });
}

interface StageContext {
  readonly cloudScope: CloudScope;
  readonly url: string;
  readonly time: VirtualTime;
  readonly estate: string;
  readonly store: MemoryStore;
  readonly limiter: Limiter;
}

async function look(stand: StageContext): Promise<Observation> {
  const { time, estate, limiter, cloudScope } = stand;
  const site = await openSite(cloudScope.provider.dialect.scope(cloudScope), stand);
  try {
    const ports = { limiter, clock: time.clock, random: seededRandom() };
    return await observe(site, withoutStore(estate), ports, { signal: new AbortController().signal });
  } finally {
    await site.session.close();
  }
}

/** An SDK takes its time to load, which is none of the cloud's. */
async function openSite(scope: ScopeKey, { cloudScope, url, time }: StageContext): Promise<Site> {
  const { provider, account, region } = cloudScope;
  const loaded = time.busy();
  try {
    const session = await provider.open({ scope, account, region, endpoint: url }, time.clock);
    return {
      session: busySession(session, time),
      account,
      batches: provider.batches,
      holds: provider.dialect.holds,
      secret: async () => ({ userData: bootScript.text, ...(provider.cloud === 'azure' ? { access } : {}) }),
    };
  } finally {
    loaded();
  }
}

/** Azure launches no machine without a login. */
const access = {
  user: 'ops',
  sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'],
};

async function apply(files: readonly SpecFile[], stand: StageContext): Promise<Staged> {
  const { time, estate, store, limiter, cloudScope } = stand;
  const { dialect, batches } = cloudScope.provider;
  const { scope, wanted, guards } = compiled(files, dialect);
  const site = await openSite(scope, stand);
  const revision = hash('sha256', JSON.stringify(files));
  const { number: generation } = await store.generations.accept(estate, revision, guards);
  const acquired = await store.leases.acquire(estate, scope, 'bench');
  if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
  const { lease } = acquired;
  const allow = { allowDeletes: Number.MAX_SAFE_INTEGER, allowCreates: Number.MAX_SAFE_INTEGER };
  const authority = { revision, generation, plan: '', approver: 'bench', ...allow };
  const held = { holder: lease.holder, epoch: lease.epoch };
  try {
    const predicted: number[] = [];
    const converged = await converge(
      {
        site,
        authorization: { lease, reconcile: { estate, scope, reconcileId: 'bench', authority, lease: held } },
        plan: (observation, knowledge) => {
          const planned = plan({ wanted, observation, knowledge, dialect, batches });
          predicted.push(planned.calls.predicted);
          return planned;
        },
      },
      {
        ledger: store.ledger,
        inventory: store.inventory,
        operations: store.operations,
        limiter,
        clock: time.clock,
        random: seededRandom(),
      },
      { signal: new AbortController().signal },
    );
    return { ...converged, predicted: predicted[0] ?? 0 };
  } finally {
    await lease.release();
    await site.session.close();
  }
}

function seededRandom(): () => number {
  const { whole } = randomFrom(1);
  return () => whole(2 ** 32) / 2 ** 32;
}

/** The same session; while one of its requests is on its way, time stands still. Waiting for a budget is no request. */
function busySession(session: Session, time: VirtualTime): Session {
  const { actuators, resume } = session;
  return {
    ...session,
    identify: (call) => session.identify(watched(call, time)),
    ...(resume === undefined ? {} : { resume: (kept, call) => resume(kept, watched(call, time)) }),
    actuators: {
      network: busyActuator(actuators.network, time),
      subnet: busyActuator(actuators.subnet, time),
      group: busyActuator(actuators.group, time),
      'firewall-rule': busyActuator(actuators['firewall-rule'], time),
      instance: busyActuator(actuators.instance, time),
    },
  };
}

function busyActuator<K extends Kind>(actuator: Actuator<K>, time: VirtualTime): Actuator<K> {
  return {
    list: (call) => actuator.list(watched(call, time)),
    read: (ids, call) => actuator.read(ids, watched(call, time)),
    create: (batch, call) => actuator.create(batch, watched(call, time)),
    update: (batch, call) => actuator.update(batch, watched(call, time)),
    delete: (batch, call) => actuator.delete(batch, watched(call, time)),
  };
}

/** From where a request is let go until it is reported; one is reported for each that is let go. */
function watched(call: Call, time: VirtualTime): Call {
  const ends: (() => void)[] = [];
  return {
    ...call,
    admit: async (request) => {
      await call.admit(request);
      ends.push(time.busy());
    },
    report: (request, answer) => {
      call.report(request, answer);
      ends.pop()?.();
    },
  };
}
