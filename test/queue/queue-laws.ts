import assert from 'node:assert/strict';
import { type TestOptions, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Queue, Where } from '../../src/ports/queue.ts';
import { type Backend, type Bull, bullOf } from '../../src/queue/connection.ts';
import { openQueue, type QueueOptions } from '../../src/queue/queue.ts';
import { steadily } from '../support/steadily.ts';
import { until } from '../support/until.ts';
import { listLaws } from './laws/list-laws.ts';
import { lostLaws } from './laws/lost-laws.ts';
import { type Bench, calmPace, type Harness, type Laws, quickTries } from './support/harness.ts';
import { at, names, quiet, type Shop, shop, working } from './support/shop.ts';

const orderLaws: Laws = {
  'urgent passes go ahead of periodic ones, each in the order in which they came': async ({ open }) => {
    const queue = await open();
    for (const [scope, urgency] of [
      ['p', 'periodic'],
      ['q', 'periodic'],
      ['a', 'now'],
      ['b', 'now'],
    ] as const)
      await queue.request(at(scope), urgency);
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 4));
    assert.deepEqual(names(seen.begun), ['a', 'b', 'p', 'q']);
  },

  'a periodic pass that waits is urgent once somebody asks, and an urgent one asked for again keeps its place': async ({
    open,
  }) => {
    const queue = await open();
    for (const [scope, urgency] of [
      ['p', 'periodic'],
      ['q', 'periodic'],
      ['a', 'now'],
      ['q', 'now'],
      ['b', 'now'],
      ['a', 'now'],
    ] as const)
      await queue.request(at(scope), urgency);
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 4));
    assert.deepEqual(names(seen.begun), ['a', 'q', 'b', 'p']);
  },

  'an urgent wish during a pass stays urgent, whatever periodic ones come after it': async ({ open }) => {
    const queue = await open();
    const seen = shop();
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it began', () => seen.begun.length === 1);
      await queue.request(at('p'), 'periodic');
      await queue.request(at('a'), 'now');
      await queue.request(at('a'), 'periodic');
      seen.end('aws/1/a');
      await until('the next began', () => seen.begun.length === 2);
    });
    assert.deepEqual(names(seen.begun), ['a', 'a']);
  },

  'a pass that has more to do goes behind all that wait': async ({ open }) => {
    const queue = await open();
    const seen = shop();
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it began', () => seen.begun.length === 1);
      await queue.request(at('p'), 'periodic');
      await queue.request(at('b'), 'now');
      seen.end('aws/1/a', 'again');
      for (const [done, scope] of ['b', 'p', 'a'].entries()) {
        await until(`${scope} began`, () => seen.begun.length === done + 2);
        seen.end(`aws/1/${scope}`);
      }
    });
    assert.deepEqual(names(seen.begun), ['a', 'b', 'p', 'a']);
  },

  'every fourth urgent pass lets the periodic one go ahead that has waited longest': async ({
    open,
    backend,
    name,
  }) => {
    const queue = await open({ pace: { patienceMs: 0 } });
    for (const scope of ['p', 'q']) await queue.request(at(scope), 'periodic');
    for (let urgent = 0; urgent < 12; urgent++) await queue.request(at(`u${urgent}`), 'now');
    const isNext = (where: Where) =>
      lookInto(backend, `${name}-aws`, async (line) => {
        const [next] = await line.getJobs(['prioritized'], 0, 0, true);
        return next?.data.scope === where.scope;
      });
    let urgent = 0;
    const seen = shop({
      by: async ({ scope }) => {
        if (!/u\d+/.test(scope)) return 'done';
        urgent += 1;
        // why: p counts too, as it is urgent by then.
        const waits = { 4: 'p', 7: 'q' }[urgent];
        // why: it is sent ahead beside the reconcile, which may end before it gets there.
        if (waits) await until(`${waits} is ahead`, () => isNext(at(waits)));
        return 'done';
      },
    });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 14));
    assert.deepEqual(
      names(seen.begun).map((scope) => scope.replace(/u\d+/, 'u')),
      [...'uuuupuuuquuuuu'],
    );
  },

  'a flood of requests in scopes of low criticality delays a critical scope by one reconcile at most': async ({
    open,
  }) => {
    const queue = await open({ pace: { patienceMs: 0 } });
    const low = (scope: string) => ({ ...at(scope), criticality: 'low' as const });
    for (let i = 0; i < 40; i++) await queue.request(low(`f${i}`), i % 2 === 0 ? 'now' : 'periodic');
    const seen = shop({ atOnce: 1 });
    await working(queue, seen, async () => {
      await until('a first one began', () => seen.begun.length === 1);
      await queue.request({ ...at('due'), criticality: 'critical' }, 'periodic');
      await queue.request({ ...at('asked'), criticality: 'critical' }, 'now');
      const end = async (count: number) => {
        seen.end(seen.begun[count - 1] ?? '');
        await until('the next began', () => seen.begun.length === count + 1);
      };
      for (let count = 1; count < 6; count++) await end(count);
    });
    const begun = names(seen.begun);
    assert.ok(begun.indexOf('asked') <= 2, `one that ran, and one whose turn it was: ${begun}`);
    assert.ok(begun.indexOf('due') <= 3, `${begun}`);
  },

  'the order is by criticality and urgency': async ({ open }) => {
    const queue = await open();
    for (const criticality of ['low', 'normal', 'high', 'critical'] as const)
      for (const urgency of ['periodic', 'now'] as const)
        await queue.request({ ...at(`${criticality}-${urgency}`), criticality }, urgency);
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 8));
    assert.deepEqual(names(seen.begun), [
      ...['critical-now', 'high-now', 'critical-periodic', 'normal-now'],
      ...['high-periodic', 'low-now', 'normal-periodic', 'low-periodic'],
    ]);
  },

  'critical reconciles without end leave a quarter to those of low criticality': async ({ open }) => {
    const queue = await open({ pace: { patienceMs: 0 } });
    for (let i = 0; i < 3; i++) await queue.request({ ...at(`l${i}`), criticality: 'low' }, 'periodic');
    for (let i = 0; i < 16; i++) await queue.request({ ...at(`c${i}`), criticality: 'critical' }, 'now');
    const seen = shop({ by: () => new Promise((resolve) => setTimeout(() => resolve('done'), 30)) });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 19));
    const places = names(seen.begun).flatMap((scope, index) => (scope.startsWith('l') ? [index] : []));
    assert.ok((places[2] ?? 19) < 16, `${names(seen.begun)}`);
  },

  'a scope that becomes critical while its reconcile waits goes ahead': async ({ open }) => {
    const queue = await open();
    await queue.request({ ...at('a'), criticality: 'low' }, 'periodic');
    for (const scope of ['b', 'c']) await queue.request(at(scope), 'now');
    await queue.request({ ...at('a'), criticality: 'critical' }, 'periodic');
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 3));
    assert.deepEqual(names(seen.begun), ['a', 'b', 'c']);
  },

  'a low one that had its turn early is low again where it has more to do': async ({ open, backend, name }) => {
    const queue = await open({ pace: { patienceMs: 0 } });
    await queue.request({ ...at('low'), criticality: 'low' }, 'periodic');
    for (let i = 0; i < 12; i++) await queue.request({ ...at(`c${i}`), criticality: 'critical' }, 'now');
    const waiting = (): Promise<readonly string[]> =>
      lookInto(backend, `${name}-aws`, async (line) =>
        (await line.getJobs(['prioritized'], 0, -1, true)).map(({ data }) => data.scope),
      );
    const low = at('low').scope;
    let begun = 0;
    const seen = shop({
      by: async ({ scope }) => {
        begun += 1;
        if (scope === low) return 'again';
        // why: it is queued again, and sent ahead, beside the reconcile, which may end before that
        await until('low waits again', async () => (await waiting()).includes(low));
        if (begun % 4 === 0) await until('low is ahead', async () => (await waiting())[0] === low);
        return 'done';
      },
    });
    const isCritical = (scope: string): boolean => scope !== low;
    await working(queue, seen, () => until('all began', () => seen.begun.filter(isCritical).length === 12));
    const order = names(seen.begun.slice(0, seen.begun.findLastIndex(isCritical) + 1));
    assert.deepEqual(order, 'c0 c1 c2 c3 low c4 c5 c6 low c7 c8 c9 low c10 c11'.split(' '));
  },

  'a periodic pass that has not waited long stays behind': async ({ open }) => {
    const queue = await open({ pace: { patienceMs: 60_000 } });
    await queue.request(at('p'), 'periodic');
    for (let urgent = 0; urgent < 6; urgent++) await queue.request(at(`u${urgent}`), 'now');
    const seen = shop({ by: () => new Promise((resolve) => setTimeout(() => resolve('done'), 30)) });
    await working(queue, seen, () => until('all began', () => seen.begun.length === 7));
    assert.equal(names(seen.begun)[6], 'p');
  },
};

