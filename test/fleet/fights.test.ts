import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explanationText } from '../../src/cli/commands/explain.ts';
import { actionDigest } from '../../src/core/digest.ts';
import { isFight } from '../../src/core/fights.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { planText } from '../../src/core/render/plan-text.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { approvableIn, saidOf } from '../../src/queries/approvals.ts';
import { estateViewOf } from '../../src/queries/estate-view.ts';
import { explanationOf } from '../../src/queries/explain.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const web = (tier = 'a') => machine('web', {}, { labels: { tier }, owner: 'team-web' });
const ground = (tier?: string) => [network({ internet: false }), rule('https'), web(tier)];
const estate = { limits: { deletes: 50, replaces: 50 } };
const [secondMs, minuteMs, hourMs] = [1_000, 60_000, 3_600_000];

const pass = (world: FleetWorld, ms: number) => world.clock.run(() => world.clock.sleep(ms));
const standing = async (documents: readonly object[] = ground(), spec: object = estate): Promise<FleetWorld> => {
  const world = fleetWorld();
  await world.accept(documents, spec);
  assert.equal((await world.reconcile()).outcome, 'done');
  for (const ms of [minuteMs, hourMs]) {
    await pass(world, ms);
    assert.equal((await world.reconcile()).outcome, 'done');
  }
  return world;
};
const reason = (world: FleetWorld): string => world.said().at(-1) ?? '';
const live = ({ cloud }: FleetWorld, type: string) => cloud.inspect.live().filter((one) => one.type === type);
const machineId = (world: FleetWorld): string => live(world, 'instance')[0]?.id ?? '';
const tierOf = (world: FleetWorld) => live(world, 'instance')[0]?.record.tags['tier'];
const tag = (world: FleetWorld, tier = 'cost'): void =>
  void world.cloud.outside.do('TagObjects', { ids: [machineId(world)], tags: { tier } });
const stop = (world: FleetWorld): void => void world.cloud.outside.do('StopInstances', { ids: [machineId(world)] });
const rowsOf = async ({ store }: FleetWorld) =>
  (await store.rows.page({ seen: [{}], filter: {}, sort: { by: 'address', descending: false }, limit: 100 })).rows;
const groupOf = async (world: FleetWorld): Promise<string> =>
  (await rowsOf(world)).find(({ called }) => called.address?.endsWith('/group/core.web'))?.called.id ?? '';
const opening = (world: FleetWorld, group: string, port = 22): void => {
  const rules = [{ protocol: 'tcp', from: port, to: port, peer: '0.0.0.0/0', description: 'by hand' }];
  world.cloud.outside.do('AuthorizeRules', { group, direction: 'ingress', rules });
};
const open = async (world: FleetWorld, port?: number) => opening(world, await groupOf(world), port);
const close = async (world: FleetWorld): Promise<void> => {
  const rules = (await rowsOf(world)).filter(
    ({ whose, called }) => called.id && whose.documents.some(({ address }) => /https$/.test(address)),
  );
  const ids = rules.flatMap(({ called }) => called.id ?? []);
  world.cloud.outside.do('RevokeRules', { group: await groupOf(world), direction: 'ingress', ids });
};
const viewOf = async ({ store, context }: FleetWorld) => {
  const current = await store.generations.current(where.estate);
  assert.ok(current);
  const opened = await generationsOf(context).open(where.estate, current);
  return estateViewOf({ ...opened, dir: 'specs', scopes: opened.compiled.scopes }, store);
};
const fightsIn = async ({ store }: FleetWorld) => (await store.fleet.fights.list(where)).filter(isFight);
const told = async ({ store }: FleetWorld) =>
  (await store.events.after('memory-0000000000000000', 100_000)).events.filter(({ type }) => type === 'fight');
/** An event names who changed the machine. */
const hear = async ({ store, clock, cloud }: FleetWorld, who: string): Promise<void> => {
  const id = cloud.inspect.live().find(({ type }) => type === 'instance')?.id ?? '';
  const actor = { who, action: 'CreateTags' };
  await store.touches.keep(where.estate, [
    { scope: where.scope, event: `e-${clock.now()}`, at: clock.now(), actor, objects: [id] },
  ]);
};

