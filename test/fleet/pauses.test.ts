import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reads } from '../../providers/memory/cloud/calls.ts';
import type { Held } from '../../src/core/pause.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { atOnce, type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

/**
 * Invariant 15: no request is sent after a word that holds it was committed. Each word is said at every half second of a reconcile in
 * which requests are throttled, and take a second each; nobody asks the reconcile to stop.
 */
interface Row {
  readonly name: string;
  /** Prepares the resources and the pending work of the reconcile. `saidMs`: when it is said. */
  readonly prepare: (world: FleetWorld, saidMs?: number) => Promise<void>;
  readonly say: (world: FleetWorld) => Promise<unknown>;
  /** The requests that it holds. */
  readonly holds: (action: string) => boolean;
}

const machine = machineIn({ image: 'img-1', size: 'small' });
const heldWeb = (spec: object = {}) =>
  machine('web', { replicas: 3, ...spec }, { owner: 'team-web', labels: { tier: 'a' } });
const heldGround = [network({ internet: true }), rule('https'), rule('http', { ports: [80], group: 'lb' })];
const limits = { deletes: 50, replaces: 50 };
const all = [...heldGround, heldWeb(), machine('db', { image: 'img-2' }, { owner: 'team-db' })];

const machines = ({ cloud }: FleetWorld): readonly string[] =>
  cloud.inspect
    .live()
    .filter(({ type }) => type === 'instance')
    .map(({ id }) => id);

const creation = async (world: FleetWorld): Promise<void> => void (await world.accept(all, { limits, ...atOnce }));
const standing = async (world: FleetWorld): Promise<void> => {
  await creation(world);
  assert.equal((await world.reconcile()).outcome, 'done');
};
const scaledDown = async (world: FleetWorld): Promise<void> => {
  await standing(world);
  await world.accept([...heldGround, heldWeb({ replicas: 1 })], { limits, ...atOnce });
};
/** The ground stands: what is half made there is healed. */
const grown = async (world: FleetWorld): Promise<void> => {
  await world.accept(heldGround, { limits, ...atOnce });
  assert.equal((await world.reconcile()).outcome, 'done');
  await creation(world);
};
const drifted = async (world: FleetWorld): Promise<void> => {
  await standing(world);
  for (const [i, id] of machines(world).entries())
    world.cloud.outside.do('TagObjects', { ids: [id], tags: { tier: `by hand ${i}` } });
};

const minuteMs = 60_000;
/** It is said by the specs beforehand: a calendar with a change at a whole minute, which the clock is brought before. */
const announced =
  (calendarAt: (time: string) => object) =>
  async (world: FleetWorld, saidMs = 0): Promise<void> => {
    const at = (Math.floor(world.clock.now() / minuteMs) + 60) * minuteMs;
    await world.accept(all, { limits, ...atOnce, ...calendarAt(new Date(at).toISOString().slice(0, 16)) });
    const waitMs = saidMs === 0 ? 0 : at - saidMs - world.clock.now();
    await world.clock.run(() => world.clock.sleep(waitMs));
  };
const nothing = async (): Promise<void> => {};

const pause =
  (held: Held) =>
  ({ store, clock }: FleetWorld): Promise<unknown> =>
    store.fleet.pauses.begin(where.estate, {
      ...held,
      reason: 'an incident',
      person: 'ada',
      until: clock.now() + 3_600_000,
    });
const everything = { by: 'estate' } as const;
const anything = (): boolean => true;
const launches = (action: string): boolean => action === 'RunInstances';

