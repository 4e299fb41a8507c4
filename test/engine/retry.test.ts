import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { specFiles } from '../../bench/estate/specs.ts';
import { openStage } from '../../bench/world/stage.ts';
import type { Failure, Result } from '../../src/core/failure.ts';
import type { QuotaState } from '../../src/engine/execution-context.ts';
import { type Outcome, unsent } from '../../src/engine/ports.ts';
import { deliver, Refused } from '../../src/engine/retry.ts';
import { SecretUnread } from '../../src/ports/secrets.ts';
import { virtualClock } from '../support/virtual-clock.ts';

type Answer = 'ok' | Failure['kind'];

/** The cloud's answers to the first, second … request of each item; the last answer repeats. */
interface Row {
  readonly name: string;
  /** Default: every creation. */
  readonly repeatable?: boolean;
  readonly sent?: 'create' | 'update' | 'delete';
  readonly answers: Readonly<Record<string, readonly Answer[]>>;
  /** All refusals of one call bear one request id. */
  readonly together?: boolean;
  readonly before?: Outcome;
  readonly want: Readonly<Record<string, Outcome['as']>>;
  /** The items of each call. */
  readonly calls: readonly string[];
}

const rows: readonly Row[] = [
  { name: 'all well, one call', answers: { a: ['ok'], b: ['ok'] }, want: { a: 'done', b: 'done' }, calls: ['a b'] },
  {
    name: 'throttled goes again and is no attempt, however often',
    answers: { a: [...Array.from({ length: 9 }, () => 'throttled' as const), 'ok'] },
    want: { a: 'done' },
    calls: Array.from({ length: 10 }, () => 'a'),
  },
  {
    name: 'only what needs it goes again',
    answers: { a: ['ok'], b: ['retryable', 'ok'], c: ['terminal'] },
    want: { a: 'done', b: 'done', c: 'failed' },
    calls: ['a b c', 'b'],
  },
  {
    name: 'six attempts, then it is given up',
    sent: 'update',
    answers: { a: ['retryable'] },
    want: { a: 'failed' },
    calls: ['a', 'a', 'a', 'a', 'a', 'a'],
  },
  {
    name: 'a server error may hide a creation: it stays open',
    answers: { a: ['retryable'] },
    want: { a: 'open' },
    calls: ['a', 'a', 'a', 'a', 'a', 'a'],
  },
  {
    name: 'a creation without an answer goes again with its token, twice at most, and stays open',
    answers: { a: ['ambiguous'] },
    want: { a: 'open' },
    calls: ['a', 'a', 'a'],
  },
  {
    name: 'what may have happened stays open whatever the second sending is answered',
    answers: { a: ['ambiguous', 'conflict'] },
    want: { a: 'open' },
    calls: ['a', 'a'],
  },
  {
    name: 'unless that is success',
    answers: { a: ['ambiguous', 'ok'] },
    want: { a: 'done' },
    calls: ['a', 'a'],
  },
  {
    name: 'a network never goes again: it could stand twice',
    repeatable: false,
    answers: { a: ['ambiguous', 'ok'] },
    want: { a: 'open' },
    calls: ['a'],
  },
  {
    name: 'an update without an answer is looked for',
    sent: 'update',
    answers: { a: ['ambiguous', 'ok'] },
    want: { a: 'open' },
    calls: ['a'],
  },
  { name: 'a stale view', sent: 'update', answers: { a: ['conflict'] }, want: { a: 'stale' }, calls: ['a'] },
  { name: 'gone is deleted', sent: 'delete', answers: { a: ['not-found'] }, want: { a: 'done' }, calls: ['a'] },
  { name: 'gone is not updated', sent: 'update', answers: { a: ['not-found'] }, want: { a: 'stale' }, calls: ['a'] },
  {
    name: 'a call sunk by one item: each goes alone, once',
    sent: 'delete',
    together: true,
    answers: { a: ['terminal', 'ok'], b: ['terminal', 'terminal'], c: ['terminal', 'ok'] },
    want: { a: 'done', b: 'failed', c: 'done' },
    calls: ['a b c', 'a', 'b', 'c'],
  },
  {
    name: 'refusals of several calls are each item’s own',
    sent: 'delete',
    answers: { a: ['terminal', 'ok'], b: ['terminal', 'ok'] },
    want: { a: 'failed', b: 'failed' },
    calls: ['a b'],
  },
  {
    name: 'a creation without an answer never goes alone',
    together: true,
    answers: { a: ['ambiguous'], b: ['ambiguous'] },
    want: { a: 'open', b: 'open' },
    calls: ['a b', 'a b', 'a b'],
  },
  {
    name: 'what an earlier process may have sent stays open when it is refused',
    before: { as: 'open', failure: { kind: 'ambiguous', code: 'x', message: 'x' } },
    answers: { a: ['conflict'] },
    want: { a: 'open' },
    calls: ['a'],
  },
];

