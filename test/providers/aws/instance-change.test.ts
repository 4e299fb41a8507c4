import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { scope } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf, codes, createOne, type Estate, groupOf, instanceOf, makeEstate, must } from './estate.ts';
import { type Change, revision, running, seen, settle } from './machines.ts';

let estate: Estate;
before(async () => {
  estate = await makeEstate(true);
});
beforeEach(() => {
  estate.stage.sandbox.control.faults.clear();
  estate.stage.sandbox.control.log.clear();
});
after(() => estate.stage.close());

const instances = () => estate.session.actuators.instance;
const log = () => estate.stage.sandbox.control.log;
const faults = () => estate.stage.sandbox.control.faults;

test('power, many in one call', async () => {
  const machines = [await running(estate, 'p1'), await running(estate, 'p2')];
  const off = machines.map((each) =>
    revision(each, (a) => ({ ...a, machine: { ...a.machine, power: 'stopped' } }), [
      { field: 'machine.power', to: 'stopped' },
    ]),
  );
  assert.deepEqual(codes(await instances().update(off, recordedCall())), ['ok', 'ok']);
  assert.deepEqual(
    actionsOf(estate.stage)
      .filter((action) => !action.startsWith('Describe'))
      .at(-1),
    'StopInstances',
  );
  settle(estate);
  const [first] = machines;
  assert.equal((await seen(estate, first?.observed.id ?? '')).attributes.machine.power, 'stopped');
});

test('size: stop, wait, change, start, together for many', async () => {
  const machines = [await running(estate, 's1'), await running(estate, 's2')];
  log().clear();
  const bigger = machines.map((each) =>
    revision(each, (a) => ({ ...a, machine: { ...a.machine, size: 't3.large' } }), [
      { field: 'machine.size', to: 't3.large' },
    ]),
  );
  assert.deepEqual(codes(await instances().update(bigger, recordedCall())), ['ok', 'ok']);
  const writes = actionsOf(estate.stage).filter((action) => !action.startsWith('Describe'));
  assert.deepEqual(writes, ['StopInstances', 'ModifyInstanceAttribute', 'ModifyInstanceAttribute', 'StartInstances']);
  settle(estate);
  for (const { observed } of machines) {
    const { size, power } = (await seen(estate, observed.id)).attributes.machine;
    assert.deepEqual([size, power], ['t3.large', 'running']);
  }
});

test('size under an ignored power: who stood still stays so, who ran runs again', async () => {
  const [ran, stood] = [await running(estate, 's4'), await running(estate, 's5')];
  const off = revision(stood, (a) => ({ ...a, machine: { ...a.machine, power: 'stopped' } }), [
    { field: 'machine.power', to: 'stopped' },
  ]);
  assert.deepEqual(codes(await instances().update([off], recordedCall())), ['ok']);
  settle(estate);
  const still = { ...stood, observed: await seen(estate, stood.observed.id) };
  const bigger = [
    { of: ran, power: 'stopped' as const },
    { of: still, power: 'running' as const },
  ].map(({ of, power }) =>
    revision(of, (a) => ({ ...a, machine: { ...a.machine, size: 't3.large', power } }), [
      { field: 'machine.size', to: 't3.large' },
    ]),
  );
  assert.deepEqual(codes(await instances().update(bigger, recordedCall())), ['ok', 'ok']);
  settle(estate);
  const powers = [ran, stood].map(async ({ observed }) => (await seen(estate, observed.id)).attributes.machine.power);
  assert.deepEqual(await Promise.all(powers), ['running', 'stopped']);
});

test('a size that is refused: the machine runs again, and the refusal is told', async () => {
  const machine = await running(estate, 's3');
  faults().add({
    match: { action: 'ModifyInstanceAttribute' },
    effect: { kind: 'error', code: 'InvalidParameterValue', status: 400 },
  });
  const wish = revision(machine, (a) => ({ ...a, machine: { ...a.machine, size: 't9.huge' } }), [
    { field: 'machine.size', to: 't9.huge' },
  ]);
  assert.deepEqual(codes(await instances().update([wish], recordedCall())), ['InvalidParameterValue']);
  settle(estate);
  assert.equal((await seen(estate, machine.observed.id)).attributes.machine.power, 'running');
});