/** Somebody tags the machine again soon after each healing, and the scope is looked at every minute. */
async function tagged(world: FleetWorld, minutes: number): Promise<number> {
  let healed = 0;
  for (let at = 0; at < minutes; at += 1) {
    if (tierOf(world) === 'a') tag(world);
    const { writes } = await world.reconcile();
    healed += writes.filter((one) => one === 'TagObjects').length;
    await pass(world, minuteMs);
  }
  return healed;
}

describe('somebody else writes a label as often as it is healed', () => {
  it('is healed twice, and then ever less often: at most once an hour', async () => {
    const world = await standing();
    assert.equal(await tagged(world, 60), 7);
    assert.equal(await tagged(world, 60), 1);
    assert.ok((await tagged(world, 6 * 60)) <= 6);
    assert.equal(tierOf(world), 'cost');
    assert.match(reason(world), /^withheld: contested 1$/);
  });

  it('names the writer as an event does, the values, the time and the ways out', async () => {
    const world = await standing();
    for (let times = 0; times < 2; times += 1) {
      tag(world, `cost ${times}`);
      await hear(world, 'arn:aws:iam::1:role/tagger');
      await world.reconcile();
      await pass(world, secondMs);
    }
    tag(world, 'cost 3');
    await hear(world, 'arn:aws:iam::1:role/tagger');
    assert.deepEqual((await world.reconcile()).writes, []);
    const row = (await rowsOf(world)).find(({ place }) => place.kind === 'instance');
    assert.equal(row?.state.status, 'Drifted');
    assert.equal(row.state.code, 'contested');
    assert.match(
      row.state.reason,
      /abels\.tier is cost 3, not a\. An event names arn:aws:iam::1:role\/tagger \(CreateTags\) as the writer\. It was healed 2 times since .* UTC\. Setpoint heals it again after .* UTC\. .*remediation: \{ labels: report \}.*approve --address/,
    );
    const [fight] = await fightsIn(world);
    assert.deepEqual(fight?.writer, { actor: 'arn:aws:iam::1:role/tagger', action: 'CreateTags' });
    assert.deepEqual([fight.from, fight.to, fight.times], ['"cost 1"', '"a"', 2]);
  });

  it('is no fight where each time somebody else writes another value', async () => {
    const world = await standing();
    for (const who of ['ada', 'bob', 'cyd', 'dan']) {
      tag(world, who);
      await hear(world, who);
      assert.deepEqual((await world.reconcile()).writes, ['TagObjects'], who);
      await pass(world, secondMs);
    }
    assert.deepEqual(await fightsIn(world), []);
  });

  it('is no fight after a calm day', async () => {
    const world = await standing();
    await tagged(world, 3);
    assert.equal((await fightsIn(world)).length, 1);
    await pass(world, 25 * hourMs);
    assert.deepEqual(await fightsIn(world), []);
    tag(world);
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
  });
});

describe('a label in a fight', () => {
  it('is an event each time at first, with its owner', async () => {
    const world = await standing();
    await tagged(world, 60);
    const events = await told(world);
    assert.deepEqual(
      events.map(({ about }) => about['times']),
      [2, 3, 4, 5, 6, 7],
    );
    assert.deepEqual(
      [events[0]?.owner, events[0]?.targets, events[0]?.about['severity']],
      ['team-web', ['here'], 'warning'],
    );
  });

  it('other fields of the machine are healed meanwhile', async () => {
    const world = await standing();
    await tagged(world, 6);
    stop(world);
    await pass(world, secondMs);
    assert.deepEqual(new Set((await world.reconcile()).writes), new Set(['StartInstances']));
    assert.equal(tierOf(world), 'cost');
  });

  it('a spec that moves the field ends it', async () => {
    const world = await standing();
    await tagged(world, 6);
    tag(world);
    await world.accept(ground('b'), estate);
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
    tag(world);
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
  });

  it('a rollout of another field leaves it to its time', async () => {
    const world = await standing();
    await tagged(world, 6);
    if (tierOf(world) === 'a') tag(world);
    await world.accept(
      [network({ internet: false }), rule('https'), machine('web', { size: 'large' }, { labels: { tier: 'a' } })],
      estate,
    );
    const { writes } = await world.reconcile();
    assert.ok(writes.includes('ResizeInstance') && !writes.includes('TagObjects'), writes.join());
    assert.equal(await world.store.fleet.rollouts.standing(where), 2);
  });
});

