import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Run } from '../../providers/memory/cloud/calls/instances.ts';
import type { InstanceRecord } from '../../providers/memory/cloud/records.ts';
import { Refusal } from '../../providers/memory/cloud/refusal.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import { planEstate } from '../../src/core/plan/estate.ts';
import { plan } from '../../src/core/plan/plan.ts';
import type { Planner } from '../../src/engine/ports.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import { compiled } from '../support/engine-world/compiled.ts';
import { type Applied, type SmallWorld, smallWorld } from '../support/small-world.ts';

const network = {
  kind: 'Network',
  metadata: { name: 'core' },
  spec: { targets: ['here'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.1.0/24' }] },
};
const machines = (replicas: number, spec: object = {}) => [
  network,
  {
    kind: 'Instance',
    metadata: { name: 'web' },
    spec: {
      ...{ targets: ['here'], network: 'core', subnet: 'app', image: 'img-1', size: 'small' },
      ...{ minReady: 0, replicas, ...spec },
    },
  },
];

const records = ({ cloud }: SmallWorld): readonly InstanceRecord[] =>
  // why: in that cloud only machines have that type
  cloud.inspect.live().flatMap(({ type, record }) => (type === 'instance' ? [record as InstanceRecord] : []));
const tokens = (world: SmallWorld): ReadonlySet<string> => new Set(records(world).map(({ launch }) => launch.token));
const launches = ({ writes }: Applied): number => writes.filter((action) => action === 'RunInstances').length;
const codes = ({ last }: Applied): readonly string[] =>
  (last?.plan.findings ?? []).flatMap((finding) => ('code' in finding ? [finding.code] : [])).sort();

class Killed extends Error {}

type Step = readonly ['intend' | 'settle', 'before' | 'after', number];

async function killed(world: SmallWorld, step: Step, work: () => Promise<unknown>): Promise<void> {
  assert.ok(await mayBeKilled(world, step, work), 'it came so far');
}

/** The process dies at this step of its ledger calls, if it gets so far: nothing is awaited, settled or cleared up. */
async function mayBeKilled(world: SmallWorld, [what, when, nth]: Step, work: () => Promise<unknown>): Promise<boolean> {
  const { ledger } = world.store;
  let count = 0;
  const gated = async <T>(told: () => Promise<T>): Promise<T> => {
    count += 1;
    if (count >= nth && when === 'before') throw new Killed();
    const result = await told();
    if (count >= nth) throw new Killed();
    return result;
  };
  const mortal: Ledger = {
    ...ledger,
    [what]: (...asked: Parameters<Ledger['intend']>) =>
      gated(() => (ledger[what] as (...all: unknown[]) => Promise<unknown>)(...asked)), // why: either takes what the engine gives it
  };
  Object.assign(world.store, { ledger: mortal });
  const end = await work().then(
    () => undefined,
    (error: unknown) => error,
  );
  Object.assign(world.store, { ledger });
  if (end !== undefined && !(end instanceof Killed)) throw end;
  return end !== undefined;
}

/** The next so many listings of machines miss all that stands. */
const hide = ({ cloud }: SmallWorld, times: number): void =>
  cloud.faults.add({ on: 'ListInstances', times, fault: { do: 'flicker', share: 1 } });

/** A launch of so many was begun by a process that died. */
async function begun(step: Step, wanted = machines(3)): Promise<SmallWorld> {
  const world = smallWorld();
  await world.apply([network]);
  await killed(world, step, () => world.apply(wanted));
  return world;
}

const sentAndLost = ['settle', 'before', 1] as const;
const intended = ['intend', 'after', 1] as const;

async function timed(world: SmallWorld, documents: readonly object[], how = {}): Promise<Applied & { ms: number }> {
  const from = world.clock.now();
  const applied = await world.apply(documents, how);
  return { ...applied, ms: world.clock.now() - from };
}

const roomy = { limits: { deletes: 20, replaces: 20, share: '100%' } };
const labelled = (document: object): object =>
  'kind' in document && document.kind === 'Instance'
    ? { ...document, metadata: { name: 'web', labels: { tier: 'a' } } }
    : document;

const head = [
  { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce' } },
  { kind: 'Target', metadata: { name: 'here' }, spec: { provider: 'memory', account: 'acme', region: 'north' } },
];

/** Somebody paused the machines whose names end so. */
function plannerWithout(tail: string): Planner {
  const { wanted } = compiled([...head, ...machines(3)], dialect).scope;
  return (observation, knowledge) =>
    plan({
      ...{ wanted, observation, knowledge, dialect },
      choices: {
        holds: [({ address }) => (address.endsWith(tail) ? { code: 'paused', why: 'paused' } : undefined)],
      },
    });
}

describe('a launch whose answer was lost', () => {
  const steps = [
    { name: 'after its intent', at: intended, sent: 1 },
    { name: 'when it was sent', at: sentAndLost, sent: 1 },
  ];
  for (const { name, at, sent } of steps)
    for (const hidden of [0, 1])
      it(`${name}, and ${hidden ? 'no listing shows it yet' : 'listings show all'}: the next process need not wait`, async () => {
        const world = await begun(at);
        hide(world, hidden);
        const next = await timed(world, machines(3));
        const missed = at === intended || hidden > 0;
        assert.deepEqual([next.outcome, launches(next)], ['done', missed ? sent : 0]);
        assert.deepEqual([records(world).length, tokens(world).size], [3, 1]);
        assert.ok(next.ms < 60_000, `${next.ms} ms`);
        assert.deepEqual((await world.apply(machines(3))).writes, []);
      });

  it('dies again and again: one token for all', async () => {
    const world = await begun(intended);
    for (const at of [intended, sentAndLost, intended, sentAndLost]) {
      hide(world, 1);
      await killed(world, at, () => world.apply(machines(3)));
    }
    hide(world, 1);
    const last = await world.apply(machines(3));
    assert.deepEqual([last.outcome, records(world).length, tokens(world).size], ['done', 3, 1]);
  });

  it('and more is wanted by now: the recorded ones by their token, the others by another', async () => {
    const world = await begun(sentAndLost);
    hide(world, 1);
    const next = await timed(world, machines(5));
    assert.deepEqual([next.outcome, launches(next), records(world).length, tokens(world).size], ['done', 2, 5, 2]);
    assert.ok(next.ms < 60_000, `${next.ms} ms`);
  });

  it('a successor in a replacement by surge too', async () => {
    const world = smallWorld();
    const estate = { limits: { replaces: 1, share: '100%' } };
    await world.apply(machines(1), { estate });
    await world.clock.advance(600_000);
    const wanted = machines(1, { image: 'img-2' });
    await killed(world, sentAndLost, () => world.apply(wanted, { estate }));
    hide(world, 1);
    const next = await timed(world, wanted, { estate });
    assert.deepEqual([next.outcome, records(world).map(({ hardware }) => hardware.image)], ['done', ['img-2']]);
    assert.ok(next.ms < 60_000, `${next.ms} ms`);
  });

  it('its machine was ended meanwhile: the launch is known to have failed, and stops its rollout', async () => {
    const world = await begun(sentAndLost, machines(1));
    const ended = records(world).map(({ id }) => id);
    world.cloud.outside.do('TerminateInstances', { ids: ended });
    hide(world, 1);
    const next = await timed(world, machines(1));
    assert.deepEqual([next.outcome, records(world).length, codes(next)], ['done', 0, ['rollout-stopped']]);
    assert.ok(next.ms < 120_000, `${next.ms} ms`);
    const { births = [] } = await world.store.inventory.knowledge('acme', next.scope.scope);
    assert.deepEqual(
      births.flatMap(({ id, failed }) => (failed === undefined ? [] : [id])),
      ended,
    );
  });
});

describe('a launch whose answer was lost, and which may not be sent as it was', () => {
  const changes: readonly { readonly name: string; readonly documents: readonly object[]; readonly left: number }[] = [
    { name: 'one machine fewer is wanted', documents: machines(2), left: 2 },
    { name: 'another image is wanted', documents: machines(3, { image: 'img-2' }), left: 3 },
    { name: 'another label is wanted', documents: machines(3, {}).map(labelled), left: 3 },
  ];
  for (const { name, documents, left } of changes)
    for (const at of [intended, sentAndLost])
      it(`${name} (it was ${at === intended ? 'not sent' : 'sent'}): nothing is sent before the window is over`, async () => {
        const world = await begun(at);
        hide(world, 8);
        const from = world.clock.now();
        const asked = await world.apply(documents, { job: { patienceMs: 60_000 } });
        assert.deepEqual([asked.outcome, asked.writes], ['unfinished', []]);
        assert.ok(codes(asked).every((code) => code === 'pending'));
        for (let reconcile = 0; reconcile < 4; reconcile += 1) await world.apply(documents, { estate: roomy });
        assert.ok(world.clock.now() - from >= (at === intended ? 300_000 : 60_000));
        assert.equal(records(world).length, left);
      });

  it('one of its machines is paused now: none of the others leaves', async () => {
    const world = await begun(intended);
    const paused = await world.apply(machines(3), {
      job: { plan: plannerWithout('/web-1'), patienceMs: 60_000 },
    });
    assert.deepEqual([launches(paused), records(world).length], [0, 0]);
    const next = await timed(world, machines(3));
    assert.deepEqual([next.outcome, records(world).length, tokens(world).size], ['done', 3, 1]);
  });

  it('one of them is refused in the very transaction: none leaves', async () => {
    const world = await begun(intended);
    const { ledger } = world.store;
    const refusing: Ledger = {
      ...ledger,
      intend: async (reconcile, drafts) =>
        (await ledger.intend(reconcile, drafts)).map((answer, i) =>
          drafts[i]?.subject.address.endsWith('/web-1') ? { ok: false, reason: 'approval', why: 'withdrawn' } : answer,
        ),
    };
    Object.assign(world.store, { ledger: refusing });
    const refused = await world.apply(machines(3), { job: { patienceMs: 60_000 } });
    assert.deepEqual([launches(refused), records(world).length], [0, 0]);
    Object.assign(world.store, { ledger });
    assert.deepEqual([(await world.apply(machines(3))).outcome, tokens(world).size], ['done', 1]);
  });

  it('the cloud says that its token was used for something else: it happened, and is looked for', async () => {
    const world = smallWorld();
    await world.apply([network]);
    const { serve } = world.cloud;
    Object.assign(world.cloud, {
      // why: the first sender had another text behind the same hash
      serve: (...[caller, action, input]: Parameters<typeof serve>) =>
        serve(caller, action, action === 'RunInstances' ? Object.assign({}, input, { userData: 'another' }) : input),
    });
    await killed(world, sentAndLost, () => world.apply(machines(3)));
    Object.assign(world.cloud, { serve });
    hide(world, 3);
    const next = await world.apply(machines(3));
    assert.deepEqual([next.outcome, records(world).length, tokens(world).size], ['done', 3, 1]);
    assert.ok(launches(next) <= 3, `${launches(next)} launches`);
  });
});

describe('a launch whose answer was lost, and the limits', () => {
  it('has its place in them: it is not counted twice', async () => {
    const world = await begun(intended);
    const { wanted } = compiled([...head, ...machines(3)], dialect).scope;
    const limits = { deletes: 0, replaces: 0, creates: 3 };
    const planner: Planner = async (observation, knowledge) => {
      const { owned, ...spent } = await world.store.generations.spent('acme', 2);
      const [planned] = planEstate([{ wanted, observation, knowledge, dialect }], { limits, spent, owned });
      return planned ?? assert.fail('one input, one plan');
    };
    const next = await timed(world, machines(3), { job: { plan: planner }, estate: { limits }, generation: 2 });
    assert.deepEqual([next.outcome, codes(next), records(world).length], ['done', [], 3]);
    assert.ok(next.ms < 60_000, `${next.ms} ms`);
  });
});

type Refuses = (launch: { readonly first: number; readonly count: number }, standing: number) => boolean;

/** A cloud that takes a launch wholly or not at all. */
function refusing(world: SmallWorld, { refuses }: { readonly refuses: Refuses }): void {
  const { serve } = world.cloud;
  let refused = 0;
  Object.assign(world.cloud, {
    serve: (...asked: Parameters<typeof serve>) => {
      const [, action, input] = asked;
      if (action !== 'RunInstances') return serve(...asked);
      const { count, tags } = input as unknown as Run; // why: that is what this call takes
      const launch = { first: Number(tags['setpoint:first']), count };
      if (!refuses(launch, records(world).length)) return serve(...asked);
      refused += 1;
      return Promise.reject(new Refusal('QuotaExceeded', 'too many', { requestId: `refusal-${refused}` }));
    },
  });
}

describe('a launch that was cut apart, as all of it was refused together', () => {
  const clouds: readonly { readonly name: string; readonly refuses: Refuses; readonly most: number }[] = [
    { name: 'room for 2 of 4', refuses: ({ count }, standing) => standing + count > 2, most: 2 },
    { name: 'one of 4 is refused', refuses: ({ first }) => first === 0, most: 3 },
  ];
  for (const { name, refuses, most } of clouds)
    for (let nth = 1; nth <= 7; nth += 1)
      for (const [what, when] of [
        ['intend', 'after'],
        ['settle', 'before'],
      ] as const)
        it(`${name}, and the process dies ${when} its ${nth}. ${what}: nothing is made twice`, async () => {
          const world = smallWorld();
          await world.apply([network]);
          const cloud = { refuses };
          refusing(world, { refuses: (...asked) => cloud.refuses(...asked) });
          await mayBeKilled(world, [what, when, nth], () => world.apply(machines(4)));
          assert.ok(records(world).length <= most);
          cloud.refuses = () => false;
          hide(world, 1);
          const { outcome } = await world.apply(machines(4), { job: { patienceMs: 400_000 } });
          const ordinals = records(world).map(({ tags, launch }) => Number(tags['setpoint:first']) + launch.index);
          assert.deepEqual([outcome, ordinals.sort()], ['done', [0, 1, 2, 3]]);
        });
});

it('a launch is named by 48 random bits, so that no two share a name', async () => {
  const world = smallWorld();
  await world.apply([network]);
  await killed(world, ['intend', 'after', 1], () => world.apply(machines(2)));
  const [looked] = await world.store.inventory.latest('acme');
  assert.ok(looked);
  const { pending } = await world.store.inventory.knowledge('acme', looked.scope);
  // why: the world draws one half
  const name = (2 ** 47).toString(16);
  assert.deepEqual(
    pending.map(({ draft: { details } }) => [details['batch'], details['batchSize']]),
    [
      [name, 2],
      [name, 2],
    ],
  );
});
