import assert from 'node:assert/strict';
import type { Observed } from '../../../src/core/observed.ts';
import type { Kind } from '../../../src/core/resource.ts';
import { type RecordedCall, recordedCall } from '../../support/fixtures.ts';
import { canChange, edited } from '../edited.ts';
import type { Law } from '../law.ts';
import { only, removalOf, revisionOf, type Stage, seenAfterCreation } from '../stage.ts';
import { every, just } from '../subject.ts';

export const admissionLaws: readonly Law[] = [
  {
    name: 'every request is admitted before it is sent, and reported after',
    kinds: every,
    hold: async (stage, kind) => {
      const call = recordedCall();
      const open: string[] = [];
      const watched = {
        ...call,
        admit: async (request: Parameters<RecordedCall['admit']>[0]) => {
          await new Promise((resolve) => setImmediate(resolve));
          open.push(request.action);
          return call.admit(request);
        },
        report: (...told: Parameters<RecordedCall['report']>) => {
          const at = open.indexOf(told[0].action);
          assert.ok(at >= 0, `${told[0].action} is reported and was not admitted`);
          open.splice(at, 1);
          call.report(...told);
        },
      };
      await wholeLife(stage, kind, watched);
      assert.deepEqual(open, [], 'nothing is left unreported');
      assert.ok(call.reported.length > 3);
    },
  },
  {
    name: 'every request names what it costs, with the figure’s source',
    kinds: every,
    hold: async (stage, kind) => {
      const call = recordedCall();
      await wholeLife(stage, kind, call);
      for (const { action, costs } of call.admitted) {
        assert.ok(costs.length > 0, action);
        for (const { rateLimit, amount } of costs) {
          assert.ok(
            amount >= 1 && rateLimit.key.startsWith(`${stage.harness.session.scope}/`),
            `${action}: ${rateLimit.key}`,
          );
          assert.match(rateLimit.budget.source, /^https:\/\//);
        }
      }
    },
  },
  {
    name: 'reports carry the cloud’s request id, and the failure where there is one',
    kinds: every,
    hold: async (stage, kind) => {
      const call = recordedCall();
      stage.harness.trouble.strike('writes', 'refuse', 1);
      await stage.harness.run(() => stage.actuator(kind).create([stage.creation(kind)], call));
      const refused = call.reported.find(({ request }) => request.mutating);
      assert.equal(refused?.answer.failure?.kind, 'terminal');
      stage.harness.trouble.calm();
      await stage.harness.run(() => stage.actuator(kind).create([stage.creation(kind)], call));
      const answered = call.reported.findLast(({ request }) => request.mutating);
      assert.deepEqual([answered?.answer.failure, answered?.answer.requestId === undefined], [undefined, false]);
    },
  },
  {
    name: 'where a request is refused nothing is sent, and the reconcile ends with the reason',
    kinds: every,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind);
      const standing = stage.creation(kind);
      const observed = await seenAfterCreation(stage, standing);
      const before = await stage.listed(kind);
      const lost = new Error('the lease is lost');
      const refusing = recordedCall(undefined, () => {
        throw lost;
      });
      const actuator = stage.actuator(kind);
      const { run } = stage.harness;
      await assert.rejects(
        run(() => actuator.create([creation], refusing)),
        lost,
      );
      if (canChange(stage, kind)) {
        await assert.rejects(
          run(() => actuator.update([editOf(stage, standing, observed)], refusing)),
          lost,
        );
      }
      await assert.rejects(
        run(() => actuator.delete([removalOf(observed)], refusing)),
        lost,
      );
      await assert.rejects(
        run(() => actuator.read([observed.id], refusing)),
        lost,
      );
      await assert.rejects(
        run(async () => actuator.list(refusing)[Symbol.asyncIterator]().next()),
        lost,
      );
      assert.deepEqual(refusing.reported, []);
      assert.deepEqual(
        (await stage.listed(kind)).map(({ id }) => id),
        before.map(({ id }) => id),
      );
    },
  },
  {
    name: 'an abort ends a request on its way at once',
    kinds: every,
    hold: async (stage, kind) => {
      const stop = new AbortController();
      stage.harness.trouble.strike('writes', 'delay');
      const sent = Promise.withResolvers<void>();
      const call = recordedCall(stop.signal, ({ mutating }) => {
        if (mutating) setImmediate(sent.resolve);
      });
      const ended = stage
        .actuator(kind)
        .create([stage.creation(kind)], call)
        .then(
          (results) => results.map((result) => (result.ok ? 'ok' : result.failure.kind)),
          () => ['ambiguous'],
        );
      await sent.promise;
      stop.abort(new Error('the lease is lost'));
      assert.deepEqual(await soon(ended), ['ambiguous']);
      assert.equal(call.reported.length, call.admitted.length);
    },
  },
  {
    name: 'an abort ends the wait for a machine that stops at once',
    kinds: just('instance'),
    hold: async (stage) => {
      const creation = stage.creation('instance');
      const observed = await seenAfterCreation(stage, creation);
      const { attributes } = creation.desired;
      const next = { ...attributes, machine: { ...attributes.machine, size: stage.harness.words.machine.sizes[1] } };
      const stop = new AbortController();
      const call = recordedCall(stop.signal);
      const ended = stage
        .actuator('instance')
        .update([revisionOf(creation, observed, next)], call)
        .then(
          () => 'ended',
          () => 'ended',
        );
      stop.abort(new Error('the lease is lost'));
      assert.equal(await soon(ended), 'ended');
    },
  },
];

/** Creates, lists, reads, updates and deletes one. */
async function wholeLife(stage: Stage, kind: Kind, call: RecordedCall): Promise<void> {
  const actuator = stage.actuator(kind);
  const creation = stage.creation(kind);
  const { run, settle } = stage.harness;
  const { id } = only(await run(() => actuator.create([creation], call)), 'creating');
  await settle();
  const observed = (await stage.listed(kind, call)).find((one) => one.id === id);
  assert.ok(observed);
  await run(() => actuator.read([observed.id], call));
  await run(() => actuator.update([editOf(stage, creation, observed)], call));
  await run(() => actuator.delete([removalOf(observed)], call));
}

const editOf = (stage: Stage, creation: ReturnType<Stage['creation']>, observed: Observed) =>
  revisionOf(creation, observed, edited(stage, creation.desired));

/** Takes none of the cloud's time; of real time, as much as a busy machine may take. */
async function soon<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('it still waits')), 30_000);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