describe('a person heals at once what others write again and again', () => {
  const fighting = async (): Promise<FleetWorld> => {
    const world = await standing();
    await tagged(world, 6);
    if (tierOf(world) === 'a') tag(world);
    assert.deepEqual((await world.reconcile()).writes, []);
    return world;
  };

  it('with apply', async () => {
    const world = await fighting();
    const view = await viewOf(world);
    const [scope] = view.looked;
    assert.ok(scope);
    const { actions, findings } = plan(scope.input);
    const [fight] = await fightsIn(world);
    assert.ok(fight?.waits);
    assert.deepEqual(
      actions.map(({ verb, contested = [] }) => [
        verb,
        contested.map(({ until, workersUntil }) => [until, workersUntil]),
      ]),
      [['update', [[undefined, fight.until]]]],
    );
    const says = /labels\.tier is contested\. No event names the writer\. .* Workers heal it again after \S+ \S+ UTC\./;
    assert.match(planText(view.plans, { revision: 'r1' }), says);
    const explanation = explanationOf(
      'instance/web-0',
      view,
      (_, known) => known.values().find((one) => one.endsWith('instance/web-0')) ?? '',
    );
    assert.match(explanationText(explanation, { dir: '', paint: (_, text) => text, ago: String }), says);
    assert.ok(!findings.some(({ type }) => type === 'withheld'));
  });

  it('with an approval that names the resource, and with no other', async () => {
    const world = await fighting();
    const view = await viewOf(world);
    const offered = async (address?: string) =>
      (await approvableIn(view, await saidOf(view), { address })).plans.flatMap(({ actions }) => actions);
    assert.deepEqual(await offered(), []);
    const actions = await offered('instance/web-0');
    assert.equal(actions.length, 1);
    await world.store.fleet.approvals.give({
      ...{ ...where, generation: 1, digest: 'x', destroys: 0, until: world.clock.now() + hourMs },
      actions: actions.map((action) => actionDigest(action, sha256)),
      by: { person: 'ada', reason: 'x' },
    });
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
  });
});

describe('somebody opens a port as often as it is closed', () => {
  it('every second for ten minutes: it is open for a moment each time, and each closing costs the same', async () => {
    const world = await standing();
    const group = await groupOf(world);
    const callsOf = () => world.cloud.history.calls.filter(({ caller }) => caller !== 'outside').length;
    const idle = callsOf();
    await world.reconcile();
    const look = callsOf() - idle;
    const before = callsOf();
    let [openMs, opened] = [0, 0];
    for (const end = world.clock.now() + 600 * secondMs; world.clock.now() < end; ) {
      opening(world, group);
      opened += 1;
      const from = world.clock.now();
      assert.deepEqual((await world.reconcile()).writes, ['RevokeRules']);
      const closed = world.cloud.history.calls.findLast(({ action }) => action === 'RevokeRules');
      openMs += (closed?.at ?? world.clock.now()) - from;
      await pass(world, secondMs);
    }
    const calls = callsOf() - before;
    assert.ok(opened > 100, `${opened}`);
    assert.ok(openMs < 10 * secondMs, `open for ${openMs} ms`);
    assert.equal(calls, opened * (2 * look + 1));
    const events = await told(world);
    assert.ok(events.length < 30, `${events.length} events`);
    assert.ok(events.every(({ about }) => about['severity'] === 'critical'));
  });

  it('beside a label in a fight, and beside a rule that is deleted each time', async () => {
    const world = await standing();
    await tagged(world, 6);
    for (let times = 0; times < 4; times += 1) {
      await open(world);
      await close(world);
      const { writes } = await world.reconcile();
      assert.deepEqual(
        new Set(writes.filter((one) => one !== 'TagObjects')),
        new Set(['AuthorizeRules', 'RevokeRules']),
      );
      await pass(world, secondMs);
    }
  });

  it('a rule that is only deleted each time is made again ever less often', async () => {
    const world = await standing();
    const made: number[] = [];
    for (let minute = 0; minute < 20; minute += 1) {
      await close(world);
      const { writes } = await world.reconcile();
      if (writes.includes('AuthorizeRules')) made.push(minute);
      await pass(world, minuteMs);
    }
    assert.deepEqual(made.length, 6, made.join());
    // why: now it closes something
    await open(world);
    const { writes } = await world.reconcile();
    assert.ok(writes.includes('RevokeRules'), writes.join());
  });

  it('faster than it is looked at: a reconcile closes it three times, and the next one again', async () => {
    const world = await standing();
    const group = await groupOf(world);
    const { knowledge } = world.store.inventory;
    let opened = 0;
    const closed = () => world.cloud.history.calls.filter(({ action }) => action === 'RevokeRules').length;
    Object.assign(world.store.inventory, {
      // why: it is read before each look
      knowledge: async (...given: Parameters<typeof knowledge>) => {
        if (opened <= closed()) {
          opening(world, group);
          opened += 1;
        }
        return knowledge(...given);
      },
    });
    for (let times = 0; times < 2; times += 1) {
      const { writes, ended } = await world.reconcile();
      assert.deepEqual(writes, ['RevokeRules', 'RevokeRules', 'RevokeRules']);
      assert.equal(ended, 'done');
    }
  });
});

