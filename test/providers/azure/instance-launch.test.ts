import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { diff } from '../../../src/core/diff.ts';
import { recordedCall, sshKey, writesOf } from '../../support/fixtures.ts';
import { byHand, codes, createOne, inGroup, must } from './estate.ts';
import {
  compute,
  converge,
  type Land,
  machineOf,
  machineSeen,
  makeLand,
  partsStanding,
  running,
  troubled,
  troubles,
  writesIn,
} from './machines.ts';

let land: Land;
before(async () => {
  land = await makeLand();
});
after(() => land.stage.close());

const publicly = () => ({ placement: { subnet: land.subnet, publicIp: true } });
const ownParts = async (name: string): Promise<readonly string[]> =>
  (await partsStanding(land)).filter((part) => part.startsWith(`${name}-`));
const whole = (name: string): readonly string[] => [`${name}-disk`, `${name}-ip`, `${name}-nic`];

describe('a launch', () => {
  test('makes the address, the interface and the machine, in this order, and says of the disk what it is', async () => {
    const call = recordedCall();
    must((await land.session.actuators.instance.create([machineOf(land, 'order-0', publicly())], call))[0]);
    assert.deepEqual(writesOf(call), [
      'PublicIPAddresses_CreateOrUpdate',
      'NetworkInterfaces_CreateOrUpdate',
      'VirtualMachines_CreateOrUpdate',
      'Disks_Update',
    ]);
  });

  test('marks every part as what it is, and each goes with the machine', async () => {
    await running(land, 'marked-0', publicly());
    const tagsOf = async (path: string) => (await byHand(land.stage, 'GET', path)).tags;
    const address = `${(await machineSeen(land, 'marked-0')).signs.mark?.address}`;
    for (const [path, part] of [
      [inGroup('publicIPAddresses/marked-0-ip'), 'public-address'],
      [inGroup('networkInterfaces/marked-0-nic'), 'network-interface'],
      [compute('disks/marked-0-disk'), 'disk'],
    ] as const) {
      const tags = await tagsOf(path);
      assert.deepEqual([tags?.['setpoint:part'], tags?.['setpoint:address']], [part, address]);
    }
    await byHand(land.stage, 'DELETE', compute('virtualMachines/marked-0'));
    assert.deepEqual(await ownParts('marked-0'), []);
  });

  test('names the machine to itself, and lets its keys in but no password', async () => {
    await running(land, 'login_0');
    const { properties } = await byHand(land.stage, 'GET', compute('virtualMachines/login_0'));
    const system = JSON.stringify(properties?.['osProfile']);
    for (const said of ['"computerName":"login-0"', '"adminUsername":"ops"', '"disablePasswordAuthentication":true'])
      assert.ok(system.includes(said), `${said} in ${system}`);
    assert.ok(system.includes(JSON.stringify({ path: '/home/ops/.ssh/authorized_keys', keyData: sshKey })), system);
  });
});

describe('what a launch is asked for', () => {
  test('without a login is refused before anything is made', async () => {
    const call = { ...recordedCall(), secret: async () => ({ userData: 'x' }) };
    const results = await land.session.actuators.instance.create([machineOf(land, 'nobody-0', publicly())], call);
    assert.deepEqual([codes(results), await ownParts('nobody-0')], [['terminal NoAccess'], []]);
  });

  test('that shall not run is stopped, and its place given back', async () => {
    const off = {
      machine: { image: 'Canonical:ubuntu-24_04-lts:server:latest', size: 'Standard_B2s', power: 'stopped' },
    } as const;
    const made = await createOne(land.session, machineOf(land, 'off-0', off));
    assert.equal(made.attributes.machine.power, 'stopped');
    assert.equal((await machineSeen(land, 'off-0')).attributes.machine.power, 'stopped');
    const view = await byHand(land.stage, 'GET', compute('virtualMachines/off-0/instanceView'));
    assert.match(JSON.stringify(view), /PowerState\/deallocated/);
  });

  test('of many goes side by side, and is answered in order, whatever becomes of one', async () => {
    const batch = [0, 1, 2, 3].map((ordinal) =>
      machineOf(
        land,
        `many-${ordinal}`,
        ordinal === 2 ? { machine: { image: 'No:such:image:1', size: 'Standard_B2s', power: 'running' } } : {},
      ),
    );
    const results = await land.session.actuators.instance.create(batch, recordedCall());
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, true, false, true],
    );
    const names = results.flatMap((result) => (result.ok ? [result.value.name] : []));
    assert.deepEqual(names, ['many-0', 'many-1', 'many-3']);
  });
});