/** So that nothing here comes by a lock that ran out, however long a test waits. */
const slow = { lockMs: 600_000, stalledMs: 300_000 };

/** A stopped worker pool may still be writing the results of its reconciles. */
const nothingLeft = (queue: Queue): Promise<void> =>
  until('nothing is left', async () => (await queue.counts()).every(({ count }) => count === 0));

const handOverLaws: Laws = {
  'a crew that stops tells its passes to end, and another takes them over before their locks end': async ({ open }) => {
    const [one, two] = [await open({ pace: slow }), await open({ pace: slow })];
    const [first, second] = [shop({ atOnce: 2 }), shop({ atOnce: 2, by: async () => 'done' })];
    const crew = await one.work(first.shift);
    for (const scope of ['a', 'b']) await one.request(at(scope), 'now');
    await until('both began', () => first.begun.length === 2);
    await working(two, second, async () => {
      await quiet();
      await crew.stop();
      assert.equal(first.aborted.length, 2);
      assert.deepEqual(crew.busy(), []);
      await until('both were taken over', () => second.begun.length === 2);
    });
    assert.deepEqual(new Set(names(second.begun)), new Set(['a', 'b']));
    await nothingLeft(two);
  },

  'a stopped crew takes no more': async ({ open }) => {
    const queue = await open();
    const seen = shop({ by: async () => 'done' });
    const crew = await queue.work(seen.shift);
    await crew.stop();
    await queue.request(at('a'), 'now');
    await quiet();
    assert.deepEqual(seen.begun, []);
  },

  'stopping is no failure of a pass': async ({ open }) => {
    const queue = await open();
    await queue.request(at('a'), 'now');
    for (let times = 1; times <= 5; times++) {
      const seen = shop();
      await working(queue, seen, () => until(`it began for the ${times}. time`, () => seen.begun.length === 1));
      assert.deepEqual(seen.poisoned, []);
    }
  },

  'a pass that ends while its crew stops is done': async ({ open }) => {
    const queue = await open();
    const seen = shop({
      by: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('done'))),
    });
    await queue.request(at('a'), 'now');
    await working(queue, seen, () => until('it began', () => seen.begun.length === 1));
    await nothingLeft(queue);
  },

  'a pass that does not listen loses its job: the crew stops, and another goes on': async ({ open }) => {
    const queue = await open({ pace: { ...slow, graceMs: 1_000 } });
    const deaf = shop({ deaf: true });
    await queue.request(at('a'), 'now');
    // why: such a reconcile never ends, so a crew that waited for it would not return from this.
    await working(queue, deaf, () => until('it began', () => deaf.begun.length === 1));
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('it was taken over', () => seen.begun.length === 1));
  },
};