describe('a port that is opened again and again is closed', () => {
  it('a closed port keeps its place, with any limit of closures', async () => {
    const world = await standing(ground(), { limits: { closures: 1 } });
    for (let times = 0; times < 5; times += 1) {
      await open(world);
      assert.deepEqual((await world.reconcile()).writes, ['RevokeRules'], `${times}`);
      await pass(world, minuteMs);
    }
    await open(world);
    await open(world, 23);
    assert.deepEqual((await world.reconcile()).writes, ['RevokeRules']);
    assert.match(reason(world), /limit 1/);
  });

  it('in an incident, and not while a person pauses all', async () => {
    const world = await standing();
    await open(world);
    await world.reconcile();
    const draft = { what: 'all', of: { by: 'estate' }, reason: 'x', person: 'ada' } as const;
    const until = world.clock.now() + hourMs;
    await world.store.fleet.pauses.begin(where.estate, { ...draft, incident: 'outage', letsNarrow: true, until });
    for (let times = 0; times < 3; times += 1) {
      await open(world);
      assert.deepEqual((await world.reconcile()).writes, ['RevokeRules']);
    }
    await world.store.fleet.pauses.begin(where.estate, { ...draft, until });
    await open(world);
    assert.deepEqual((await world.reconcile()).writes, []);
  });
});

it('somebody stops a machine as often as it is started: it is started ever less often', async () => {
  const world = await standing(ground(), { limits: { replaces: 1_000, deletes: 1_000 } });
  let started = 0;
  for (let minute = 0; minute < 60; minute += 1) {
    if (JSON.stringify(live(world, 'instance')[0]?.record).includes('"run"')) stop(world);
    await pass(world, 30 * secondMs);
    if ((await world.reconcile()).writes.includes('StartInstances')) started += 1;
    await pass(world, 30 * secondMs);
  }
  assert.ok(started >= 3 && started <= 8, `${started}`);
});

it('a fight with healing to a former generation backs off, too', async () => {
  const world = await standing();
  const held = { what: 'rollout', of: { by: 'estate' } } as const;
  const until = world.clock.now() + 10 * hourMs;
  await world.store.fleet.pauses.begin(where.estate, { ...held, reason: 'x', person: 'ada', until });
  await world.accept(
    [network({ internet: false }), rule('https'), machine('web', { size: 'large' }, { labels: { tier: 'a' } })],
    estate,
  );
  assert.equal(await tagged(world, 60), 7);
});

it('reported and proposed drift is in no fight', async () => {
  const world = await standing(ground(), { ...estate, remediation: { labels: 'report' } });
  assert.equal(await tagged(world, 10), 0);
  assert.deepEqual(await fightsIn(world), []);
  assert.match(reason(world), /remediation 1/);
});
