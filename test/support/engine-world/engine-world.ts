import type { Sandbox } from '../../../sandbox/index.ts';
import type { Finding } from '../../../src/core/action.ts';
import type { Place } from '../../../src/core/compile/dialect.ts';
import type { GracePeriods } from '../../../src/core/grace.ts';
import type { Guards } from '../../../src/core/guards.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Choices, Wanted } from '../../../src/core/plan/plan-input.ts';
import { isAddress, type ScopeKey } from '../../../src/core/resource.ts';
import { type Converged, type Convergence, converge, type PlannedObservation } from '../../../src/engine/converge.ts';
import { inProcessLimiter } from '../../../src/engine/limiter.ts';
import type { Authorization, Planner, Site } from '../../../src/engine/ports.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import type { Provider } from '../../../src/ports/provider.ts';
import type { Accepted } from '../../../src/ports/store.ts';
import { type MemoryStore, memoryDatabase } from '../memory-store.ts';
import { compiled } from './compiled.ts';
import { access } from './documents.ts';

/** The remaining actions and findings, a line each: `update instance/web-0`, `blocked name-taken network/core`. */
function leftOf(last: PlannedObservation | undefined): readonly string[] {
  if (!last) return ['nothing was seen'];
  const { actions, findings } = last.plan;
  return [
    ...actions.map(({ verb, address }) => `${verb} ${short(address)}`),
    ...findings.map((one) => [one.type, ...('code' in one ? [one.code] : []), short(aboutOf(one))].join(' ')),
  ];
}

function aboutOf(finding: Finding): string {
  if ('address' in finding) return finding.address;
  return 'id' in finding ? finding.id : finding.why;
}

/** Its kind and its name; a cloud's own id as it is. */
const short = (about: string): string => (isAddress(about) ? about.split('/').slice(-2).join('/') : about);

/** The claims of a takeover: every observed resource with an address in its mark, of any store. */
const claimsOn = (seen: readonly Observed[]): readonly Accepted[] =>
  seen.flatMap(({ kind, id, signs: { mark } }): readonly Accepted[] =>
    mark?.address === undefined
      ? []
      : [
          {
            do: 'claim',
            subject: { kind, address: mark.address, id },
            terms: { deletionPolicy: 'retain', protect: false, storeOnly: false, takenFrom: mark.store },
          },
        ],
  );

/** An estate's accepted revisions, one after another, in one scope, and its store. */
interface Revisions {
  store(): MemoryStore;
  /** Accepts the next, and works under the scope's lease. */
  next<T>(guards: Guards, work: (authorization: Authorization) => Promise<T>): Promise<T>;
  /** The database is lost, and a new one begun. */
  lose(): void;
}

export function revisionsOf(scope: ScopeKey, clock: Clock, estate = 'acme'): Revisions {
  let store = memoryDatabase(clock).connect();
  let count = 0;
  return {
    store: () => store,
    next: async (guards, work) => {
      count += 1;
      const revision = `r${count}`;
      const { number } = await store.generations.accept(estate, revision, guards);
      const acquired = await store.leases.acquire(estate, scope, `me-${count}`);
      if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
      const { lease } = acquired;
      const { holder, epoch } = lease;
      const authority = { revision, generation: number, plan: '', approver: 'test' };
      const reconcile = { estate, scope, reconcileId: `pass-${count}`, authority, lease: { holder, epoch } };
      try {
        return await work({ lease, reconcile });
      } finally {
        await lease.release();
      }
    },
    lose: () => {
      store = memoryDatabase(clock, '11111111-1111-4111-8111-111111111111').connect();
    },
  };
}

/** The same stage; `look` is called whenever somebody looks at its clock, or has slept. */
export function watched<S extends { readonly clock: Clock }>(stage: S, look: () => void): S {
  const clock: Clock = {
    now: () => {
      look();
      return stage.clock.now();
    },
    sleep: async (ms, signal) => {
      await stage.clock.sleep(ms, signal);
      look();
    },
  };
  return { ...stage, clock };
}

/** One scope of a cloud's sandbox, one store, and the whole engine between documents and both. */
export interface EngineWorld extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Accepts the documents as the next revision, and converges. */
  apply(documents: readonly object[], how?: How): Promise<Applied>;
  knowledge(): Promise<Knowledge>;
  /** Replaces the database. The new one takes over all resources of the last observation with the old one's mark. */
  takeover(last: Converged): Promise<void>;
}

/** One cloud, in its own words. */
interface WorldCloud {
  readonly provider: Provider;
  readonly here: Target;
  /** The cloud's time that elapses between two revisions, ms. */
  readonly quietMs: number;
}

/** A target's document, but for where its sandbox is. */
interface Target {
  readonly metadata: { readonly name: string };
  readonly spec: Place & { readonly provider: string };
}