/** A pause is anything up to its ceiling: of so long a one it never ends while a test looks. */
const day = 86_400_000;

const requestLaws: Laws = {
  'requests before a pass begins are one pass': async ({ open }) => {
    const queue = await open();
    for (const urgency of ['periodic', 'now', 'periodic', 'now'] as const) await queue.request(at('a'), urgency);
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, async () => {
      await until('the pass began', () => seen.begun.length > 0);
      await quiet();
      assert.deepEqual(names(seen.begun), ['a']);
    });
  },

  'requests during a pass are one more pass after it, never beside it': async ({ open }) => {
    const queue = await open();
    const seen = shop({ atOnce: 4 });
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('the first began', () => seen.begun.length === 1);
      for (let times = 0; times < 3; times++) await queue.request(at('a'), 'now');
      await quiet();
      assert.equal(seen.begun.length, 1);
      seen.end('aws/1/a');
      await until('the second began', () => seen.begun.length === 2);
      seen.end('aws/1/a');
      await quiet();
      assert.deepEqual(names(seen.begun), ['a', 'a']);
      assert.equal(seen.most(), 1);
    });
  },

  'a periodic request during a pass is that pass': async ({ open }) => {
    const queue = await open();
    const seen = shop();
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'periodic');
      await until('it began', () => seen.begun.length === 1);
      await queue.request(at('a'), 'periodic');
      seen.end('aws/1/a');
      await quiet();
      assert.deepEqual(names(seen.begun), ['a']);
    });
  },

  'a place is an estate and a scope: two estates in one scope are two passes': async ({ open }) => {
    const queue = await open();
    await queue.request(at('a', 'one'), 'now');
    await queue.request(at('a', 'two'), 'now');
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('both began', () => seen.begun.length === 2));
  },

  'a scope of a cloud without a line is refused, by name': async ({ open }) => {
    const queue = await open();
    await assert.rejects(
      async () => queue.request({ estate: 'shop', scope: 'gcp/p/eu' }, 'now'),
      /no queue for the scope gcp\/p\/eu: this process knows aws/,
    );
  },
};