async function run(row: Row): Promise<{ readonly outcomes: object; readonly calls: readonly string[] }> {
  const clock = virtualClock();
  const sendings = new Map<string, number>();
  const calls: string[] = [];
  const answer = (item: string): Result<void> => {
    const nth = sendings.get(item) ?? 0;
    sendings.set(item, nth + 1);
    const scripted = row.answers[item] ?? [];
    const kind = scripted[Math.min(nth, scripted.length - 1)] ?? 'ok';
    if (kind === 'ok') return { ok: true, value: undefined };
    const requestId = row.together ? `r${calls.length}` : `r${calls.length}${item}`;
    return { ok: false, failure: { kind, code: kind, message: kind, requestId } };
  };
  const items = Object.keys(row.answers);
  const outcomes = await clock.run(() =>
    deliver(
      {
        sent: row.sent ?? 'create',
        repeatable: row.repeatable ?? (row.sent ?? 'create') === 'create',
        items,
        call: async (sent) => {
          calls.push(sent.join(' '));
          return sent.map(answer);
        },
        before: () => row.before ?? unsent,
        requests: () => calls.length,
      },
      {
        ports: { clock, random: () => 0.5 },
        waits: new AbortController().signal,
        notify: undefined,
        quota: { refusal: undefined },
      },
    ),
  );
  return { outcomes: Object.fromEntries(items.map((item, i) => [item, outcomes[i]?.as])), calls };
}

describe('deliver', () => {
  for (const row of rows) {
    it(row.name, async () => {
      const { outcomes, calls } = await run(row);
      assert.deepEqual(outcomes, row.want);
      assert.deepEqual(calls, row.calls);
    });
  }
});

describe('deliver, where people no longer let something be done', () => {
  const reason = { as: 'withheld', code: 'paused', why: 'paused' } as const;
  /** The nth call is refused for these items; `partly`: a request of it had left. `a` and `b` are throttled before. */
  const run = async (before: Outcome, refused: readonly string[], partly = false) => {
    const clock = virtualClock();
    const calls: string[] = [];
    const outcomes = await clock.run(() =>
      deliver(
        {
          sent: 'create',
          repeatable: true,
          items: ['a', 'b'],
          call: async (items) => {
            calls.push(items.join(' '));
            if (calls.length === 1)
              return items.map(() => ({ ok: false, failure: { kind: 'throttled', code: 't', message: 't' } }));
            const named = refused.filter((item) => items.includes(item));
            if (named.length > 0) throw new Refused(new Map(named.map((item) => [item, reason])), partly);
            return items.map(() => ({ ok: true, value: undefined }));
          },
          before: () => before,
          requests: () => calls.length,
        },
        {
          ports: { clock, random: () => 0.5 },
          waits: new AbortController().signal,
          notify: undefined,
          quota: { refusal: undefined },
        },
      ),
    );
    return [outcomes.map(({ as }) => as), calls];
  };
  const open: Outcome = { as: 'open', failure: { kind: 'ambiguous', code: 'x', message: 'x' } };

  it('the others of the call go without it', async () =>
    assert.deepEqual(await run(unsent, ['a']), [
      ['withheld', 'done'],
      ['a b', 'a b', 'b'],
    ]));
  it('all of it', async () =>
    assert.deepEqual(await run(unsent, ['a', 'b']), [
      ['withheld', 'withheld'],
      ['a b', 'a b'],
    ]));
  it('when a part of it had left: it may have happened', async () =>
    assert.deepEqual(await run(unsent, ['a'], true), [
      ['open', 'open'],
      ['a b', 'a b'],
    ]));
  it('what may have been sent with others is not sent without them', async () =>
    assert.deepEqual(await run(open, ['a']), [
      ['open', 'open'],
      ['a b', 'a b'],
    ]));
});

