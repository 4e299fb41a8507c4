import assert from 'node:assert/strict';
import type { Kind } from '../../../src/core/resource.ts';
import { recordedCall } from '../../support/fixtures.ts';
import type { Law } from '../law.ts';
import { created, only, seenAfterCreation } from '../stage.ts';
import { replicas } from './creation.ts';

const marked: readonly Kind[] = ['network', 'subnet', 'group', 'instance'];

export const markLaws: readonly Law[] = [
  {
    name: 'the mark is written by the creation and read back whole',
    kinds: marked,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind);
      const { signs } = await seenAfterCreation(stage, creation);
      assert.deepEqual(signs.mark, creation.mark);
    },
  },
  {
    name: 'an atom is owned through its container',
    kinds: ['firewall-rule'],
    hold: async (stage) => {
      const { signs } = await seenAfterCreation(stage, stage.creation('firewall-rule'));
      assert.deepEqual(signs, { container: stage.home.groups[0] });
    },
  },
  {
    name: 'the parts of a network are not networks, and do not bear labels of ours',
    kinds: ['network'],
    hold: async (stage) => {
      const { condition, attributes } = await seenAfterCreation(stage, stage.creation('network', { internet: true }));
      const networks = await stage.listed('network');
      for (const { id } of condition.parts ?? []) assert.ok(!networks.some((other) => other.id === id));
      assert.deepEqual(
        Object.keys(attributes.labels).filter((key) => key.includes('setpoint')),
        [],
      );
    },
  },
  {
    name: 'three machines of one launch bear three ordinals',
    kinds: ['instance'],
    hold: async (stage, kind) => {
      const batch = replicas(stage, kind);
      const results = await stage.harness.run(() => stage.actuator(kind).create(batch, recordedCall()));
      const wanted = batch.map(({ mark }) => mark.address);
      assert.deepEqual(
        results.map((result) => only([result], 'a launch').signs.mark?.address),
        wanted,
      );
      const listed = (await stage.listed(kind)).map(({ signs }) => signs.mark?.address);
      assert.deepEqual(listed.filter((address) => address !== undefined).toSorted(), wanted);
    },
  },
  {
    name: 'a launch that begins anywhere counts from there',
    kinds: ['instance'],
    hold: async (stage, kind) => {
      const batch = [9, 7, 8, 11].map((ordinal) => stage.creation(kind, {}, `fleet-${ordinal}`));
      const results = await stage.harness.run(() => stage.actuator(kind).create(batch, recordedCall()));
      const addresses = results.map((result) => only([result], 'a launch').signs.mark?.address);
      assert.deepEqual(
        addresses,
        batch.map(({ mark }) => mark.address),
      );
    },
  },
  {
    name: 'a new mark replaces the old one, and nothing else changes',
    kinds: marked,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind, { labels: { tier: 'web' } });
      const observed = await seenAfterCreation(stage, creation);
      const address = creation.mark.address.replace(/[^/]*$/, 'renamed-7');
      const mark = {
        ...creation.mark,
        store: 'store-2',
        address,
        deletionPolicy: 'retain' as const,
        intent: 'intent-new',
      };
      const revision = { desired: creation.desired, observed, changes: [], mark };
      only(await stage.harness.run(() => stage.actuator(kind).update([revision], recordedCall())), 'marking');
      const seen = await stage.look(kind, observed.id);
      assert.deepEqual(seen?.signs.mark, mark);
      assert.deepEqual(seen?.attributes, observed.attributes);
    },
  },
  {
    name: 'one machine of a launch is marked anew alone',
    kinds: ['instance'],
    hold: async (stage, kind) => {
      const batch = replicas(stage, kind);
      await stage.harness.run(() => stage.actuator(kind).create(batch, recordedCall()));
      const machines = await stage.listed(kind);
      const second = machines.find(({ signs }) => signs.mark?.address.endsWith('fleet-1'));
      const creation = batch[1];
      assert.ok(second && creation);
      const mark = { ...creation.mark, address: creation.mark.address.replace('fleet-1', 'pool-5') };
      const revision = { desired: creation.desired, observed: second, changes: [], mark };
      only(await stage.harness.run(() => stage.actuator(kind).update([revision], recordedCall())), 'marking');
      const names = (await stage.listed(kind)).map(({ signs }) => signs.mark?.address.replace(/^.*\//, ''));
      assert.deepEqual(names.toSorted(), ['fleet-0', 'fleet-2', 'pool-5']);
    },
  },
  {
    name: 'a thing made by hand is adopted by marking it',
    kinds: marked,
    hold: async (stage, kind) => {
      const id = await stage.harness.byHand.make(kind, stage.home.network);
      const observed = await stage.look(kind, id);
      assert.ok(observed && observed.signs.mark === undefined);
      const { desired, mark } = stage.creation(kind);
      const revision = { desired: { ...desired, attributes: observed.attributes }, observed, changes: [], mark };
      only(await stage.harness.run(() => stage.actuator(kind).update([revision], recordedCall())), 'marking');
      assert.deepEqual((await stage.look(kind, id))?.signs.mark, mark);
    },
  },
  {
    name: 'two with equal names stay two',
    kinds: ['network', 'instance'],
    hold: async (stage, kind) => {
      const one = stage.creation(kind, {}, 'twin-0');
      const other = stage.creation(kind, {}, 'twin-0');
      const mark = { ...other.mark, intent: 'another' };
      const ids = [await created(stage, one), await created(stage, { ...other, token: 'another', mark })].map(
        ({ id }) => id,
      );
      assert.equal(new Set(ids).size, 2);
    },
  },
];
