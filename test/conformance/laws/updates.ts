import assert from 'node:assert/strict';
import type { Result } from '../../../src/core/failure.ts';
import type { Attributes, Kind } from '../../../src/core/resource.ts';
import type { Revision } from '../../../src/ports/provider.ts';
import { type RecordedCall, recordedCall, writesOf } from '../../support/fixtures.ts';
import { edited } from '../edited.ts';
import { type Edit, edits } from '../edits.ts';
import type { Law } from '../law.ts';
import { changesBetween, failureKinds, look, only, revisionOf, type Stage, seenAfterCreation } from '../stage.ts';
import { every, just, labelled, leaveTogether, type Subject, where } from '../subject.ts';

export const updateLaws: readonly Law[] = [
  ...edits.map(sticks),
  ...edits.map(mayBeRepeated),
  ...edits.map(isRefused),
  {
    name: 'a label that is taken away is gone, and the others stay',
    kinds: labelled,
    hold: async (stage, kind) => {
      // why: a key with a dot, where the cloud takes one, is one key and no path
      const dotted = Object.keys(stage.harness.words.labels).find((key) => key.includes('.')) ?? 'plain';
      const creation = stage.creation(kind, { labels: { tier: 'web', [dotted]: 'dots', kept: 'yes' } });
      const observed = await seenAfterCreation(stage, creation);
      const changes = [
        { field: 'labels.tier', from: 'web' },
        { field: `labels.${dotted}`, from: 'dots' },
      ];
      const desired = { ...creation.desired, attributes: { ...creation.desired.attributes, labels: { kept: 'yes' } } };
      const revision = { desired, observed, changes };
      only(await stage.harness.run(() => stage.actuator(kind).update([revision], recordedCall())), 'unlabelling');
      const seen = await look(stage, kind, observed.id);
      assert.ok(seen && 'labels' in seen.attributes);
      const { tier, kept, [dotted]: dots } = seen.attributes.labels;
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
    kinds: where(labelled, leaveTogether('labels')),
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
        const seen = revision && (await look(stage, kind, revision.observed.id));
        assert.deepEqual(seen && changesBetween(kind, revision.desired.attributes, seen.attributes), []);
      }
    },
  },
];

function sticks(edit: Edit): Law {
  return {
    name: `${edit.name}: the change sticks and lists back`,
    kinds: where(just(edit.kind), (subject) => fits(edit, subject) && !subject.manners.refused.includes(edit.name)),
    hold: async (stage) => {
      const { revision, update } = await editOn(stage, edit);
      only(await update(), edit.name);
      const seen = await look(stage, edit.kind, revision.observed.id);
      assert.ok(seen, 'it is still the same object');
      assert.deepEqual(changesBetween(edit.kind, revision.desired.attributes, seen.attributes), []);
      assert.deepEqual(seen.signs.mark, revision.observed.signs.mark);
    },
  };
}

function mayBeRepeated(edit: Edit): Law {
  return {
    name: `${edit.name}: the change may be sent again`,
    kinds: where(just(edit.kind), (subject) => fits(edit, subject) && !subject.manners.refused.includes(edit.name)),
    hold: async (stage) => {
      const { revision, update } = await editOn(stage, edit);
      only(await update(), edit.name);
      await stage.harness.settle();
      only(await update(), `${edit.name}, again`);
      const seen = await look(stage, edit.kind, revision.observed.id);
      assert.ok(seen, 'it is still the same object');
      assert.deepEqual(changesBetween(edit.kind, revision.desired.attributes, seen.attributes), []);
    },
  };
}

const fits = ({ fits, name }: Edit, subject: Subject): boolean =>
  fits?.(subject) !== false && !subject.manners.unsaid.includes(name);

function isRefused(edit: Edit): Law {
  return {
    name: `${edit.name}: what cannot change in place is refused, and stays as it is`,
    kinds: where(just(edit.kind), (subject) => fits(edit, subject) && subject.manners.refused.includes(edit.name)),
    hold: async (stage) => {
      const { revision, update } = await editOn(stage, edit);
      assert.deepEqual(failureKinds(await update()), ['terminal']);
      const seen = await look(stage, edit.kind, revision.observed.id);
      assert.deepEqual(seen?.attributes, revision.observed.attributes);
    },
  };
}

export interface EditOn {
  readonly revision: Revision;
  update(call?: RecordedCall): Promise<readonly Result<void>[]>;
}

/** Creates the resource of the edit, and waits until it is listed. */
export async function editOn(stage: Stage, { kind, from, to }: Edit): Promise<EditOn> {
  const creation = stage.creation(kind, from?.(stage));
  const observed = await seenAfterCreation(stage, creation);
  // why: an edit's `to` takes the attributes of its own kind
  const change = to as (was: Attributes[Kind], stage: Stage) => Attributes[Kind];
  const revision: Revision = revisionOf(creation, observed, change(creation.desired.attributes, stage));
  const update = (call = recordedCall()) => stage.harness.run(() => stage.actuator(kind).update([revision], call));
  return { revision, update };
}

/** Three that get the same new label, or description; where there is neither, none differs. */
async function threeRevisions(stage: Stage, kind: Kind): Promise<readonly Revision[]> {
  const revisions: Revision[] = [];
  for (const creation of [stage.creation(kind), stage.creation(kind), stage.creation(kind)]) {
    const observed = await seenAfterCreation(stage, creation);
    revisions.push(revisionOf(creation, observed, edited(stage, creation.desired)));
  }
  return revisions;
}
