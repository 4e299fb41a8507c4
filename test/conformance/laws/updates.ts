import assert from 'node:assert/strict';
import type { Attributes, Kind } from '../../../src/core/resource.ts';
import type { Revision } from '../../../src/ports/actuator.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import type { Law } from '../law.ts';
import { changesBetween, failureKinds, only, revisionOf, type Stage, seenAfterCreation } from '../stage.ts';

/** A field that may change in place. */
type Edit = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly name: string;
    readonly from?: (stage: Stage) => Partial<Attributes[K]>;
    readonly to: (was: Attributes[K], stage: Stage) => Attributes[K];
  };
}[Kind];

const power = (to: 'running' | 'stopped') => (was: Attributes['instance']) => ({
  ...was,
  machine: { ...was.machine, power: to },
});

const edits: readonly Edit[] = [
  { kind: 'network', name: 'a new label', to: (was) => ({ ...was, labels: { tier: 'core' } }) },
  {
    kind: 'network',
    name: 'another value of a label',
    from: () => ({ labels: { tier: 'core', kept: 'yes' } }),
    to: (was) => ({ ...was, labels: { ...was.labels, tier: 'edge' } }),
  },
  { kind: 'network', name: 'a way out', to: (was) => ({ ...was, internet: true }) },
  {
    kind: 'network',
    name: 'no way out any more',
    from: () => ({ internet: true }),
    to: (was) => ({ ...was, internet: false }),
  },
  { kind: 'subnet', name: 'a new label', to: (was) => ({ ...was, labels: { tier: 'app' } }) },
  { kind: 'subnet', name: 'a way out', from: () => ({ internet: false }), to: (was) => ({ ...was, internet: true }) },
  {
    kind: 'subnet',
    name: 'no way out any more',
    from: () => ({ internet: true }),
    to: (was) => ({ ...was, internet: false }),
  },
  { kind: 'group', name: 'a new label', to: (was) => ({ ...was, labels: { tier: 'web' } }) },
  { kind: 'firewall-rule', name: 'a description', to: (was) => ({ ...was, description: 'public site' }) },
  {
    kind: 'firewall-rule',
    name: 'no description any more',
    from: () => ({ description: 'public site' }),
    to: (was) => ({ ...was, description: '' }),
  },
  { kind: 'instance', name: 'a new label', to: (was) => ({ ...was, labels: { tier: 'web' } }) },
  { kind: 'instance', name: 'other groups', to: (was, { home }) => ({ ...was, groups: [home.groups[1]] }) },
  { kind: 'instance', name: 'one group more', to: (was, { home }) => ({ ...was, groups: home.groups.toSorted() }) },
  {
    kind: 'instance',
    name: 'another size',
    to: (was, { harness }) => ({ ...was, machine: { ...was.machine, size: harness.words.sizes[1] } }),
  },
  { kind: 'instance', name: 'standing still', to: power('stopped') },
  {
    kind: 'instance',
    name: 'another size, standing still',
    to: (was, { harness }) => ({ ...was, machine: { ...was.machine, size: harness.words.sizes[1], power: 'stopped' } }),
  },
  {
    kind: 'instance',
    name: 'a larger disk',
    from: () => ({ disk: { size: 20 } }),
    to: (was) => ({ ...was, disk: { size: 40 } }),
  },
  {
    kind: 'instance',
    name: 'another type of disk',
    from: ({ harness }) => ({ disk: { type: harness.words.disks[0] } }),
    to: (was, { harness }) => ({ ...was, disk: { type: harness.words.disks[1] } }),
  },
  {
    kind: 'instance',
    name: 'an identity',
    to: (was, { harness: { words } }) => ({ ...was, machine: { ...was.machine, ...identity(words.identities[0]) } }),
  },
  {
    kind: 'instance',
    name: 'another identity',
    from: (stage) => ({
      machine: {
        ...stage.creation('instance').desired.attributes.machine,
        ...identity(stage.harness.words.identities[0]),
      },
    }),
    to: (was, { harness: { words } }) => ({ ...was, machine: { ...was.machine, ...identity(words.identities[1]) } }),
  },
];

const identity = (name: string | undefined): { readonly identity?: string } =>
  name === undefined ? {} : { identity: name };

const every: readonly Kind[] = ['network', 'subnet', 'group', 'firewall-rule', 'instance'];
const labelled: readonly Kind[] = ['network', 'subnet', 'group', 'instance'];

