import assert from 'node:assert/strict';
import type { Failure, Result } from '../../../src/core/failure.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Creation } from '../../../src/ports/provider.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import { canChange, edited } from '../edited.ts';
import type { TroubleKind } from '../harness.ts';
import type { Law } from '../law.ts';
import {
  changesBetween,
  created,
  failureKinds,
  look,
  only,
  removalOf,
  revisionOf,
  type Stage,
  seenAfterCreation,
} from '../stage.ts';
import { every, just, marked, once } from '../subject.ts';

/** The failures of each trouble with a write. `fail` of a creation that could make a duplicate may be `ambiguous` instead. */
const meanings: readonly (readonly [TroubleKind, readonly Failure['kind'][]])[] = [
  ['throttle', ['throttled']],
  ['fail', ['retryable', 'ambiguous']],
  ['refuse', ['terminal']],
  ['lost-before', ['ambiguous']],
  ['lost-after', ['ambiguous']],
];

type Write = 'creation' | 'update' | 'deletion';

export const failureLaws: readonly Law[] = [
  ...(['creation', 'update', 'deletion'] as const).flatMap((write) => meanings.map((meaning) => told(write, meaning))),
  {
    name: 'a creation whose answer was lost is found by its mark',
    kinds: marked,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind);
      stage.harness.trouble.strike('writes', 'lost-after', 1);
      await write(stage, 'creation', { creation });
      const marks = (await stage.listed(kind)).map(({ signs }) => signs.mark?.intent);
      assert.ok(marks.includes(creation.mark.intent));
    },
  },
  {
    name: 'a creation whose answer was lost is sent again with its token, and there is one',
    kinds: once,
    hold: async (stage, kind) => {
      const before = (await stage.listed(kind)).length;
      const creation = stage.creation(kind);
      stage.harness.trouble.strike('writes', 'lost-after', 1);
      await write(stage, 'creation', { creation });
      stage.harness.trouble.calm();
      await stage.harness.settle();
      const { id } = await created(stage, creation);
      assert.equal((await stage.listed(kind)).length, before + 1);
      const seen = await look(stage, kind, id);
      assert.deepEqual(seen && changesBetween(kind, creation.desired.attributes, seen.attributes), []);
    },
  },
  {
    name: 'a whole batch fails with its only call, one result for each',
    kinds: ({ manners }) => [
      ...(manners.together.includes('rules') ? (['firewall-rule'] as const) : []),
      ...(manners.together.includes('launches') ? (['instance'] as const) : []),
    ],
    hold: async (stage, kind) => {
      const batch = [0, 1, 2].map((ordinal) => stage.creation(kind, {}, `fleet-${ordinal}`));
      const call = recordedCall();
      stage.harness.trouble.strike('writes', 'lost-before');
      const results = await stage.harness.run(() => stage.actuator(kind).create(batch, call));
      assert.deepEqual(failureKinds(results), ['ambiguous', 'ambiguous', 'ambiguous']);
      assert.equal(writesOf(call).length, 1, 'an unanswered creation never goes again singly');
    },
  },
  {
    name: 'an update or deletion whose answer was lost may be sent again',
    kinds: every,
    hold: async (stage, kind) => {
      for (const verb of canChange(stage, kind) ? (['update', 'deletion'] as const) : (['deletion'] as const)) {
        const creation = stage.creation(kind);
        const observed = await seenAfterCreation(stage, creation);
        stage.harness.trouble.strike('writes', 'lost-after', 1);
        assert.deepEqual(failureKinds(await write(stage, verb, { creation, observed })), ['ambiguous']);
        stage.harness.trouble.calm();
        only(await write(stage, verb, { creation, observed }), `${verb}, again`);
      }
    },
  },
  {
    name: 'a failure says the cloud’s code and a reason, and no secret',
    kinds: just('instance'),
    hold: async (stage, kind) => {
      const creation = stage.creation('instance', {
        boot: { ...stage.harness.words.machine.least?.boot, userData: 'sha256:5f2d3b' },
      });
      stage.harness.trouble.strike('writes', 'refuse');
      const results = await stage.harness.run(() => stage.actuator(kind).create([creation], recordedCall()));
      const [result] = results;
      assert.ok(result?.ok === false);
      assert.ok(result.failure.code.length > 2 && result.failure.message.length > 2);
      assert.doesNotMatch(JSON.stringify(results), /#!\/bin\/sh|IyEvYmlu/);
    },
  },
];

function told(verb: Write, [trouble, kinds]: (typeof meanings)[number]): Law {
  return {
    name: `a ${verb} that meets ${trouble} is ${kinds[0]}`,
    kinds: every,
    hold: async (stage, kind) => {
      if (verb === 'update' && !canChange(stage, kind)) return;
      const creation = stage.creation(kind);
      const observed = verb === 'creation' ? undefined : await seenAfterCreation(stage, creation);
      const mayTwin = verb === 'creation' && !once(stage.subject).includes(kind);
      const allowed = mayTwin ? kinds : kinds.slice(0, 1);
      stage.harness.trouble.strike('writes', trouble);
      const [met] = failureKinds(await write(stage, verb, { creation, ...(observed && { observed }) }));
      assert.ok(
        allowed.some((each) => each === met),
        `${met}, not ${allowed.join(' or ')}`,
      );
    },
  };
}

interface Subject {
  readonly creation: Creation;
  readonly observed?: Observed;
}

function write(stage: Stage, verb: Write, { creation, observed }: Subject): Promise<readonly Result<unknown>[]> {
  const { kind } = creation.desired;
  const actuator = stage.actuator(kind);
  return stage.harness.run(async () => {
    if (!observed) return actuator.create([creation], recordedCall());
    if (verb === 'deletion') return actuator.delete([removalOf(observed)], recordedCall());
    const next = edited(stage, creation.desired);
    return actuator.update([revisionOf(creation, observed, next)], recordedCall());
  });
}