describe('deliver, broken off', () => {
  const stopping = async (sentFirst: boolean): Promise<readonly Outcome[]> => {
    const clock = virtualClock();
    const stop = new AbortController();
    let requests = 0;
    return clock.run(() =>
      deliver(
        {
          sent: 'create',
          repeatable: true,
          items: ['a'],
          call: async () => {
            if (sentFirst) requests += 1;
            stop.abort(new Error('shutdown'));
            throw stop.signal.reason;
          },
          before: () => unsent,
          requests: () => requests,
        },
        { ports: { clock, random: () => 0.5 }, waits: stop.signal, notify: undefined, quota: { refusal: undefined } },
      ),
    );
  };

  it('before a request left: nothing was sent', async () => assert.deepEqual(await stopping(false), [unsent]));
  it('after a request left: it may have happened', async () => assert.equal((await stopping(true))[0]?.as, 'open'));

  it('an item that the actuator forgot is never taken for success', async () => {
    const clock = virtualClock();
    const [outcome] = await clock.run(() =>
      deliver(
        {
          sent: 'create',
          repeatable: false,
          items: ['a'],
          call: async () => [],
          before: () => unsent,
          requests: () => 1,
        },
        {
          ports: { clock, random: () => 0.5 },
          waits: new AbortController().signal,
          notify: undefined,
          quota: { refusal: undefined },
        },
      ),
    );
    assert.equal(outcome?.as, 'open');
  });

  it('a fault of the program is thrown on', async () => {
    const clock = virtualClock();
    const broken = deliver(
      {
        sent: 'create',
        repeatable: true,
        items: ['a'],
        call: async () => Promise.reject(new TypeError('x is not a function')),
        before: () => unsent,
        requests: () => 1,
      },
      {
        ports: { clock, random: () => 0.5 },
        waits: new AbortController().signal,
        notify: undefined,
        quota: { refusal: undefined },
      },
    );
    await assert.rejects(broken, TypeError);
  });
});

describe('deliver, without a secret', () => {
  for (const [name, sentFirst, want] of [
    ['before a request left: nothing was made, and a person must act', false, 'failed'],
    ['after a request left: it may have happened', true, 'open'],
  ] as const)
    it(name, async () => {
      const clock = virtualClock();
      let requests = 0;
      const outcomes = await clock.run(() =>
        deliver(
          {
            sent: 'create',
            repeatable: true,
            items: ['a', 'b'],
            call: async () => {
              if (sentFirst) requests += 1;
              throw new SecretUnread({ kind: 'retryable', code: 'secret-store-away', message: 'its store is away' });
            },
            before: () => unsent,
            requests: () => requests,
          },
          {
            ports: { clock, random: () => 0.5 },
            waits: new AbortController().signal,
            notify: undefined,
            quota: { refusal: undefined },
          },
        ),
      );
      assert.deepEqual(
        outcomes.map((outcome) => [outcome.as, 'failure' in outcome && outcome.failure.code]),
        [
          [want, 'secret-store-away'],
          [want, 'secret-store-away'],
        ],
      );
    });
});

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
    const [failed] = end.rounds.flatMap((reconcile) => reconcile.failed);
    assert.match(failed?.failure.message ?? '', /instance limit of 137/);
  });
});