test('groups, profile, disk and labels', async () => {
  const lb = await createOne(estate.session, groupOf('core.lb', estate.network.id));
  const machine = await running(estate, 'many', { disk: { size: 20 }, labels: { tier: 'a' } });
  const wish = revision(
    machine,
    (a) => ({
      ...a,
      groups: [lb.id],
      machine: { ...a.machine, identity: 'web-role' },
      disk: { size: 30, type: 'gp3' },
      labels: { tier: 'b' },
    }),
    [
      { field: 'groups', to: [lb.id] },
      { field: 'machine.identity', to: 'web-role' },
      { field: 'disk.size', from: 20, to: 30 },
      { field: 'disk.type', to: 'gp3' },
      { field: 'labels.tier', from: 'a', to: 'b' },
    ],
  );
  assert.deepEqual(codes(await instances().update([wish], recordedCall())), ['ok']);
  settle(estate);
  const { groups, machine: now, disk, labels } = (await seen(estate, machine.observed.id)).attributes;
  assert.deepEqual(
    [groups, now.identity, disk?.size, disk?.type, labels['tier']],
    [[lb.id], 'web-role', 30, 'gp3', 'b'],
  );
});

test('a profile is replaced and taken away', async () => {
  const machine = await running(estate, 'role', {
    machine: { image: 'ami-0abc0abc0abc0abc0', size: 't3.small', identity: 'web-role', power: 'running' },
  });
  for (const identity of ['other-role', undefined]) {
    const change: Change = ({ machine: { identity: _, ...rest }, ...a }) => ({
      ...a,
      machine: identity === undefined ? rest : { ...rest, identity },
    });
    const wish = revision(machine, change, [
      identity === undefined ? { field: 'machine.identity' } : { field: 'machine.identity', to: identity },
    ]);
    assert.deepEqual(codes(await instances().update([wish], recordedCall())), ['ok']);
    settle(estate);
    assert.equal((await seen(estate, machine.observed.id)).attributes.machine.identity, identity);
  }
});

test('equal labels for many machines are one call', async () => {
  const machines = [await running(estate, 'l1'), await running(estate, 'l2')];
  log().clear();
  const wish = machines.map((each) =>
    revision(each, (a) => ({ ...a, labels: { tier: 'x' } }), [{ field: 'labels.tier', to: 'x' }]),
  );
  assert.deepEqual(codes(await instances().update(wish, recordedCall())), ['ok', 'ok']);
  assert.deepEqual(actionsOf(estate.stage), ['CreateTags']);
});

test('a new mark names the machine itself', async () => {
  const [first, second] = (
    await instances().create(
      [0, 1].map((n) => instanceOf(estate, ['adopt', n])),
      recordedCall(),
    )
  ).map(must);
  assert.ok(first && second);
  const mark = {
    estate: 'acme',
    store: 'store-2',
    address: `${scope}/instance/adopt-1`,
    deletionPolicy: 'retain' as const,
  };
  const { desired } = instanceOf(estate, ['adopt', 1]);
  assert.deepEqual(
    codes(
      await instances().update(
        [{ desired, observed: await seen(estate, second.id), changes: [], mark }],
        recordedCall(),
      ),
    ),
    ['ok'],
  );
  const { address, store, deletionPolicy } = (await seen(estate, second.id)).signs.mark ?? {};
  assert.deepEqual({ estate: 'acme', store, address, deletionPolicy }, mark);
  assert.equal((await seen(estate, first.id)).signs.mark?.address, `${scope}/instance/adopt-0`);
});

test('what takes a new machine is refused before any call', async () => {
  const machine = await running(estate, 'image');
  const wish = revision(machine, (a) => a, [{ field: 'machine.image', to: 'ami-2' }]);
  assert.deepEqual(codes(await instances().update([wish], recordedCall())), ['Immutable']);
  assert.deepEqual(actionsOf(estate.stage), []);
});