const every = (scope: string, everyMs: number) => ({ ...at(scope), everyMs });

const timesOf = ({ begun }: Shop, scope: string): number => names(begun).filter((name) => name === scope).length;

/** The most that may have come since `from`: one in each interval, of which it saw the first and the last in part. */
const mostSince = (from: number, everyMs: number): number => (performance.now() - from) / everyMs + 2;

const scheduleLaws: Laws = {
  'each scheduled pass comes once in every interval': async ({ open }) => {
    const queue = await open();
    const moments: { readonly scope: string; readonly at: number }[] = [];
    const by = async ({ scope }: Where) => {
      moments.push({ scope, at: performance.now() });
      return 'done' as const;
    };
    const seen = shop({ atOnce: 4, by });
    const [from, everyMs] = [performance.now(), 500];
    await queue.schedule([every('a', everyMs), every('b', everyMs)]);
    await working(queue, seen, async () => {
      for (const scope of ['a', 'b']) {
        await until(`${scope} came five times`, () => timesOf(seen, scope) >= 5);
        await until(`${scope} came in two intervals in a row`, () => {
          const own = moments.filter((moment) => moment.scope === at(scope).scope);
          return own.slice(1).some((moment, i) => moment.at - (own[i]?.at ?? 0) < 1.5 * everyMs);
        });
        const [times, most] = [timesOf(seen, scope), mostSince(from, everyMs)];
        assert.ok(times <= most, `${scope} came ${times} times where ${most} is the most`);
      }
    });
  },

  'the periodic passes are exactly those of the last schedule': async ({ open }) => {
    const queue = await open();
    const seen = shop({ atOnce: 4, by: async () => 'done' });
    await queue.schedule([every('a', 200), every('b', 200), every('c', 200)]);
    await working(queue, seen, async () => {
      await until('all came', () => new Set(seen.begun).size === 3);
      // why: each comes at a moment of its own within its interval, which a minute has too often.
      await queue.schedule([every('b', 200), every('c', day), every('d', 200)]);
      await until('what waited from before has come', () => timesOf(seen, 'd') >= 2);
      seen.begun.length = 0;
      await until('both came', () => new Set(seen.begun).size === 2);
      await pause(600);
      assert.deepEqual(new Set(names(seen.begun)), new Set(['b', 'd']));
    });
  },

  'scheduling the same again, by many at once, moves no pass away': async ({ open }) => {
    const queues: readonly [Queue, ...Queue[]] = [await open(), await open(), await open()];
    const seen = shop({ atOnce: 4, by: async () => 'done' });
    const [from, everyMs] = [performance.now(), 400];
    await working(queues[0], seen, async () => {
      await until('it came four times', async () => {
        await Promise.all(queues.map((each) => each.schedule([every('a', everyMs), every('b', everyMs)])));
        await pause(100);
        return timesOf(seen, 'a') >= 4;
      });
      const [times, most] = [timesOf(seen, 'a'), mostSince(from, everyMs)];
      assert.ok(times <= most, `came ${times} times where ${most} is the most`);
    });
  },

  'a schedule carries the criticality of its scopes, and a changed one': async ({ open, backend, name }) => {
    const queue = await open();
    const planned = async () =>
      lookInto(backend, `${name}-due`, async (due) =>
        Object.fromEntries(
          (await due.getJobSchedulers(0, -1, true)).map(({ key, template }) => [key, template?.data?.criticality]),
        ),
      );
    await queue.schedule([{ ...every('a', 300), criticality: 'critical' }, every('b', 300)]);
    assert.deepEqual(await planned(), { 'shop/aws/1/a': 'critical', 'shop/aws/1/b': undefined });
    await queue.schedule([every('a', 300), { ...every('b', 300), criticality: 'low' }]);
    assert.deepEqual(await planned(), { 'shop/aws/1/a': undefined, 'shop/aws/1/b': 'low' });
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('both came', () => new Set(seen.begun).size === 2));
    assert.deepEqual(
      await lookInto(backend, `${name}-due`, async (due) => (await due.getJobSchedulers(0, -1, true)).length),
      2,
    );
  },

  'scopes come at moments of their own': async ({ open, backend, name }) => {
    const queue = await open();
    const seen = shop({ atOnce: 50, by: async () => 'done' });
    await queue.schedule(Array.from({ length: 40 }, (_, index) => every(`s${index}`, 2_000)));
    const planned = await lookInto(backend, `${name}-due`, (due) => due.getJobSchedulers(0, -1, true));
    const moments = planned.map(({ next = 0 }) => next % 2_000);
    const quarters = [0, 1, 2, 3].map((quarter) => moments.filter((at) => Math.floor(at / 500) === quarter).length);
    assert.equal(moments.length, 40);
    assert.ok(Math.max(...quarters) <= 25, `in the quarters of an interval: ${quarters.join(', ')}`);
    await working(queue, seen, () => until('all came', () => new Set(seen.begun).size === 40));
  },
};

