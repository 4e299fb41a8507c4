import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ActionName } from '../../providers/memory/cloud/calls.ts';
import type { GroupRecord, InstanceRecord } from '../../providers/memory/cloud/records.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import { memoryProvider } from '../../providers/memory/index.ts';
import type { CompiledScope } from '../../src/core/compile/compile.ts';
import { noCount } from '../../src/core/limits.ts';
import { planEstate } from '../../src/core/plan/estate.ts';
import { summarise } from '../../src/core/render/summary.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import { observe } from '../../src/engine/observe.ts';
import { driftOf } from '../../src/queries/drift.ts';
import type { EstateView } from '../../src/queries/estate-view.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type Applied, type SmallWorld, smallWorld } from '../support/small-world.ts';

/**
 * The law: an edit by hand shows in `drift` as soon as the cloud's listings show it, however recently anything was written and
 * whatever creation is still pending, and it is healed. Rows: how long after the apply it happens, how long listings lag, which
 * creation is pending meanwhile, and the edit.
 */
// A machine that ends before it was ready for its minReady would be a failed birth.
const machine = machineIn({ image: 'img-1', size: 'small', minReady: 0 });
const office = rule('ssh-office', { ports: [22], peers: { cidrs: ['198.51.100.0/24'] } });
const documents = [network({ internet: false }), rule('https'), office, machine('web', { replicas: 2 })];

interface Edit {
  readonly name: string;
  /** Makes the change, and returns the plan's names of the drifted resources. */
  do(world: SmallWorld): readonly string[];
}

const recordsOf = <R>({ cloud }: SmallWorld, type: string): readonly R[] =>
  // why: a table of one type holds records of that type
  cloud.inspect.live().flatMap((one) => (one.type === type ? [one.record as R] : []));
const groupNamed = (world: SmallWorld, name: string): string =>
  recordsOf<GroupRecord>(world, 'group').find((one) => one.name === name)?.id ?? '';
const anyone = '0.0.0.0/0';
const shape = (port: number) => ({ protocol: 'tcp', from: port, to: port, peer: anyone });
const open = (world: SmallWorld, group: string, port: number): string =>
  world.cloud.outside.do('AuthorizeRules', {
    group: groupNamed(world, group),
    direction: 'ingress',
    rules: [{ ...shape(port), description: 'by hand' }],
  })[0]?.id ?? '';
const close = (world: SmallWorld, group: string, port: number): void =>
  world.cloud.outside.do('RevokeRules', {
    group: groupNamed(world, group),
    direction: 'ingress',
    content: [shape(port)],
  });

const edits: readonly Edit[] = [
  {
    name: '22/tcp is opened to the world',
    do: (world) => [`delete ${open(world, 'core-web', 22)}`],
  },
  {
    name: 'a rule of ours is closed, and 22/tcp opened to the world in its place',
    do: (world) => {
      close(world, 'core-web', 443);
      return [`delete ${open(world, 'core-web', 22)}`, 'create firewall-rule'];
    },
  },
  {
    name: '22/tcp is opened in the group of all machines',
    do: (world) => [`delete ${open(world, 'core-all', 22)}`],
  },
  {
    name: 'a rule of ours is closed',
    do: (world) => {
      close(world, 'core-web', 443);
      return ['create firewall-rule'];
    },
  },
  {
    name: 'the egress that a group is born with is revoked',
    do: (world) => {
      world.cloud.outside.do('RevokeRules', {
        group: groupNamed(world, 'core-web'),
        direction: 'egress',
        content: [{ protocol: 'all', from: 0, to: 65_535, peer: anyone }],
      });
      return ['create firewall-rule'];
    },
  },
  {
    name: 'that egress is revoked, and 22/tcp opened to the world',
    do: (world) => {
      world.cloud.outside.do('RevokeRules', {
        group: groupNamed(world, 'core-web'),
        direction: 'egress',
        content: [{ protocol: 'all', from: 0, to: 65_535, peer: anyone }],
      });
      return [`delete ${open(world, 'core-web', 22)}`, 'create firewall-rule'];
    },
  },
  {
    name: 'a machine is terminated',
    do: (world) => {
      const [first] = recordsOf<InstanceRecord>(world, 'instance');
      world.cloud.outside.do('TerminateInstances', { ids: [first?.id ?? ''] });
      return ['create instance'];
    },
  },
];

