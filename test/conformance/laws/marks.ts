import assert from 'node:assert/strict';
import { prefixIn, slotOf } from '../../../src/core/resource.ts';
import { recordedCall } from '../../support/fixtures.ts';
import type { Law } from '../law.ts';
import { created, look, only, seenAfterCreation, wholeNetwork } from '../stage.ts';
import { every, just, labelled, marked, remarkable, where } from '../subject.ts';
import { replicas } from './creation.ts';

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
    kinds: where(just('firewall-rule'), ({ manners }) => manners.owned['firewall-rule'] === 'container'),
    hold: async (stage) => {
      const creation = stage.creation('firewall-rule');
      const { signs } = await seenAfterCreation(stage, creation);
      const { group, network } = creation.desired.attributes;
      assert.deepEqual([signs.container, signs.mark, signs.origin], [group ?? network, undefined, undefined]);
    },
  },
  {
    name: 'what bears no mark says what it stands in',
    kinds: (subject) => every(subject).filter((kind) => subject.manners.owned[kind] === 'parent'),
    hold: async (stage, kind) => {
      const { signs } = await seenAfterCreation(stage, stage.creation(kind));
      assert.deepEqual([signs.parent, signs.mark], [stage.home.network, undefined]);
    },
  },
  {
    name: 'where names are unique a thing says which it takes',
    kinds: (subject) =>
      marked(subject).filter((kind) => kind !== 'subnet' && subject.dialect.rules.contentName === undefined),
    hold: async (stage, kind) => {
      const { desired } = stage.creation(kind);
      const creation = { ...stage.creation(kind), desired };
      const { signs } = await seenAfterCreation(stage, creation);
      assert.equal(signs.slot, slotOf(prefixIn(desired.address, kind), kind, desired.name));
    },
  },
  {
    name: 'the parts of a network are not networks, and do not bear labels of ours',
    kinds: just('network'),
    hold: async (stage) => {
      const whole = stage.creation('network', wholeNetwork(stage.subject));
      const { condition, attributes } = await seenAfterCreation(stage, whole);
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
    kinds: just('instance'),
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
    kinds: just('instance'),
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
    kinds: remarkable,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind, labelled(stage.subject).includes(kind) ? { labels: { tier: 'web' } } : {});
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
      const seen = await look(stage, kind, observed.id);
      assert.deepEqual(seen?.signs.mark, mark);
      assert.deepEqual(seen?.attributes, observed.attributes);
    },
  },
  {
    name: 'one machine of a launch is marked anew alone',
    kinds: just('instance'),
    hold: async (stage, kind) => {
      const batch = replicas(stage, kind);
      await stage.harness.run(() => stage.actuator(kind).create(batch, recordedCall()));
      const machines = await stage.listed(kind);
      const second = machines.find(({ signs }) => signs.mark?.address?.endsWith('fleet-1'));
      const creation = batch[1];
      assert.ok(second && creation);
      const mark = { ...creation.mark, address: creation.mark.address.replace('fleet-1', 'pool-5') };
      const revision = { desired: creation.desired, observed: second, changes: [], mark };
      only(await stage.harness.run(() => stage.actuator(kind).update([revision], recordedCall())), 'marking');
      const names = (await stage.listed(kind)).map(({ signs }) => signs.mark?.address?.replace(/^.*\//, ''));
      assert.deepEqual(names.toSorted(), ['fleet-0', 'fleet-2', 'pool-5']);
    },
  },
  {
    name: 'a thing made by hand is adopted by marking it',
    kinds: remarkable,
    hold: async (stage, kind) => {
      const id = await stage.harness.byHand.make(kind, stage.home.network);
      const observed = await look(stage, kind, id);
      assert.ok(observed && observed.signs.mark === undefined);
      const { desired, mark } = stage.creation(kind);
      const revision = { desired: { ...desired, attributes: observed.attributes }, observed, changes: [], mark };
      only(await stage.harness.run(() => stage.actuator(kind).update([revision], recordedCall())), 'marking');
      assert.deepEqual((await look(stage, kind, id))?.signs.mark, mark);
    },
  },
  {
    name: 'things made by hand are adopted together by equal marks, which name no address',
    kinds: (subject) => (subject.dialect.holds.equalMarks ? remarkable(subject) : []),
    hold: async (stage, kind) => {
      const ids = [
        await stage.harness.byHand.make(kind, stage.home.network),
        await stage.harness.byHand.make(kind, stage.home.network),
      ];
      const { desired, mark } = stage.creation(kind);
      const equal = { estate: mark.estate, store: mark.store };
      const revisions = await Promise.all(
        ids.map(async (id) => {
          const observed = await look(stage, kind, id);
          assert.ok(observed && observed.signs.mark === undefined);
          return { desired: { ...desired, attributes: observed.attributes }, observed, changes: [], mark: equal };
        }),
      );
      const marking = await stage.harness.run(() => stage.actuator(kind).update(revisions, recordedCall()));
      assert.deepEqual(
        marking.map(({ ok }) => ok),
        [true, true],
      );
      for (const [at, id] of ids.entries()) {
        const seen = await look(stage, kind, id);
        assert.deepEqual(seen?.signs.mark, equal);
        assert.deepEqual(seen?.attributes, revisions[at]?.observed.attributes);
      }
    },
  },
  {
    name: 'two with equal names stay two',
    kinds: (subject) =>
      just('network', 'instance')(subject).filter((kind) => !subject.dialect.holds.oneByName.includes(kind)),
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
