import assert from 'node:assert/strict';
import type { Observed } from '../../../src/core/observed.ts';
import type { Creation } from '../../../src/ports/provider.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import type { TroubleKind } from '../harness.ts';
import type { Law } from '../law.ts';
import {
  changesBetween,
  failureKinds,
  look,
  only,
  removalOf,
  revisionOf,
  type Stage,
  seenAfterCreation,
  wholeNetwork,
} from '../stage.ts';
import { just } from '../subject.ts';

const troubles: readonly TroubleKind[] = ['throttle', 'refuse', 'lost-before', 'lost-after'];

export const partLaws: readonly Law[] = [
  {
    name: 'a complete network names its parts, and misses none',
    kinds: just('network'),
    hold: async (stage) => {
      const { condition } = await seenAfterCreation(stage, stage.creation('network', wholeNetwork(stage.subject)));
      assert.ok((condition.parts ?? []).length > 0);
      assert.deepEqual(condition.missing ?? [], []);
    },
  },
  ...troubles.map(halfMade),
  ...troubles.map(halfRemoved),
  {
    name: 'a machine’s network stays whole when one beside it goes',
    kinds: just('network'),
    hold: async (stage) => {
      const before = await look(stage, 'network', stage.home.network);
      const other = await seenAfterCreation(stage, stage.creation('network', wholeNetwork(stage.subject)));
      only(
        await stage.harness.run(() => stage.actuator('network').delete([removalOf(other)], recordedCall())),
        'deleting',
      );
      const after = await look(stage, 'network', stage.home.network);
      assert.deepEqual([after?.attributes, after?.condition.parts], [before?.attributes, before?.condition.parts]);
    },
  },
];

/** After an interruption of its creation at any step, a network names its missing parts. One update adds exactly these. */
function halfMade(trouble: TroubleKind): Law {
  return {
    name: `a network half made by ${trouble} says what it misses, and an update finishes it`,
    kinds: just('network'),
    hold: async (stage) => {
      const steps = await stepsOf(stage);
      for (let step = 2; step <= steps; step++) {
        const before = await stage.harness.byHand.parts();
        const creation = stage.creation('network', wholeNetwork(stage.subject));
        stage.harness.trouble.strike('writes', trouble, step);
        await stage.harness.run(() => stage.actuator('network').create([creation], recordedCall()));
        stage.harness.trouble.calm();
        const half = await find(stage, creation);
        assert.ok(half, `step ${step}: the network is listed with its mark`);
        const whole = changesBetween('network', creation.desired.attributes, half.attributes).length === 0;
        if (whole) assert.deepEqual(half.condition.missing ?? [], [], `step ${step}`);
        if (!whole) only(await finish(stage, creation, half), `finishing after step ${step}`);
        const seen = await find(stage, creation);
        assert.ok(seen);
        assert.deepEqual(changesBetween('network', creation.desired.attributes, seen.attributes), [], `step ${step}`);
        assert.deepEqual(seen.condition.missing ?? [], [], `step ${step}`);
        const parts = (seen.condition.parts ?? []).map(({ part }) => part);
        assert.deepEqual(parts, [...new Set(parts)], `step ${step}: no part stands twice`);
        const stray = (await stage.harness.byHand.parts()).length - before.length - parts.length;
        assert.equal(stray, 0, `step ${step}: no part stands astray`);
      }
    },
  };
}

/** Wherever its deletion was interrupted, sending it again ends it. */
function halfRemoved(trouble: TroubleKind): Law {
  return {
    name: `a network half removed by ${trouble} is still listed, and goes the second time`,
    kinds: just('network'),
    hold: async (stage) => {
      const steps = await stepsOf(stage);
      for (let step = 1; step <= steps; step++) {
        const before = await stage.harness.byHand.parts();
        const creation = stage.creation('network', wholeNetwork(stage.subject));
        const { id } = await seenAfterCreation(stage, creation);
        stage.harness.trouble.strike('writes', trouble, step);
        const first = await remove(stage, id);
        stage.harness.trouble.calm();
        if (first === 'ok') continue;
        assert.ok((await look(stage, 'network', id)) || trouble === 'lost-after', `step ${step}: it is still listed`);
        assert.equal(await remove(stage, id), 'ok', `step ${step}`);
        assert.equal(await look(stage, 'network', id), undefined, `step ${step}`);
        assert.deepEqual(await stage.harness.byHand.parts(), before, `step ${step}: no part is left behind`);
      }
    },
  };
}

/** The number of writes for a network with its parts. */
async function stepsOf(stage: Stage): Promise<number> {
  const call = recordedCall();
  await stage.harness.run(() =>
    stage.actuator('network').create([stage.creation('network', wholeNetwork(stage.subject))], call),
  );
  return writesOf(call).length;
}

const find = async (stage: Stage, { mark }: Creation<'network'>): Promise<Observed<'network'> | undefined> =>
  (await stage.listed('network')).find(({ signs }) => signs.mark?.intent === mark.intent);

const finish = (stage: Stage, creation: Creation<'network'>, half: Observed<'network'>) =>
  stage.harness.run(() =>
    stage.actuator('network').update([revisionOf(creation, half, creation.desired.attributes)], recordedCall()),
  );

async function remove(stage: Stage, id: string): Promise<string | undefined> {
  const observed = await look(stage, 'network', id);
  if (!observed) return 'ok';
  const results = await stage.harness.run(() =>
    stage.actuator('network').delete([removalOf(observed)], recordedCall()),
  );
  return failureKinds(results)[0];
}