const rows: readonly Row[] = [
  { name: 'a pause of all', prepare: creation, say: pause({ what: 'all', of: everything }), holds: anything },
  { name: 'a pause of rollouts', prepare: grown, say: pause({ what: 'rollout', of: everything }), holds: anything },
  { name: 'a pause of healing', prepare: drifted, say: pause({ what: 'healing', of: everything }), holds: anything },
  {
    name: 'a pause of a target',
    prepare: creation,
    say: pause({ what: 'all', of: { by: 'target', name: 'here' } }),
    holds: anything,
  },
  {
    name: 'a pause of one of two owners',
    prepare: async (world) => void (await world.accept([...heldGround, heldWeb()], { limits, ...atOnce })),
    say: pause({ what: 'all', of: { by: 'owner', name: 'team-web' } }),
    holds: launches,
  },
  {
    name: 'a pause of a document',
    prepare: async (world) => void (await world.accept([...heldGround, heldWeb()], { limits, ...atOnce })),
    say: pause({ what: 'all', of: { by: 'address', name: 'memory/acme/north/instance/web' } }),
    holds: launches,
  },
  {
    name: 'a generation that only reads',
    prepare: creation,
    say: (world) => world.accept(all, { limits, ...atOnce, mode: 'observe' }),
    holds: anything,
  },
  {
    name: 'a generation that leaves all to a person',
    prepare: creation,
    say: (world) => world.accept(all, { limits, ...atOnce, mode: 'plan' }),
    holds: anything,
  },
  {
    name: 'a generation that protects what is being ended',
    prepare: scaledDown,
    say: (world) => world.accept([...heldGround, heldWeb({ protect: true })], { limits, ...atOnce }),
    holds: (action) => action === 'TerminateInstances',
  },
  {
    name: 'a freeze that begins',
    prepare: announced((from) => ({ freezes: [{ name: 'sale', from, to: '2100-01-01T00:00', reason: 'the sale' }] })),
    say: nothing,
    holds: anything,
  },
  {
    name: 'a window that closes',
    prepare: announced((time) => ({ windows: [{ name: 'hours', from: '00:00', to: time.slice(11) }] })),
    say: nothing,
    holds: anything,
  },
];

const stepMs = 500;

/** The moment of each request that left, from the beginning of the reconcile. `saidMs`: undefined: nothing is said. */
async function leave({ prepare, say, holds }: Row, saidMs?: number): Promise<readonly number[]> {
  const world = fleetWorld();
  const { clock, cloud } = world;
  await prepare(world, saidMs);
  for (const on of ['RunInstances', 'TerminateInstances', 'TagObjects', 'AuthorizeRules'] as const)
    cloud.faults.add({ on, times: 3, fault: { do: 'refuse', code: 'Throttled' } });
  cloud.faults.add({ on: 'writes', fault: { do: 'delay', ms: 1000 } });
  const from = clock.now();
  const left: number[] = [];
  const { serve } = cloud;
  Object.assign(cloud, {
    serve: (...[caller, action, input]: Parameters<typeof serve>) => {
      if (!reads(action) && holds(action)) left.push(clock.now() - from);
      return serve(caller, action, input);
    },
  });
  const said = saidMs === undefined ? undefined : clock.sleep(saidMs).then(() => say(world));
  await world.reconcile();
  if (clock.now() - from > (saidMs ?? 0)) await said;
  return left;
}

describe('a word of people, said while a reconcile is sending', () => {
  for (const row of rows)
    it(`${row.name} holds every request after it`, async () => {
      const undisturbed = await leave(row);
      const last = Math.max(...undisturbed);
      assert.ok(last > 2 * stepMs, `the pass sends for ${last} ms`);
      for (let at = stepMs - 1; at < last; at += stepMs) {
        const left = await leave(row, at);
        assert.deepEqual(
          left.filter((ms) => ms > at),
          [],
          `said after ${at} ms`,
        );
        assert.ok(left.length > 0 || at < (undisturbed[0] ?? 0), `what was sent before ${at} ms was sent`);
      }
    });
});

const ownerGround = network({ internet: false });
const https = rule('https', {}, { owner: 'team-web' });
const ownerWeb = machine('web', { deletionPolicy: 'delete' }, { owner: 'team-web' });

/** A world with team-web's resources, which somebody then pauses. */
async function held(): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept([ownerGround, https, ownerWeb]);
  assert.equal((await world.reconcile()).outcome, 'done');
  await world.store.fleet.pauses.begin('acme', {
    what: 'all',
    of: { by: 'owner', name: 'team-web' },
    reason: 'an incident',
    person: 'ada',
    until: world.clock.now() + 3_600_000,
  });
  return world;
}

describe('a pause of an owner', () => {
  it('holds what a commit removes of theirs, later commits too', async () => {
    const world = await held();
    for (const ports of [[22], [23], [24]]) {
      await world.accept([ownerGround, rule('ssh', { group: 'other', ports })]);
      const { writes } = await world.reconcile();
      assert.deepEqual(
        writes.filter((write) => /^(Revoke|Terminate|Delete)/.test(write)),
        ports[0] === 22 ? [] : ['RevokeRules'],
        'only ssh gives way to itself',
      );
      assert.match(world.said().at(-1) ?? '', /paused 2/);
    }
  });

  it('lets go on what is removed of others', async () => {
    const world = await held();
    await world.accept([ownerGround, https, ownerWeb, rule('ssh', { ports: [22] }, { owner: 'team-ops' })]);
    await world.reconcile();
    await world.accept([ownerGround, https, ownerWeb]);
    assert.equal((await world.reconcile()).writes.length, 1);
  });
});