const poisonLaws: Laws = {
  'a pass that fails is tried again, until it ends': async ({ open }) => {
    const queue = await open();
    let failures = 2;
    const seen = shop({
      by: async () => {
        if (failures-- > 0) throw new Error('not yet');
        return 'done';
      },
    });
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it was tried thrice', () => seen.begun.length === 3);
      await quiet();
      assert.equal(seen.begun.length, 3);
      assert.deepEqual(seen.poisoned, []);
    });
  },

  'a pass that fails too often in a row is poison: told, gone, and others go on': async ({ open }) => {
    const queue = await open();
    const seen = shop({
      by: async ({ scope }) => {
        if (scope === 'aws/1/bad') throw new Error('the spec is odd');
        return 'done';
      },
    });
    await working(queue, seen, async () => {
      await queue.request(at('bad'), 'now');
      await queue.request(at('good'), 'periodic');
      await until('it is told', () => seen.poisoned.length > 0);
      assert.deepEqual(seen.poisoned, [
        { scope: 'aws/1/bad', why: 'the reconcile failed 3 times in a row, at last with: the spec is odd' },
      ]);
      await until('nothing is left', async () => (await queue.counts()).every(({ count }) => count === 0));
      assert.deepEqual(
        names(seen.begun).filter((name) => name === 'good'),
        ['good'],
      );
      const before = seen.begun.length;
      await queue.request(at('bad'), 'now');
      await until('it is tried again once it is asked for', () => seen.begun.length > before);
    });
  },

  'a pass that has more to do begins its count of failures anew': async ({ open }) => {
    const queue = await open();
    const turns = ['fail', 'fail', 'again', 'fail', 'fail', 'done'];
    const seen = shop({
      by: async () => {
        const turn = turns.shift();
        if (turn === 'fail') throw new Error('not yet');
        return turn === 'again' ? 'again' : 'done';
      },
    });
    await working(queue, seen, async () => {
      await queue.request(at('a'), 'now');
      await until('it is done', () => turns.length === 0);
      await quiet();
      assert.deepEqual(seen.poisoned, []);
    });
  },

  'poison that nobody could be told of is told later, by whoever works then': async ({ open }) => {
    const queue = await open();
    const broken = shop({
      by: async () => {
        throw new Error('odd');
      },
    });
    const shift = { ...broken.shift, poisoned: () => Promise.reject(new Error('the store is away')) };
    await working(queue, { ...broken, shift }, async () => {
      await queue.request(at('a'), 'now');
      await until('it has failed for good', async () =>
        (await queue.counts()).some(({ state, count }) => state === 'failed' && count === 1),
      );
    });
    const seen = shop({ by: async () => 'done' });
    await working(queue, seen, () => until('it is told', () => seen.poisoned.length === 1));
  },
};

