import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../src/core/action.ts';
import { actionDigest } from '../../src/core/digest.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { approvableIn, saidOf } from '../../src/queries/approvals.ts';
import { driftOf } from '../../src/queries/drift.ts';
import { estateViewOf } from '../../src/queries/estate-view.ts';
import { group, machineIn, network, rule } from '../support/engine-world/documents.ts';
import { atOnce, type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const web = (spec: Readonly<Record<string, unknown>> = {}) => machine('web', spec, { labels: { tier: 'a' } });
const ground = (spec: Readonly<Record<string, unknown>> = {}) => [
  network({ internet: false }),
  rule('https'),
  web(spec),
];
const limits = { deletes: 50, replaces: 50 };
const of = (remediation: object): object => ({ limits, remediation });

const hourMs = 3_600_000;
const standing = async (documents: readonly object[], estate: object = { limits }): Promise<FleetWorld> => {
  const world = fleetWorld();
  await world.accept(documents, estate);
  assert.equal((await world.reconcile()).outcome, 'done');
  for (const ms of [60_000, hourMs]) {
    await world.clock.run(() => world.clock.sleep(ms));
    assert.equal((await world.reconcile()).outcome, 'done');
  }
  return world;
};
const reason = (world: FleetWorld): string => world.said().at(-1) ?? '';
const live = ({ cloud }: FleetWorld, type: string) => cloud.inspect.live().filter((one) => one.type === type);
const idOf = (world: FleetWorld): string => live(world, 'instance')[0]?.id ?? '';
const tag = (world: FleetWorld): void =>
  void world.cloud.outside.do('TagObjects', { ids: [idOf(world)], tags: { tier: 'by hand' } });
const stop = (world: FleetWorld): void => void world.cloud.outside.do('StopInstances', { ids: [idOf(world)] });
const rowsOf = async ({ store }: FleetWorld) =>
  (await store.rows.page({ seen: [{}], filter: {}, sort: { by: 'address', descending: false }, limit: 100 })).rows;
const groupOf = async (world: FleetWorld): Promise<string> =>
  (await rowsOf(world)).find(({ called }) => called.address?.endsWith('/group/core.web'))?.called.id ?? '';
const open = async (world: FleetWorld, port = 22): Promise<void> => {
  const rules = [{ protocol: 'tcp', from: port, to: port, peer: '0.0.0.0/0', description: 'by hand' }];
  world.cloud.outside.do('AuthorizeRules', { group: await groupOf(world), direction: 'ingress', rules });
};
const close = async (world: FleetWorld): Promise<void> => {
  const rules = (await rowsOf(world)).filter(({ whose }) =>
    whose.documents.some(({ address }) => /https$/.test(address)),
  );
  const ids = rules.flatMap(({ called }) => called.id ?? []);
  world.cloud.outside.do('RevokeRules', { group: await groupOf(world), direction: 'ingress', ids });
};
const viewOf = async ({ store, context }: FleetWorld) => {
  const current = await store.generations.current(where.estate);
  assert.ok(current);
  const estate = await generationsOf(context).open(where.estate, current);
  return estateViewOf({ ...estate, dir: 'specs', scopes: estate.compiled.scopes }, store);
};
/** The pending approvals, as `verb changed fields`; of one resource where it is named. */
const offered = async (world: FleetWorld, address?: string): Promise<readonly Action[]> => {
  const view = await viewOf(world);
  const { plans } = await approvableIn(view, await saidOf(view), { address });
  return plans.flatMap(({ actions }) => actions);
};
const fieldsOf = (action: Action): readonly string[] =>
  'changes' in action ? action.changes.map(({ field }) => field) : [action.verb];
const approve = async ({ store, clock }: FleetWorld, actions: readonly Action[]): Promise<void> => {
  const current = await store.generations.current(where.estate);
  await store.fleet.approvals.give({
    ...where,
    generation: current?.number ?? 0,
    digest: 'x',
    actions: actions.map((action) => actionDigest(action, sha256)),
    destroys: actions.length,
    by: { person: 'ada', reason: 'x' },
    until: clock.now() + 3_600_000,
  });
};

describe('drift by its remediation, without a person', () => {
  const rows: readonly {
    readonly name: string;
    readonly remediation: object;
    readonly drift: (world: FleetWorld) => unknown;
    readonly writes: readonly string[];
    readonly left?: RegExp;
  }[] = [
    { name: 'a label is healed where nothing is said', remediation: {}, drift: tag, writes: ['TagObjects'] },
    { name: 'a label is reported', remediation: { labels: 'report' }, drift: tag, writes: [], left: /remediation 1/ },
    { name: 'a label is proposed', remediation: { labels: 'propose' }, drift: tag, writes: [], left: /remediation 1/ },
    { name: 'another category holds nothing', remediation: { size: 'report' }, drift: tag, writes: ['TagObjects'] },
    {
      name: 'a machine stays stopped',
      remediation: { power: 'report' },
      drift: stop,
      writes: [],
      left: /remediation 1/,
    },
    {
      name: 'of a machine that was stopped and tagged only the label is healed',
      remediation: { power: 'report' },
      drift: (world) => [stop(world), tag(world)],
      writes: ['TagObjects'],
      left: /remediation 1/,
    },
    {
      name: 'a kind goes before all kinds',
      remediation: { labels: 'report', kinds: { instance: { labels: 'heal' } } },
      drift: tag,
      writes: ['TagObjects'],
    },
    {
      name: 'of another kind it holds nothing',
      remediation: { kinds: { network: { labels: 'report' } } },
      drift: tag,
      writes: ['TagObjects'],
    },
    { name: 'an opened port is closed', remediation: {}, drift: open, writes: ['RevokeRules'] },
    {
      name: 'an opened port stays open',
      remediation: { traffic: 'report' },
      drift: open,
      writes: [],
      left: /remediation 1/,
    },
    { name: 'a rule that vanished is made again', remediation: {}, drift: close, writes: ['AuthorizeRules'] },
    {
      name: 'a rule that vanished stays away',
      remediation: { traffic: 'propose' },
      drift: close,
      writes: [],
      left: /remediation 1/,
    },
    {
      name: 'a machine that vanished is launched again: it is no field',
      remediation: Object.fromEntries(
        ['traffic', 'power', 'size', 'disk', 'network', 'name'].map((c) => [c, 'report']),
      ),
      drift: (world) => world.cloud.outside.do('TerminateInstances', { ids: [idOf(world)] }),
      writes: ['RunInstances'],
    },
  ];
  for (const { name, remediation, drift, writes, left } of rows)
    it(name, async () => {
      const world = await standing(ground(), of(remediation));
      await drift(world);
      const { writes: made, outcome } = await world.reconcile();
      assert.deepEqual(made, writes);
      if (left === undefined) assert.equal(outcome, 'done');
      else assert.match(reason(world), left);
      // why: what is left is left by the next reconcile too
      assert.deepEqual((await world.reconcile()).writes, []);
    });
});

describe('the document, its target and the estate', () => {
  it('the most specific one holds, in either direction', async () => {
    for (const [own, writes] of [
      ['heal', ['TagObjects']],
      ['propose', []],
    ] as const) {
      const world = await standing(ground({ remediation: { labels: own } }), of({ labels: 'report' }));
      tag(world);
      assert.deepEqual((await world.reconcile()).writes, writes);
    }
  });

  it('names the line that says so', async () => {
    const world = await standing(ground({ remediation: { labels: 'propose' } }));
    tag(world);
    await world.reconcile();
    const row = (await rowsOf(world)).find(({ place }) => place.kind === 'instance');
    assert.equal(row?.state.status, 'Drifted');
    assert.equal(row.state.code, 'remediation');
    assert.match(row.state.reason, /labels is propose, by Instance web at all\.yaml:\d+\./);
    assert.match(row.state.reason, /setpoint apply, or setpoint approve --address .*setpoint accept/s);
  });
});

describe('a person', () => {
  const drifted = async (as: string): Promise<FleetWorld> => {
    const world = await standing(ground(), of({ labels: as }));
    tag(world);
    await world.reconcile();
    return world;
  };

  it('is offered what is proposed, and its approval heals it once', async () => {
    const world = await drifted('propose');
    const actions = await offered(world);
    assert.deepEqual(actions.map(fieldsOf), [['labels.tier']]);
    await approve(world, actions);
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
    tag(world);
    assert.deepEqual((await world.reconcile()).writes, []);
  });

  it('heals one update of a resource at a time, however many it approved', async () => {
    const world = await standing(ground(), of({ labels: 'propose', power: 'report' }));
    stop(world);
    tag(world);
    await world.reconcile();
    const [scope] = (await viewOf(world)).looked;
    assert.ok(scope);
    const { actions } = plan({ ...scope.input, choices: { unattended: true, approved: () => true } });
    assert.deepEqual(actions.map(fieldsOf), [['labels.tier']]);
    await approve(world, await offered(world, 'instance/web-0'));
    assert.deepEqual(new Set((await world.reconcile()).writes), new Set(['TagObjects', 'StartInstances']));
  });

  it('is offered what is reported only where it is named', async () => {
    const world = await drifted('report');
    assert.deepEqual(await offered(world), []);
    const actions = await offered(world, 'instance/web-0');
    assert.deepEqual(actions.map(fieldsOf), [['labels.tier']]);
    await approve(world, actions);
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
  });

  it('is not offered what is reported beside what its mode withholds', async () => {
    const planned = await standing(ground(), of({ power: 'report' }));
    await planned.accept(ground(), { ...of({ power: 'report' }), mode: 'plan' });
    stop(planned);
    tag(planned);
    await planned.reconcile();
    assert.deepEqual((await offered(planned)).map(fieldsOf), [['labels.tier']]);
    assert.deepEqual((await offered(planned, 'instance/web-0')).map(fieldsOf).toSorted(), [
      ['labels.tier'],
      ['machine.power'],
    ]);
  });

  it('applies what is proposed with the rest, and not what is reported', async () => {
    const estate = of({ labels: 'propose', power: 'report' });
    const world = await standing(ground(), estate);
    tag(world);
    stop(world);
    await world.reconcile();
    const view = await viewOf(world);
    const [scope] = view.looked;
    assert.ok(scope);
    const { actions, findings } = plan(scope.input);
    assert.deepEqual(actions.map(fieldsOf), [['labels.tier']]);
    assert.equal(actions[0]?.remediation?.value, 'propose');
    assert.deepEqual(
      findings.flatMap((found) => (found.type === 'withheld' ? [[found.code, found.remediation?.value]] : [])),
      [['remediation', 'report']],
    );
  });

  it('sees both as drift', async () => {
    const world = await standing(ground(), of({ labels: 'propose', power: 'report' }));
    tag(world);
    stop(world);
    await world.reconcile();
    const [seen] = await driftOf(await viewOf(world));
    assert.deepEqual(seen?.actions.map(fieldsOf).toSorted(), [['labels.tier'], ['machine.power']]);
  });
});

describe('a spec that moved', () => {
  it('is carried out whatever the remediation, and what drifted beside stays', async () => {
    const world = await standing(ground(), of({ labels: 'report' }));
    tag(world);
    await world.accept(ground({ size: 'large' }), of({ labels: 'report' }));
    const { writes } = await world.reconcile();
    assert.deepEqual(writes, ['StopInstances', 'ResizeInstance', 'StartInstances']);
    assert.equal(live(world, 'instance')[0]?.record.tags['tier'], 'by hand');
    assert.match(reason(world), /remediation 1/);
    assert.equal(await world.store.fleet.rollouts.standing(where), 2);
    assert.deepEqual((await world.reconcile()).writes, []);
  });

  it('moves the very field that drifted', async () => {
    const world = await standing(ground(), of({ labels: 'report' }));
    tag(world);
    await world.accept(
      [network({ internet: false }), rule('https'), machine('web', {}, { labels: { tier: 'b' } })],
      of({ labels: 'report' }),
    );
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
    assert.equal(live(world, 'instance')[0]?.record.tags['tier'], 'b');
  });
});

describe('of two drifts that are reported', () => {
  it('one that its spec accepts is recorded, and is drift again at the next change by hand', async () => {
    const estate = of({ labels: 'report', size: 'report' });
    const world = await standing(ground(), estate);
    const resize = async (size: string): Promise<void> => {
      const id = idOf(world);
      stop(world);
      await world.clock.run(() => world.clock.sleep(60_000));
      world.cloud.outside.do('ResizeInstance', { id, size });
      world.cloud.outside.do('StartInstances', { ids: [id] });
      await world.clock.run(() => world.clock.sleep(60_000));
    };
    await resize('large');
    tag(world);
    assert.deepEqual((await world.reconcile()).writes, []);
    await world.accept(ground({ size: 'large' }), estate);
    assert.deepEqual((await world.reconcile()).writes, []);
    await resize('medium');
    assert.deepEqual((await world.reconcile()).writes, []);
  });
});

describe('no commit lifts its own guard', () => {
  it('drift that was reported is healed from the next generation on', async () => {
    const world = await standing(ground(), of({ labels: 'report' }));
    tag(world);
    await world.accept(ground(), of({}));
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.match(reason(world), /remediation 1/);
    const row = (await rowsOf(world)).find(({ place }) => place.kind === 'instance');
    assert.match(row?.state.reason ?? '', /labels is report in the generation before/);
    await world.accept(ground(), { limits: { deletes: 49 } });
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
  });

  it('a document that said so itself binds likewise, and less healing counts at once', async () => {
    const world = await standing(ground({ remediation: { labels: 'propose' } }));
    tag(world);
    await world.accept(ground());
    assert.deepEqual((await world.reconcile()).writes, []);
    const other = await standing(ground());
    await other.accept(ground({ remediation: { labels: 'propose' } }));
    tag(other);
    assert.deepEqual((await other.reconcile()).writes, []);
  });
});

describe('remediation beside another rule', () => {
  it('healing to a former generation keeps the remediation of the newest', async () => {
    const world = await standing(ground());
    const held = { what: 'rollout', of: { by: 'estate' } } as const;
    const until = world.clock.now() + hourMs;
    await world.store.fleet.pauses.begin(where.estate, { ...held, reason: 'x', person: 'ada', until });
    await world.accept(ground({ size: 'large' }), of({ labels: 'report' }));
    tag(world);
    stop(world);
    // why: a machine that is still stopping refuses a start
    assert.deepEqual(new Set((await world.reconcile()).writes), new Set(['StartInstances']));
    assert.equal(live(world, 'instance')[0]?.record.tags['tier'], 'by hand');
  });

  it('is heeded by a healing that was planned before it', async () => {
    const world = await standing(ground());
    tag(world);
    world.cloud.faults.add({ on: 'reads', fault: { do: 'delay', ms: 5_000 } });
    const running = world.reconcile();
    await world.accept(ground(), of({ labels: 'report' }));
    assert.deepEqual((await running).writes, []);
  });

  it('a pause holds what is approved', async () => {
    const world = await standing(ground(), of({ labels: 'propose' }));
    tag(world);
    await world.reconcile();
    await approve(world, await offered(world));
    const held = { what: 'healing', of: { by: 'estate' } } as const;
    await world.store.fleet.pauses.begin(where.estate, {
      ...held,
      reason: 'x',
      person: 'ada',
      until: world.clock.now() + 3_600_000,
    });
    assert.deepEqual((await world.reconcile()).writes, []);
    await world.store.fleet.pauses.end(where.estate, held, { person: 'ada', reason: 'x' });
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
  });
});

describe('machines that somebody moved into another group, and that stay there', () => {
  const ignore = [{ field: 'groups', owner: 'o', reason: 'r', until: '2027-01-01' }];
  const byGroup = rule('by-group', { group: 'web', ports: [80], peers: { groups: ['web'] } });
  const byAddress = (name: string, of: string) =>
    rule(name, { group: of, ports: [80], peers: { cidrs: ['10.0.0.0/8'] } });
  const documents = (tier: string, rules: readonly object[], spec: object = {}) => [
    network({ internet: false }),
    group('lb'),
    machine('m', { replicas: 2, groups: ['web'], ...spec }, { labels: { tier } }),
    machine('x', { groups: ['lb'] }),
    ...rules,
  ];
  const machines = (world: FleetWorld) =>
    live(world, 'instance').map(({ id, record }) => {
      const { groups } = record as unknown as { readonly groups: readonly string[] }; // why: machines have them
      return { id, groups, key: groups.join() };
    });
  const groupsOf = (world: FleetWorld): readonly string[] => machines(world).map(({ key }) => key);
  /** All machines in the groups of `x` in the end. */
  const moved = async (world: FleetWorld): Promise<readonly string[]> => {
    const [[one] = []] = [...Map.groupBy(machines(world), ({ key }) => key).values()].filter((its) => its.length === 1);
    const groups = one?.groups ?? [];
    for (const { id } of machines(world)) world.cloud.outside.do('SetInstanceGroups', { id, groups: [...groups] });
    assert.deepEqual((await world.reconcile()).writes, []);
    return groupsOf(world);
  };

  for (const [name, estate, spec] of [
    ['reported', of({ traffic: 'report' }), {}],
    ['ignored', { limits }, { ignore }],
  ] as const) {
    it(`${name}: an update of their labels moves none`, async () => {
      const rules = [byAddress('by-address', 'lb'), byGroup];
      const world = await standing(documents('a', rules, spec), estate);
      const before = await moved(world);
      await world.accept(documents('b', rules, spec), { ...estate, ...atOnce });
      assert.deepEqual(new Set((await world.reconcile()).writes), new Set(['TagObjects']));
      assert.deepEqual(groupsOf(world), before);
    });

    it(`${name}: no rule waits until they move`, async () => {
      const kept = byAddress('kept', 'web');
      const world = await standing(documents('a', [byAddress('goes', 'lb'), kept], spec), { ...estate, ...atOnce });
      await moved(world);
      await world.accept(documents('a', [kept], spec), { ...estate, ...atOnce });
      await world.clock.run(() => world.clock.sleep(2 * hourMs));
      assert.deepEqual((await world.reconcile()).writes, ['RevokeRules']);
    });
  }
});

describe('a machine that its document renames', () => {
  const estate = of({ labels: 'report' });
  const renamed = (tier: string, spec: Readonly<Record<string, unknown>> = {}) => [
    network({ internet: false }),
    rule('https'),
    machine('api', spec, { labels: { tier }, was: ['web'] }),
  ];

  it('keeps drift that is reported', async () => {
    const world = await standing(ground(), estate);
    const id = idOf(world);
    tag(world);
    await world.reconcile();
    await world.accept(renamed('a'), estate);
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.equal(idOf(world), id);
    assert.equal(live(world, 'instance')[0]?.record.tags['tier'], 'by hand');
    assert.match(reason(world), /^withheld: remediation 1$/);
    const settled = (await world.store.inventory.knowledge(where.estate, where.scope)).settled.get(id);
    assert.equal(settled?.address, 'memory/acme/north/instance/api-0', 'it has its new name');
    await world.reconcile();
    assert.equal(live(world, 'instance')[0]?.record.tags['tier'], 'by hand');
  });

  it('gets what the same commit changes besides', async () => {
    const world = await standing(ground(), estate);
    await world.accept(renamed('b'), estate);
    assert.equal((await world.reconcile()).outcome, 'done');
    assert.equal(live(world, 'instance')[0]?.record.tags['tier'], 'b');
  });
});