async function drifted(world: SmallWorld, scope: CompiledScope): Promise<readonly string[]> {
  const { store, clock, cloud } = world;
  const provider = memoryProvider(cloud);
  const session = await provider.open({ scope: scope.scope, account: 'acme', region: 'north' }, clock);
  const site = { session, account: 'acme', batches: {}, holds: dialect.holds, secret: async () => ({}) };
  const ports = { limiter: inProcessLimiter({ clock }), clock, random: () => 0.5 };
  const input = await clock.run(async () => {
    const knowledge = await store.inventory.knowledge('acme', scope.scope);
    const observation = await observe(site, knowledge, ports, { signal: new AbortController().signal });
    await store.inventory.record('acme', observation);
    return { wanted: scope.wanted, observation, knowledge, dialect };
  });
  const bounds = {
    limits: { deletes: 50, replaces: 50, creates: 50, closures: 50, share: 1 },
    spent: { generation: noCount, healing: noCount },
    owned: 100,
  };
  const plans = planEstate([input], bounds);
  const survey = { estate: { name: 'acme', dir: '' }, looked: [{ scope, input }], plans, bounds };
  // why: drift asks a survey for these alone
  const [drift] = await driftOf(survey as unknown as EstateView);
  assert.equal(summarise(plans).drifted, summarise(drift ? [drift] : []).drifted, 'plan and drift count alike');
  return (drift?.actions ?? []).map((one) =>
    one.verb === 'delete' ? `delete ${one.observed.id}` : `${one.verb} ${one.kind}`,
  );
}

/** Leaves a creation open whose call may have happened. */
async function leavePending(what: string, world: SmallWorld, first: CompiledScope): Promise<Asked> {
  const [on, more] = pendings[what] ?? [];
  if (on === undefined || more === undefined) return { documents, scope: first };
  world.cloud.faults.add({ on, fault: { do: 'lost-before' } });
  const { scope } = await world.apply([...documents, more], { job: { rounds: 1 } });
  const { pending } = await world.store.inventory.knowledge('acme', scope.scope);
  assert.deepEqual(
    pending.map(({ verb }) => verb),
    ['create'],
    'the world was to leave one creation open',
  );
  world.cloud.faults.clear();
  return { documents: [...documents, more], scope };
}

interface Asked {
  readonly documents: readonly object[];
  readonly scope: CompiledScope;
}

const pendings: Readonly<Record<string, readonly [ActionName, object] | readonly []>> = {
  nothing: [],
  'a machine': ['RunInstances', machine('db')],
  'a rule': ['AuthorizeRules', rule('http', { ports: [80] })],
};

const rest = (world: SmallWorld, ms: number): Promise<void> => world.clock.run(() => world.clock.sleep(ms));

async function check(edit: Edit, { afterMs, lagMs, pending }: Row): Promise<void> {
  const world = smallWorld();
  const first = await world.apply(documents);
  // A look that finds the machines ready: one that nobody ever saw ready would be a failed birth.
  await rest(world, 5000);
  await world.apply(documents);
  const asked = await leavePending(pending, world, first.scope);
  if (lagMs > 0) world.cloud.faults.add({ on: 'reads', fault: { do: 'lag', ms: lagMs } });
  await rest(world, afterMs);
  const want = edit.do(world);
  await rest(world, lagMs);
  const got = await drifted(world, asked.scope);
  assert.deepEqual(
    want.filter((one) => !got.includes(one)),
    [],
    `not in drift; it tells of ${got.join(', ') || 'nothing'}`,
  );
  const from = world.clock.now();
  const healed = await world.apply(asked.documents);
  const tookMs = world.clock.now() - from;
  assert.ok(tookMs < 120_000, `healing took ${tookMs} ms`);
  for (const one of want) assert.ok(isDone(one, healed), `${one} was not done: ${healed.writes.join(' ')}`);
}

interface Row {
  readonly afterMs: number;
  readonly lagMs: number;
  readonly pending: string;
}

const isDone = (one: string, { rounds: reconciles }: Applied): boolean => {
  const [verb] = one.split(' ');
  return reconciles.some(({ settled }) => settled.some((settling) => settling.verb === verb));
};

describe('what was seen standing is no longer pending', () => {
  for (const edit of edits)
    for (const pending of Object.keys(pendings))
      it(`${edit.name}, while ${pending} is pending`, async () => {
        for (const lagMs of [0, 45_000])
          for (const afterMs of [15_000, 60_000, 180_000, 290_000]) await check(edit, { afterMs, lagMs, pending });
      });
});
