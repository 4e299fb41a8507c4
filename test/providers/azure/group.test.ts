import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { location } from '../../support/azure-session.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import {
  byHand,
  codes,
  createOne,
  estates,
  groupOf,
  inGroup,
  listOf,
  must,
  networkOf,
  revisionTo,
  ruleOf,
  seen,
} from './estate.ts';

const estate = estates();

const asg = inGroup('applicationSecurityGroups/core-web');
const vnet = inGroup('virtualNetworks/core');

describe('the network of a group', () => {
  test('is told by its mark', async () => {
    const { session, network, group } = await estate();
    assert.deepEqual((await seen(session, 'group', 'core-web')).attributes, { network: network.id, labels: {} });
    assert.equal(group.attributes.network, network.id);
  });

  test('is told by its number while the network is renamed and the group not yet', async () => {
    const { session, network } = await estate();
    const creation = networkOf('core');
    const mark = { ...creation.mark, address: creation.mark.address.replace('core', 'main') };
    must((await session.actuators.network.update([{ ...revisionTo(creation, network, {}), mark }], recordedCall()))[0]);
    assert.equal((await seen(session, 'group', 'core-web')).attributes.network, network.id);
  });

  test('is the new one where the network was lost and made again', async () => {
    const { stage, session, network } = await estate();
    await byHand(stage, 'DELETE', vnet);
    const again = await createOne(session, networkOf('core'));
    assert.notEqual(again.id, network.id);
    assert.equal((await seen(session, 'group', 'core-web')).attributes.network, again.id);
  });

  test('is not known of a group that others made', async () => {
    const { stage, session } = await estate();
    await byHand(stage, 'PUT', inGroup('applicationSecurityGroups/lab'), { location });
    const lab = await seen(session, 'group', 'lab');
    assert.deepEqual([lab.attributes.network, lab.signs.mark], ['', undefined]);
  });
});

describe('a group', () => {
  test('by a name that is taken is a conflict, and the other stays', async () => {
    const { stage, session, network } = await estate();
    await byHand(stage, 'PUT', inGroup('applicationSecurityGroups/core-lb'), { location, tags: { owner: 'lab' } });
    const results = await session.actuators.group.create([groupOf('core.lb', network.id)], recordedCall());
    assert.deepEqual(codes(results), ['conflict NameTaken']);
    assert.deepEqual((await byHand(stage, 'GET', inGroup('applicationSecurityGroups/core-lb'))).tags, { owner: 'lab' });
  });

  test('whose answer was lost is found again, and there is one', async () => {
    const { stage, session, network } = await estate();
    stage.sandbox.control.faults.add({
      match: { action: 'applicationSecurityGroups.createOrUpdate', nth: 1 },
      effect: { kind: 'reset-after' },
    });
    const creation = groupOf('core.lb', network.id);
    assert.deepEqual(codes(await session.actuators.group.create([creation], recordedCall())), ['ambiguous ECONNRESET']);
    stage.sandbox.control.clock.advance(600_000);
    const call = recordedCall();
    must((await session.actuators.group.create([creation], call))[0]);
    assert.deepEqual(writesOf(call), []);
    assert.equal((await listOf(session, 'group')).length, 2);
  });

  test('that a rule names stays, and that is a conflict', async () => {
    const one = await estate();
    await createOne(one.session, ruleOf(one, 'a-00000000'));
    const { delete: remove } = one.session.actuators.group;
    const results = await remove([{ id: one.group.id, observed: one.group }], recordedCall());
    assert.equal(codes(results)[0]?.split(' ')[0], 'conflict', codes(results)[0]);
    assert.equal((await byHand(one.stage, 'GET', asg)).status, 200);
  });

  test('goes, and going again is done', async () => {
    const { session, group } = await estate();
    const { delete: remove } = session.actuators.group;
    for (let time = 0; time < 2; time++)
      assert.deepEqual(codes(await remove([{ id: group.id, observed: group }], recordedCall())), ['ok']);
  });

  test('that was made again by hand is not the one that we knew', async () => {
    const { stage, session, group } = await estate();
    await byHand(stage, 'DELETE', asg);
    await byHand(stage, 'PUT', asg, { location });
    const { read, delete: remove } = session.actuators.group;
    assert.deepEqual(await read([group.id], recordedCall()), [{ ok: true, value: undefined }]);
    assert.deepEqual(codes(await remove([{ id: group.id, observed: group }], recordedCall())), ['ok']);
    assert.equal((await byHand(stage, 'GET', asg)).status, 200);
  });
});