/** BullMQ's own counts of one of its queues, because the port has none. */
async function lookInto<T>(
  backend: Backend,
  name: string,
  look: (queue: ReturnType<Bull['queue']>) => Promise<T>,
): Promise<T> {
  const bull = bullOf(backend);
  const queue = bull.queue(name);
  try {
    return await look(queue);
  } finally {
    bull.closing();
    await queue.close();
    await bull.end();
  }
}

const laws: Laws = {
  ...requestLaws,
  ...listLaws,
  ...orderLaws,
  ...scheduleLaws,
  ...poisonLaws,
  ...lostLaws,
  ...handOverLaws,
};

/** The shortest lock of a law lasts 5 s and is renewed after 1.7 s: a process that stands still for less loses none. */
const leastMs = 1_000;

/** Runs every law over a server. `harness` is asked for once, within the first test. */
export function queueLaws(backend: string, harness: () => Promise<Harness>, options: TestOptions = {}): void {
  let started: Promise<Harness> | undefined;
  for (const [index, [law, run]] of Object.entries(laws).entries())
    test(`${backend}: ${law}`, { timeout: 600_000, ...options }, async () => {
      started ??= harness();
      const server = await started;
      await steadily((attempt) => lawOn(server, `fleet${index}-${attempt}`, run), { leastMs });
    });
}

/** `name`: of a fleet that nobody used before. */
async function lawOn(server: Harness, name: string, run: (bench: Bench) => Promise<void>): Promise<void> {
  const opened: Queue[] = [];
  const open = async (more: Partial<QueueOptions> = {}): Promise<Queue> => {
    const queue = await openQueue(server.backend, {
      clouds: ['aws'],
      name,
      pace: { ...calmPace, ...more.pace },
      tries: { ...quickTries, ...more.tries },
    });
    opened.push(queue);
    return queue;
  };
  try {
    await run({ ...server, name, open });
  } finally {
    await Promise.all(opened.map((queue) => queue.close()));
  }
}
