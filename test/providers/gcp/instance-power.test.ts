import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import { type Estate, instanceOf, makeEstate, said, seen } from './estate.ts';
import { type Change, change, type Machine, machineIn, wireOf, withMachine } from './machines.ts';

let estate: Estate;
before(async () => {
  estate = await makeEstate();
});
after(() => estate.stage.close());

const steps = async (it: Machine, to: Change, fields: readonly string[]): Promise<readonly string[]> => {
  const call = recordedCall();
  assert.equal(said(await change(estate, it, { to, fields }, call)), 'ok');
  return writesOf(call).map((action) => action.replace('instances.', ''));
};
const robot = 'robot@acme.iam.gserviceaccount.com';

describe('size, identity and power', () => {
  test('a size of a running machine: stop, set, start', async () =>
    assert.deepEqual(await steps(await machineIn(estate), withMachine({ size: 'e2-medium' }), ['machine.size']), [
      'stop',
      'setMachineType',
      'start',
    ]));
  test('size and identity: one stop for both', async () => {
    const it = await machineIn(estate);
    const to = withMachine({ size: 'e2-medium', identity: robot });
    assert.deepEqual(await steps(it, to, ['machine.size', 'machine.identity']), [
      'stop',
      'setMachineType',
      'setServiceAccount',
      'start',
    ]);
    assert.deepEqual((await wireOf(estate, it.observed.id)).serviceAccounts, [
      { email: robot, scopes: ['https://www.googleapis.com/auth/cloud-platform'] },
    ]);
  });
  test('an identity is taken away too', async () => {
    const base = instanceOf(estate, 'x').desired.attributes.machine;
    const it = await machineIn(estate, { machine: { ...base, identity: robot } });
    const to: Change = (was) => ({ ...was, machine: base });
    assert.deepEqual(await steps(it, to, ['machine.identity']), ['stop', 'setServiceAccount', 'start']);
    assert.deepEqual((await wireOf(estate, it.observed.id)).serviceAccounts ?? [], []);
  });
  test('power alone', async () => {
    const it = await machineIn(estate);
    assert.deepEqual(await steps(it, withMachine({ power: 'stopped' }), ['machine.power']), ['stop']);
    assert.deepEqual(await steps(it, withMachine({ power: 'stopped' }), ['machine.power']), []);
    assert.deepEqual(await steps(it, withMachine({ power: 'running' }), ['machine.power']), ['start']);
  });
  test('a size, and to stand still: it is not started', async () =>
    assert.deepEqual(
      await steps(await machineIn(estate), withMachine({ size: 'e2-medium', power: 'stopped' }), [
        'machine.size',
        'machine.power',
      ]),
      ['stop', 'setMachineType'],
    ));
});

describe('identity and tags: a rule names machines by either', () => {
  const base = () => instanceOf(estate, 'x').desired.attributes;
  const become =
    (groups: readonly string[], identity?: string): Change =>
    (was) => {
      const { identity: _, ...machine } = was.machine;
      return { ...was, groups, machine: { ...machine, ...(identity === undefined ? {} : { identity }) } };
    };
  const fields = ['groups', 'machine.identity'];
  const tagsOn = async (it: Machine) => ((await wireOf(estate, it.observed.id)).tags?.items ?? []).toSorted();

  for (const [name, from, to, want] of [
    ['tags alone', become(['tag:a'], robot), become(['tag:b'], robot), ['setTags']],
    [
      'a tag gives way to an identity: it goes after that',
      become(['tag:a', 'tag:all']),
      become(['tag:all'], robot),
      ['stop', 'setServiceAccount', 'setTags', 'start'],
    ],
    [
      'an identity gives way to a tag: it comes before that',
      become(['tag:all'], robot),
      become(['tag:a', 'tag:all']),
      ['stop', 'setTags', 'setServiceAccount', 'start'],
    ],
    [
      'with another identity it has both tags for a while',
      become(['tag:a'], robot),
      become(['tag:b'], `other-${robot}`),
      ['stop', 'setTags', 'setServiceAccount', 'setTags', 'start'],
    ],
  ] as const)
    test(name, async () => {
      const it = await machineIn(estate, from(base()));
      assert.deepEqual(await steps(it, to, fields), want);
      assert.deepEqual(
        await tagsOn(it),
        (to(base()).groups ?? []).map((tag) => tag.slice('tag:'.length)),
      );
    });

  test('an identity that is refused leaves it in every group of before', async () => {
    const it = await machineIn(estate, become(['tag:a'], robot)(base()));
    const { faults } = estate.stage.sandbox.control;
    faults.add({
      match: { action: 'compute.instances.setServiceAccount', times: 1 },
      effect: { kind: 'access-denied' },
    });
    assert.notEqual(said(await change(estate, it, { to: become(['tag:b'], `other-${robot}`), fields })), 'ok');
    const now = await wireOf(estate, it.observed.id);
    assert.deepEqual([await tagsOn(it), now.status, now.serviceAccounts?.[0]?.email], [['a', 'b'], 'RUNNING', robot]);
  });
});

describe('what is interrupted or refused half way', () => {
  for (const [at, left] of [
    ['setMachineType', ['setMachineType', 'start']],
    ['start', ['start']],
  ] as const) {
    test(`interrupted before ${at}: whoever comes next sees a stopped machine, and goes on`, async () => {
      const it = await machineIn(estate);
      const stop = new AbortController();
      const call = recordedCall(stop.signal, ({ action }) => {
        if (action === `instances.${at}`) stop.abort(new Error('the lease is lost'));
        stop.signal.throwIfAborted();
      });
      await change(estate, it, { to: withMachine({ size: 'e2-medium' }), fields: ['machine.size'] }, call).catch(
        () => undefined,
      );
      estate.stage.sandbox.control.clock.advance(60_000);
      const observed = await seen(estate, 'instance', it.observed.id);
      assert.equal(observed.attributes.machine.power, 'stopped');
      const fields = ['machine.size', 'machine.power'].filter((field) => at !== 'start' || field !== 'machine.size');
      assert.deepEqual(await steps({ ...it, observed }, withMachine({ size: 'e2-medium' }), fields), left);
      assert.equal((await wireOf(estate, it.observed.id)).status, 'RUNNING');
    });
  }

  test('a size that is refused leaves the machine running as it was', async () => {
    const it = await machineIn(estate);
    const result = await change(estate, it, { to: withMachine({ size: 'no-such-size' }), fields: ['machine.size'] });
    assert.equal(result.ok, false);
    assert.equal((await wireOf(estate, it.observed.id)).status, 'RUNNING');
  });
});