export const updateLaws: readonly Law[] = [
  ...edits.map(sticks),
  ...edits.map(mayBeRepeated),
  {
    name: 'a label that is taken away is gone, and the others stay',
    kinds: labelled,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind, { labels: { tier: 'web', 'a.b': 'dots', kept: 'yes' } });
      const observed = await seenAfterCreation(stage, creation);
      const changes = [
        { field: 'labels.tier', from: 'web' },
        { field: 'labels.a.b', from: 'dots' },
      ];
      const desired = { ...creation.desired, attributes: { ...creation.desired.attributes, labels: { kept: 'yes' } } };
      const revision = { desired, observed, changes };
      only(await stage.harness.run(() => stage.actuator(kind).update([revision], recordedCall())), 'unlabelling');
      const seen = await stage.look(kind, observed.id);
      assert.ok(seen && 'labels' in seen.attributes);
      const { tier, kept, 'a.b': dots } = seen.attributes.labels;
      assert.deepEqual({ tier, dots, kept }, { tier: undefined, dots: undefined, kept: 'yes' });
    },
  },
  {
    name: 'nothing to change: nothing is written',
    kinds: every,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind);
      const observed = await seenAfterCreation(stage, creation);
      const call = recordedCall();
      const revision = { desired: creation.desired, observed, changes: [] };
      only(await stage.harness.run(() => stage.actuator(kind).update([revision], call)), 'changing nothing');
      assert.deepEqual(writesOf(call), []);
    },
  },
  {
    name: 'equal labels of many are written in one call',
    kinds: labelled,
    hold: async (stage, kind) => {
      const revisions = await threeRevisions(stage, kind);
      const call = recordedCall();
      const results = await stage.harness.run(() => stage.actuator(kind).update(revisions, call));
      assert.deepEqual([failureKinds(results), writesOf(call).length], [['ok', 'ok', 'ok'], 1]);
    },
  },
  {
    name: 'one that is gone does not sink the update of the others',
    kinds: every,
    hold: async (stage, kind) => {
      const revisions = await threeRevisions(stage, kind);
      const gone = revisions[1]?.observed.id ?? '';
      await stage.harness.byHand.remove(kind, gone);
      await stage.harness.settle();
      const results = await stage.harness.run(() => stage.actuator(kind).update(revisions, recordedCall()));
      const kinds = failureKinds(results);
      assert.deepEqual([kinds[0], kinds[2]], ['ok', 'ok']);
      for (const revision of [revisions[0], revisions[2]]) {
        const seen = revision && (await stage.look(kind, revision.observed.id));
        assert.deepEqual(seen && changesBetween(kind, revision.desired.attributes, seen.attributes), []);
      }
    },
  },
];

function sticks(edit: Edit): Law {
  return {
    name: `${edit.name}: the change sticks and lists back`,
    kinds: [edit.kind],
    hold: async (stage) => {
      const { revision, update } = await editOn(stage, edit);
      only(await update(), edit.name);
      const seen = await stage.look(edit.kind, revision.observed.id);
      assert.ok(seen, 'it is still the same object');
      assert.deepEqual(changesBetween(edit.kind, revision.desired.attributes, seen.attributes), []);
      assert.deepEqual(seen.signs.mark, revision.observed.signs.mark);
    },
  };
}

function mayBeRepeated(edit: Edit): Law {
  return {
    name: `${edit.name}: the change may be sent again`,
    kinds: [edit.kind],
    hold: async (stage) => {
      const { revision, update } = await editOn(stage, edit);
      only(await update(), edit.name);
      await stage.harness.settle();
      only(await update(), `${edit.name}, again`);
      const seen = await stage.look(edit.kind, revision.observed.id);
      assert.ok(seen, 'it is still the same object');
      assert.deepEqual(changesBetween(edit.kind, revision.desired.attributes, seen.attributes), []);
    },
  };
}

async function editOn(stage: Stage, { kind, from, to }: Edit) {
  const creation = stage.creation(kind, from?.(stage));
  const observed = await seenAfterCreation(stage, creation);
  // why: an edit's `to` takes the attributes of its own kind
  const change = to as (was: Attributes[Kind], stage: Stage) => Attributes[Kind];
  const revision: Revision = revisionOf(creation, observed, change(creation.desired.attributes, stage));
  const update = () => stage.harness.run(() => stage.actuator(kind).update([revision], recordedCall()));
  return { revision, update };
}

/** Three that get the same new label, or description. */
async function threeRevisions(stage: Stage, kind: Kind): Promise<readonly Revision[]> {
  const revisions: Revision[] = [];
  for (const creation of [stage.creation(kind), stage.creation(kind), stage.creation(kind)]) {
    const observed = await seenAfterCreation(stage, creation);
    const { attributes } = creation.desired;
    const next =
      'labels' in attributes ? { ...attributes, labels: { tier: 'web' } } : { ...attributes, description: 'new' };
    revisions.push(revisionOf(creation, observed, next));
  }
  return revisions;
}
