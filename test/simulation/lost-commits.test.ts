import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MemoryCloud, makeCloud } from '../../providers/memory/cloud.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import type { Compiled, CompiledScope } from '../../src/core/compile/compile.ts';
import { claim } from '../../src/core/plan/claim.ts';
import { isUnrecorded } from '../../src/core/plan/world.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Converged } from '../../src/engine/converge.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import type { Accepted } from '../../src/ports/store.ts';
import { memoryDatabase, type ReplicatedDatabase } from '../support/memory-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { draw } from './draw.ts';
import { load } from './load.ts';
import { noGrace, type Ran, runProcess, type Stage } from './process.ts';
import { changedSpec, randomSpec, type Spec, textOf } from './spec.ts';

/**
 * The pair "failover that loses commits × applied": the database fails over to a replica that lacks the newest commits, and the clouds
 * hold what it has forgotten. The law: whatever specs the store believes in, nothing that stands is made a second time, replaced,
 * deleted or stopped; once a person has taken over what bears unrecorded marks, the newest specs converge without a creation or
 * deletion.
 */
interface Life {
  readonly stage: Stage;
  readonly cloud: MemoryCloud;
  readonly database: ReplicatedDatabase;
  accept(text: string): Promise<Generation>;
  /** A worker that lives by that generation, until nothing is left to do. `writes`: its mutating requests. */
  work(by: Generation): Promise<{ readonly converged: Converged; readonly writes: readonly string[] }>;
  /** A person names every resource whose intent is not in the store. Returns the ids. */
  takeover(by: Generation, seen: Converged): Promise<readonly CloudId[]>;
}

interface Generation {
  readonly generation: number;
  readonly scope: CompiledScope;
}

function lifeOf(seed: number): Life {
  const clock = virtualClock();
  const cloud = makeCloud({ clock, seed });
  const database = memoryDatabase(clock);
  const limiter = inProcessLimiter({ clock });
  const stage: Stage = {
    clock,
    cloud,
    database,
    plans: [],
    costs: [],
    offices: [],
    limiter,
    draw: draw(seed),
    asks: false,
    grace: noGrace,
  };
  let runs = 0;
  return {
    stage,
    cloud,
    database,
    accept: async (text) => {
      const compiled: Compiled | undefined = load(text);
      const [scope] = compiled?.scopes ?? [];
      assert.ok(compiled && scope, text);
      const { number } = await database
        .connect()
        .generations.accept('acme', `r-${text.length}-${text}`, compiled.guards);
      return { generation: number, scope };
    },
    work: async (by) => {
      const before = cloud.history.calls.length;
      runs += 1;
      const ran: Ran = await runProcess(stage, { name: `worker-${runs}`, ...by, fate: { kind: 'lives' } });
      assert.ok(ran.converged, 'it got the lease');
      const calls = cloud.history.calls.slice(before).filter(({ mutating }) => mutating);
      await clock.sleep(600_000);
      return { converged: ran.converged, writes: calls.map(({ action }) => action) };
    },
    takeover: async ({ generation, scope }, { last }) => {
      const store = database.connect();
      assert.ok(last);
      const claimed = claim(last.observation.resources, { ...last, dialect, wanted: scope.wanted });
      const accepted = claimed.filter(isUnrecorded).map(
        ({ claim: { unrecorded: address }, observed: { kind, id } }): Accepted => ({
          do: 'claim',
          subject: { kind, address, id },
          terms: { deletionPolicy: 'retain', protect: false, storeOnly: false },
        }),
      );
      const acquired = await store.leases.acquire('acme', scope.scope, 'ada');
      assert.ok(acquired.ok);
      const { holder, epoch } = acquired.lease;
      const authority = { revision: '', generation, plan: '', approver: 'ada' };
      const reconcile = {
        estate: 'acme',
        scope: scope.scope,
        reconcileId: 'takeover',
        authority,
        lease: { holder, epoch },
      };
      await store.estates.takeover(reconcile, accepted, 'the failover lost them');
      await acquired.lease.release();
      return accepted.map(({ subject }) => subject.id ?? '');
    },
  };
}

