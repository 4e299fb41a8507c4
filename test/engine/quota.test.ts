import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { specFiles } from '../../bench/estate/specs.ts';
import { openStage } from '../../bench/virtual/stage.ts';
import type { Failure, Result } from '../../src/core/failure.ts';
import type { QuotaState } from '../../src/engine/execution-context.ts';
import type { Outcome } from '../../src/engine/ports.ts';
import { deliver } from '../../src/engine/retry.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** A cloud that has room for so many more, and takes a call wholly or not at all. */
function cloudWith(
  capacity: number,
  refuses: (sent: readonly number[]) => Failure['kind'] | undefined = () => undefined,
) {
  const calls: (readonly number[])[] = [];
  const running: number[] = [];
  const call = async (sent: readonly number[]): Promise<readonly Result<void>[]> => {
    calls.push(sent);
    const requestId = `r${calls.length}`;
    const kind = refuses(sent) ?? (running.length + sent.length > capacity ? 'terminal' : undefined);
    if (kind === undefined) running.push(...sent);
    const quota = refuses(sent) === undefined ? { quota: true as const } : {};
    const failure = { kind, code: 'x', message: `${sent.length} are too many`, requestId, ...quota } as Failure; // why: `kind` is one of its own
    return sent.map(() => (kind === undefined ? { ok: true, value: undefined } : { ok: false, failure }));
  };
  return { calls, running, call };
}

const launch = (
  count: number,
  call: ReturnType<typeof cloudWith>['call'],
  room: QuotaState = { refusal: undefined },
) => {
  const clock = virtualClock();
  let requests = 0;
  const delivery = {
    sent: 'create' as const,
    repeatable: true,
    items: Array.from({ length: count }, (_, i) => i),
    call: (items: readonly number[]) => {
      requests += 1;
      return call(items);
    },
    before: (): Outcome => ({ as: 'unsent' }),
    requests: () => requests,
  };
  const patience = {
    ports: { clock, random: () => 0.5 },
    waits: new AbortController().signal,
    notify: undefined,
    quota: room,
  };
  return clock.run(() => deliver(delivery, patience));
};

const done = (outcomes: readonly Outcome[]): number => outcomes.filter(({ as }) => as === 'done').length;

describe('a launch over quota', () => {
  for (const count of [2, 3, 7, 64, 100, 1000])
    for (const capacity of [...new Set([0, 1, Math.floor(count / 3), Math.floor(count / 2), count - 1])])
      it(`${capacity} of ${count} fit: they run, and few calls were made`, async () => {
        const { calls, running, call } = cloudWith(capacity);
        const room: QuotaState = { refusal: undefined };
        const outcomes = await launch(count, call, room);
        assert.equal(running.length, capacity);
        assert.equal(done(outcomes), capacity);
        assert.ok(outcomes.every(({ as }) => as === 'done' || as === 'failed'));
        assert.ok(calls.length <= 2 + Math.log2(count), `${calls.length} calls`);
        assert.equal(room.refusal?.quota, true);
        const leads = calls.map(([lead]) => lead);
        assert.equal(new Set(leads).size, leads.length, 'no call begins as another did');
      });

  it('all fit: one call', async () => {
    const { calls, call } = cloudWith(100);
    assert.equal(done(await launch(100, call)), 100);
    assert.equal(calls.length, 1);
  });

  it('once one more does not fit, nothing like it is sent', async () => {
    const { calls, call } = cloudWith(40);
    const room: QuotaState = { refusal: undefined };
    await launch(100, call, room);
    const before = calls.length;
    const outcomes = await launch(100, call, room);
    assert.ok(outcomes.every((outcome) => outcome.as === 'failed' && outcome.failure === room.refusal));
    assert.equal(calls.length, before);
  });

  it('a part that is refused for anything else ends it', async () => {
    const { calls, call } = cloudWith(40, (sent) => (sent.length === 50 ? 'conflict' : undefined));
    const room: QuotaState = { refusal: undefined };
    const outcomes = await launch(100, call, room);
    assert.deepEqual([calls.length, done(outcomes), room.refusal], [2, 0, undefined]);
  });

  it('each with a call of its own: the first refusal says that not one more fits', async () => {
    const { call } = cloudWith(3);
    const room: QuotaState = { refusal: undefined };
    const singly = async (sent: readonly number[]) => (await Promise.all(sent.map((one) => call([one])))).flat();
    assert.equal(done(await launch(5, singly, room)), 3);
    assert.equal(room.refusal?.message, '1 are too many');
  });
});

describe('an estate over quota, on EC2', () => {
  it('as many machines run as the account may have, after few launches', async (t) => {
    const stage = await openStage({ quotas: { instances: 137 } });
    t.after(() => stage.close());
    const shape = { networks: 1, subnets: 1, groups: 1, rulesPerGroup: 1, machines: { documents: 1, replicas: 240 } };
    const end = await stage.apply(specFiles(shape, stage.place));
    const { log } = stage.sandbox.control;
    const launches = log.counts()['RunInstances'] ?? 0;
    const { resources } = await stage.look();
    assert.equal(resources.filter(({ kind }) => kind === 'instance').length, 137);
    assert.ok(launches <= 20, `${launches} launches`);
    const [failed] = end.passes.flatMap((pass) => pass.failed);
    assert.match(failed?.failure.message ?? '', /instance limit of 137/);
  });
});