/** The sandbox of a world, and its clock. */
export interface WorldStage {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** The clients' endpoint; by default the sandbox itself. */
  readonly url?: string;
  /** Does the work while the cloud's time passes; absent: it passes by itself, or by the clock's sleep. */
  run?<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface How {
  /** Orphans to delete, by the part of their addresses after the scope: `global/network/core`. */
  readonly prune?: readonly string[];
  /** Default: `here` alone. */
  readonly targets?: readonly Target[];
  /** Ends the reconcile, as a crash or a lost lease does. */
  readonly signal?: AbortSignal;
  readonly job?: Partial<Convergence>;
  /** Nobody is there who applies. Default: somebody is. */
  readonly unattended?: boolean;
  /** Removed documents have this grace. Default: none. */
  readonly grace?: GracePeriods;
  /** The share of the estate's resources that a revision may delete or replace; default: that of specs. */
  readonly share?: string;
  /** Stands between the engine and its ledger. */
  readonly ledger?: (ledger: Ledger) => Ledger;
}

export interface Applied extends Converged {
  /** Mutating requests: `firewalls.insert 200`. */
  readonly writes: readonly string[];
  /** The remaining lines of the last plan: `update instance/web-0`, `blocked name-taken network/core`. */
  readonly left: readonly string[];
}

export function engineWorld(cloud: WorldCloud, stage: WorldStage): EngineWorld {
  const { provider, here } = cloud;
  const { sandbox, clock } = stage;
  const { log, clock: time } = sandbox.control;
  const scope = provider.dialect.scope(here.spec);
  const endpoint = stage.url ?? sandbox.url;
  const revisions = revisionsOf(scope, clock);
  const run = <T>(work: () => Promise<T>): Promise<T> => (stage.run ? stage.run(work) : work());
  return {
    sandbox,
    apply: async (
      documents,
      { prune = [], targets = [here], unattended = false, share, grace, ledger = (own: Ledger) => own, ...how } = {},
    ) => {
      const asked = compiled([...headOf(targets, endpoint, share), ...documents], provider.dialect);
      const choices = { prune: new Set(prune.map((name) => `${scope}/${name}`)), unattended };
      log.clear();
      const converged = await revisions.next(asked.guards, async (authorization) => {
        const site = await siteOf(cloud, endpoint, clock);
        const { generation } = authorization.reconcile.authority;
        const former = await revisions.store().generations.previous('acme');
        const wasNamed = (document: string): boolean => former?.guards.modes[document] !== undefined;
        const removals = grace === undefined ? {} : { removals: { generation, grace, wasNamed } };
        const job = {
          site,
          authorization,
          plan: plannerOf(provider, asked.scope.wanted, { ...choices, ...removals }),
          ...how.job,
        };
        const store = revisions.store();
        const ports = {
          ...store,
          ledger: ledger(store.ledger),
          limiter: inProcessLimiter({ clock }),
          clock,
          random: () => 0.5,
        };
        const signal = how.signal ?? new AbortController().signal;
        return run(() => converge(job, ports, { signal })).finally(() => site.session.close());
      });
      time.advance(cloud.quietMs);
      return { ...converged, writes: writesIn(sandbox), left: leftOf(converged.last) };
    },
    knowledge: () => revisions.store().inventory.knowledge('acme', scope),
    takeover: async ({ last }) => {
      revisions.lose();
      const claims = claimsOn(last?.observation.resources ?? []);
      await revisions.next(noGuards, ({ reconcile }) => revisions.store().estates.takeover(reconcile, claims, 'lost'));
    },
    [Symbol.asyncDispose]: () => stage.close(),
  };
}

const limits = { deletes: 50, replaces: 50, creates: 1000, closures: 1000 };
const noGuards: Guards = { limits: { ...limits, share: 1 }, modes: {}, policies: {}, protected: [] };

/** The documents before those of a test: the estate, and its target. */
const headOf = (targets: readonly Target[], endpoint: string, share?: string): readonly object[] => [
  { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', limits: { ...limits, share } } },
  ...targets.map(({ metadata, spec }) => ({ kind: 'Target', metadata, spec: { ...spec, endpoint } })),
];

async function siteOf({ provider, here }: WorldCloud, endpoint: string, clock: Clock): Promise<Site> {
  const { account, region } = here.spec;
  const { batches, dialect } = provider;
  const session = await provider.open({ scope: dialect.scope(here.spec), account, region, endpoint }, clock);
  return { session, account, batches, holds: dialect.holds, secret: async () => ({ access }) };
}

const plannerOf =
  ({ dialect, batches }: Provider, wanted: Wanted, choices: Choices): Planner =>
  (observation, knowledge) =>
    plan({ wanted, observation, knowledge, dialect, choices, batches });

/** By the API's own name, without the service that it belongs to. */
const writesIn = ({ control }: Sandbox): readonly string[] =>
  control.log
    .entries({ mutating: true })
    .map(({ action, status }) => `${action.split(/[./]/).slice(-2).join('.')} ${status}`);