/** Everything that stands, parts too, as `network net-1`. */
const standing = ({ inspect }: MemoryCloud): readonly string[] =>
  inspect
    .live()
    .map(({ type, id }) => `${type} ${id}`)
    .sort();

/** Calls that create, end or stop something. Marks and in-place changes are neither. */
const isWeighty = (action: string): boolean => /^(Create|Run|Delete|Terminate|Stop)/.test(action);

const codes = ({ last }: Converged): readonly string[] =>
  (last?.plan.findings ?? []).flatMap((found) => ('code' in found ? [found.code] : []));

interface Machine {
  readonly replicas?: number;
  readonly image?: string;
  readonly size?: string;
}

/** One network, and machines of which `api` may be there or not. */
function estate({ web, api }: { readonly web: Machine; readonly api?: Machine }): string {
  const machine = (name: string, { replicas = 1, image = 'img-1', size = 'small' }: Machine) => ({
    kind: 'Instance',
    metadata: { name },
    spec: { targets: ['here'], network: 'core', subnet: 'app', image, size, replicas },
  });
  const documents = [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', limits } },
    { kind: 'Target', metadata: { name: 'here' }, spec: { provider: 'memory', account: 'acme', region: 'north' } },
    {
      kind: 'Network',
      metadata: { name: 'core' },
      spec: { targets: ['here'], cidr: '10.0.0.0/16', internet: true, subnets: [{ name: 'app', cidr: '10.0.1.0/24' }] },
    },
    machine('web', web),
    ...(api === undefined ? [] : [machine('api', api)]),
  ];
  return documents.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n');
}
const limits = { deletes: 50, replaces: 50, creates: 1000, closures: 50, share: '100%' };

/** `by` hand: a colleague's acts after the lost minutes. */
interface Loss {
  readonly name: string;
  /** Absent: all that the store ever knew is lost. */
  readonly kept?: string;
  readonly lost: string;
  readonly hand?: (cloud: MemoryCloud) => void;
  /** Withheld after the takeover, for a person to judge. */
  readonly held?: readonly string[];
}

const alterFirst =
  (hardware: object) =>
  ({ inspect, outside }: MemoryCloud): void => {
    const web = inspect.live().find(({ type, mark }) => type === 'instance' && mark?.address?.endsWith('/web-0'));
    assert.ok(web);
    outside.alter(web.id, { hardware });
  };

const losses: readonly Loss[] = [
  {
    name: 'launches of further machines',
    kept: estate({ web: { replicas: 2 } }),
    lost: estate({ web: { replicas: 4 } }),
  },
  {
    name: 'the launch of a document’s first machine',
    kept: estate({ web: {} }),
    lost: estate({ web: {}, api: { replicas: 2 } }),
  },
  {
    name: 'replacements',
    kept: estate({ web: { replicas: 2 } }),
    lost: estate({ web: { replicas: 2, image: 'img-2' } }),
  },
  { name: 'all that was ever done', lost: estate({ web: { replicas: 2 }, api: {} }) },
  {
    name: 'the spec that was applied to a machine with a local disk, which somebody made small again: no rollout',
    kept: estate({ web: { size: 'small.local' } }),
    lost: estate({ web: { size: 'large.local' }, api: {} }),
    hand: alterFirst({ size: 'small.local' }),
    held: ['destructive-drift'],
  },
];

