import assert from 'node:assert/strict';
import type { Observed } from '../../../src/core/observed.ts';
import type { CloudId, Kind } from '../../../src/core/resource.ts';
import { recordedCall } from '../../support/fixtures.ts';
import type { Law } from '../law.ts';
import { created, failureKinds, look, only, removalOf, seenAfterCreation, wholeNetwork } from '../stage.ts';
import { every, just } from '../subject.ts';

export const deletionLaws: readonly Law[] = [
  {
    name: 'what is deleted is not listed as present, and cannot be read',
    kinds: every,
    hold: async (stage, kind) => {
      const observed = await seenAfterCreation(stage, stage.creation(kind));
      only(
        await stage.harness.run(() => stage.actuator(kind).delete([removalOf(observed)], recordedCall())),
        'deleting',
      );
      assert.ok(['gone', undefined].includes((await look(stage, kind, observed.id))?.condition.state));
      const read = await stage.harness.run(() => stage.actuator(kind).read([observed.id], recordedCall()));
      assert.ok(['gone', undefined].includes(only(read, 'reading')?.condition.state));
    },
  },
  {
    name: 'deleting what is gone succeeds',
    kinds: every,
    hold: async (stage, kind) => {
      const observed = await seenAfterCreation(stage, stage.creation(kind));
      const remove = () => stage.harness.run(() => stage.actuator(kind).delete([removalOf(observed)], recordedCall()));
      only(await remove(), 'deleting');
      await stage.harness.settle();
      only(await remove(), 'deleting again');
    },
  },
  {
    name: 'deleting what never was succeeds',
    kinds: every,
    hold: async (stage, kind) => {
      const observed = await seenAfterCreation(stage, stage.creation(kind));
      const id = stage.harness.words.nowhere(kind);
      const removal = { id, observed: { ...observed, id, attributes: stage.creation(kind).desired.attributes } };
      only(await stage.harness.run(() => stage.actuator(kind).delete([removal], recordedCall())), 'deleting nothing');
      assert.ok(await look(stage, kind, observed.id), 'the other one stays');
    },
  },
  {
    name: 'a batch goes, in order, though one of it is gone',
    kinds: every,
    hold: async (stage, kind) => {
      const all: Observed[] = [];
      for (let i = 0; i < 3; i++) all.push(await seenAfterCreation(stage, stage.creation(kind)));
      await stage.harness.byHand.remove(kind, all[1]?.id ?? '');
      await stage.harness.settle();
      const results = await stage.harness.run(() => stage.actuator(kind).delete(all.map(removalOf), recordedCall()));
      assert.deepEqual(failureKinds(results), ['ok', 'ok', 'ok']);
      for (const { id } of all) assert.ok(['gone', undefined].includes((await look(stage, kind, id))?.condition.state));
    },
  },
  {
    name: 'what is deleted makes room for the same again',
    kinds: every,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind);
      const first = await seenAfterCreation(stage, creation);
      only(await stage.harness.run(() => stage.actuator(kind).delete([removalOf(first)], recordedCall())), 'deleting');
      await stage.harness.settle();
      const again = { ...creation, token: 'again', mark: { ...creation.mark, intent: 'again' } };
      const { id } = await created(stage, again);
      assert.ok(await look(stage, kind, id));
      // why: atoms are named by their content, or in their container, and an Azure subnet by its path
      if (stage.subject.manners.owned[kind] === 'mark') assert.notEqual(id, first.id);
    },
  },
  {
    name: 'what is deleted leaves no part behind',
    kinds: just('network', 'instance'),
    hold: async (stage, kind) => {
      const before = await stage.harness.byHand.parts();
      const creation =
        kind === 'network' ? stage.creation('network', wholeNetwork(stage.subject)) : stage.creation(kind);
      const observed = await seenAfterCreation<Kind>(stage, creation);
      only(
        await stage.harness.run(() => stage.actuator(kind).delete([removalOf(observed)], recordedCall())),
        'deleting',
      );
      assert.ok(['gone', undefined].includes((await look(stage, kind, observed.id))?.condition.state));
      assert.deepEqual(await stage.harness.byHand.parts(), before);
    },
  },
  {
    name: 'what is in use stays, and that is a conflict',
    kinds: just('network', 'subnet', 'group'),
    hold: async (stage, kind) => {
      await created(stage, stage.creation('instance'));
      const { network, subnet, groups } = stage.home;
      const homes: Partial<Record<Kind, CloudId>> = { network, subnet, group: groups[0] };
      const id = homes[kind] ?? '';
      const observed = await look(stage, kind, id);
      assert.ok(observed);
      const results = await stage.harness.run(() => stage.actuator(kind).delete([removalOf(observed)], recordedCall()));
      assert.deepEqual(failureKinds(results), ['conflict']);
      assert.deepEqual((await look(stage, kind, id))?.attributes, observed.attributes, 'and it stays whole');
    },
  },
];