describe('a creation that is sent again with its token', () => {
  test('answers the machine that it made', async () => {
    const creation = machineOf(land, 'again-0', publicly());
    const first = await createOne(land.session, creation);
    const call = recordedCall();
    const again = must((await (await land.stage.open()).actuators.instance.create([creation], call))[0]);
    assert.deepEqual([again.id, writesOf(call)], [first.id, []]);
  });

  for (const nth of [1, 2, 3]) {
    test(`after its ${nth}. answer was lost makes one machine`, async () => {
      const creation = machineOf(land, `lost-${nth}`, publicly());
      const effect = troubles['lost after'];
      const results = await troubled(land, { effect, nth }, () =>
        land.session.actuators.instance.create([creation], recordedCall()),
      );
      assert.deepEqual(
        codes(results).map((code) => code.split(' ')[0]),
        ['ambiguous'],
      );
      await createOne(land.session, creation);
      assert.deepEqual(diff(creation.desired.attributes, (await machineSeen(land, `lost-${nth}`)).attributes), []);
      assert.deepEqual(await ownParts(`lost-${nth}`), whole(`lost-${nth}`));
    });
  }
});

describe('a launch that is interrupted', () => {
  for (const [trouble, effect] of Object.entries(troubles)) {
    test(`by ${trouble} at any of its writes is finished by the next passes, and nothing stands twice or astray`, async () => {
      const off = {
        image: 'Canonical:ubuntu-24_04-lts:server:latest',
        size: 'Standard_B2s',
        power: 'stopped',
      } as const;
      const over = { ...publicly(), machine: off };
      const name = (nth: number | string): string => `${trouble.replace(' ', '')}-${nth}`;
      const steps = await writesIn((call) =>
        land.session.actuators.instance.create([machineOf(land, name('all'), over)], call),
      );
      assert.equal(steps.length, 5);
      for (let nth = 1; nth <= steps.length; nth++) {
        const creation = machineOf(land, name(nth), over);
        await troubled(land, { effect, nth }, () => land.session.actuators.instance.create([creation], recordedCall()));
        await converge(land, creation);
        assert.deepEqual(await ownParts(name(nth)), whole(name(nth)), `write ${nth}`);
        const { condition } = await machineSeen(land, name(nth));
        assert.deepEqual([condition.parts?.length, condition.missing], [3, undefined]);
      }
    });
  }

  test('is seen as a machine that is missing, by the mark of the try, and read as such', async () => {
    const creation = machineOf(land, 'half-0', publicly());
    await troubled(land, { effect: troubles.refuse, nth: 3 }, () =>
      land.session.actuators.instance.create([creation], recordedCall()),
    );
    const seen = await machineSeen(land, 'half-0');
    assert.deepEqual(seen.condition.missing, ['machine']);
    assert.deepEqual(seen.condition.parts?.map(({ part }) => part).toSorted(), ['network-interface', 'public-address']);
    assert.deepEqual([seen.signs.mark, seen.id.includes('#')], [creation.mark, false]);
    assert.deepEqual(
      [seen.attributes.placement, seen.attributes.groups],
      [creation.desired.attributes.placement, creation.desired.attributes.groups],
    );
    const session = await land.stage.open();
    assert.deepEqual(must((await session.actuators.instance.read([seen.id], recordedCall()))[0]), seen);
    await createOne(session, creation);
    assert.equal(must((await session.actuators.instance.read([seen.id], recordedCall()))[0]), undefined);
  });

  test('and asked for otherwise by then is finished as it shall be now', async () => {
    const before = machineOf(land, 'turn-0', publicly());
    await troubled(land, { effect: troubles.refuse, nth: 3 }, () =>
      land.session.actuators.instance.create([before], recordedCall()),
    );
    const now = machineOf(land, 'turn-0', { groups: land.groups.toSorted() });
    await converge(land, now);
    const { condition } = await machineSeen(land, 'turn-0');
    const address = condition.parts?.find(({ part }) => part === 'public-address');
    assert.match(
      address?.id ?? '',
      /turn-0-ip#/,
      'the address that nobody wants any more is known, and goes with the machine',
    );
    const half = compute('virtualMachines/turn-0').toLowerCase();
    const [read] = await land.session.actuators.instance.read([half], recordedCall());
    assert.equal(must(read), undefined, 'it is no half of anything any more');
  });
});