describe('a failover that loses the newest commits', () => {
  for (const { name, kept, lost, hand, held = [] } of losses) {
    it(`${name}: nothing stands twice, nothing is ended, and takeover converges`, async () => {
      const life = lifeOf(1);
      await life.stage.clock.run(async () => {
        if (kept !== undefined) await life.work(await life.accept(kept));
        const failOver = life.database.replica();
        await life.work(await life.accept(lost));
        hand?.(life.cloud);
        const before = standing(life.cloud);
        failOver();

        // why: until it has read the specs again, a worker may use the store's former knowledge
        for (const text of [...(kept === undefined ? [] : [kept]), lost]) {
          const { converged, writes } = await life.work(await life.accept(text));
          assert.deepEqual(writes.filter(isWeighty), [], 'nothing is made, ended or stopped');
          assert.deepEqual(standing(life.cloud), before);
          assert.ok(converged.last?.plan.findings.some(({ type }) => type === 'unrecorded-mark'));
        }

        const newest = await life.accept(lost);
        const ids = await life.takeover(newest, (await life.work(newest)).converged);
        assert.ok(ids.length > 0);
        const { converged, writes } = await life.work(newest);
        assert.deepEqual(writes.filter(isWeighty), [], '0 creates, 0 deletes');
        assert.deepEqual([standing(life.cloud), converged.outcome, codes(converged)], [before, 'done', held]);
        const next = await life.work(newest);
        assert.deepEqual(next.writes, [], 'and the next pass has nothing to write');
      });
    });
  }

  it('a forged mark only withholds, and all goes on once it is removed', async () => {
    const life = lifeOf(1);
    await life.stage.clock.run(async () => {
      const first = await life.accept(estate({ web: { replicas: 2 } }));
      await life.work(first);
      const [one] = life.cloud.inspect.live().filter(({ type }) => type === 'instance');
      assert.ok(one);
      const copy = life.cloud.outside.moreLike(one.id);
      const tags = { 'setpoint:intent': '99999999-9999-4999-8999-999999999999' };
      life.cloud.outside.stamp(copy, tags);
      const next = await life.accept(estate({ web: { replicas: 1 } }));
      const { writes, converged } = await life.work(next);
      assert.deepEqual([writes, codes(converged)], [[], ['lost-commits']]);
      life.cloud.outside.stamp(copy, { 'setpoint:estate': 'theirs' });
      assert.deepEqual((await life.work(next)).writes, ['TerminateInstances']);
      assert.ok(
        life.cloud.inspect.live().some(({ id }) => id === copy),
        'it never was ours',
      );
    });
  });
});

const seeds = Array.from({ length: Number(process.env['SIM_SEEDS'] ?? 25) }, (_, seed) => seed + 1);

describe(`a failover in ${seeds.length} random lives`, () => {
  for (const seed of seeds) {
    it(`seed ${seed}`, async () => {
      const life = lifeOf(seed);
      const own = draw(seed);
      await life.stage.clock.run(async () => {
        let spec = randomSpec(own);
        await life.work(await life.accept(textOf(spec)));
        const believed = textOf(spec);
        const failOver = life.database.replica();
        for (let changes = 1 + own.int(3); changes > 0; changes -= 1) {
          spec = soundChange(spec, own);
          await life.work(await life.accept(textOf(spec)));
        }
        const before = standing(life.cloud);
        failOver();
        // why: where nothing strange stands, only the ledger's checkpoints could tell that something was lost
        if (own.chance(0.5) && (await isTold(life))) await life.work(await life.accept(believed));
        const newest = await life.accept(textOf(spec));
        const { converged } = await life.work(newest);
        await life.takeover(newest, converged);
        await life.work(newest);
        const last = await life.work(newest);
        assert.deepEqual(last.writes, []);
        assert.deepEqual(twice(life.cloud), []);
        assert.deepEqual(
          before.filter((one) => !standing(life.cloud).includes(one)),
          [],
          'nothing is ended',
        );
      });
    });
  }
});

/** Returns whether a resource exists whose intent the store has no record of. */
async function isTold({ cloud, database }: Life): Promise<boolean> {
  const intents = cloud.inspect.live().flatMap(({ mark, part }) => (part === undefined ? (mark?.intent ?? []) : []));
  return (await database.connect().inventory.unrecorded(intents)).size > 0;
}

/** Addresses at which two machines or networks stand. */
function twice({ inspect }: MemoryCloud): readonly string[] {
  const addresses = inspect.live().flatMap(({ mark, part }) => (part === undefined ? (mark?.address ?? []) : []));
  return addresses.filter((address, index) => addresses.indexOf(address) !== index);
}

function soundChange(spec: Spec, own: ReturnType<typeof draw>): Spec {
  for (;;) {
    const next = changedSpec(spec, own);
    if (load(textOf(next))) return next;
  }
}
