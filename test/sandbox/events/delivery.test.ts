import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Delivery, type EventSender, type Outside, type Post, type Verdict } from '../../../sandbox/events/delivery.ts';
import { seededRandom } from '../../../sandbox/random.ts';

type Answer = number | Error;

interface Stage {
  readonly delivery: Delivery;
  /** The sent events, with the sleeps between: `a`, `100`, `a`. */
  readonly story: readonly (string | number)[];
  settled(): Promise<void>;
}

interface Script {
  readonly answers?: readonly Answer[];
  readonly duplicates?: number;
  readonly attempts?: number;
  readonly delayMs?: number;
  readonly handshake?: EventSender['handshake'];
}

const VERDICTS: Readonly<Record<number, Verdict>> = { 200: 'taken', 400: 'refused' };

/** A delivery with a clock that only its sleeps advance. Its receiver answers by a script, and 200 after that. */
function stage({ answers = [], handshake, ...manner }: Script = {}): Stage {
  const story: (string | number)[] = [];
  const left = [...answers];
  let now = 0;
  const outside: Outside = {
    now: () => now,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      story.push(ms);
      now += ms;
    },
    send: async ({ body }: Post, signal) => {
      signal.throwIfAborted();
      story.push(body);
      const answer = left.shift() ?? 200;
      if (typeof answer !== 'number') throw answer;
      return { status: answer, body: 'hello' };
    },
  };
  const sender: EventSender = {
    post: (event) => ({ headers: {}, body: Object.keys(event).join() }),
    verdict: (status) => VERDICTS[status] ?? 'again',
    ...(handshake === undefined ? {} : { handshake }),
  };
  const delivery = new Delivery({ destination: manner, sender, random: seededRandom(1, 'test'), outside });
  return {
    delivery,
    story,
    settled: async () => {
      while (delivery.state().waiting > 0) await new Promise(setImmediate);
    },
  };
}

const rows: readonly { readonly name: string; readonly script: Script; readonly want: readonly (string | number)[] }[] =
  [
    { name: 'in order', script: {}, want: ['a', 'b', 'c'] },
    {
      name: 'those behind wait for one that fails',
      script: { answers: [503, new Error('down'), 200] },
      want: ['a', 100, 'a', 200, 'a', 'b', 'c'],
    },
    { name: 'what is refused is given up at once', script: { answers: [400] }, want: ['a', 'b', 'c'] },
    {
      name: 'what fails too often is given up',
      script: { answers: [503, 503, 503], attempts: 3 },
      want: ['a', 100, 'a', 200, 'a', 'b', 'c'],
    },
    { name: 'all twice', script: { duplicates: 1 }, want: ['a', 'a', 'b', 'b', 'c', 'c'] },
    { name: 'late, but no later for their number', script: { delayMs: 50 }, want: [50, 'a', 'b', 'c'] },
    {
      name: 'nothing before the handshake is answered well',
      script: {
        answers: [404],
        handshake: { post: { headers: {}, body: 'handshake' }, accepts: ({ status }) => status === 200 },
      },
      want: ['handshake', 100, 'handshake', 'a', 'b', 'c'],
    },
  ];

describe('a delivery', () => {
  for (const { name, script, want } of rows)
    it(name, async () => {
      const { delivery, story, settled } = stage(script);
      for (const event of [{ a: 1 }, { b: 1 }, { c: 1 }]) delivery.push(event);
      await settled();
      assert.deepEqual(story, want);
    });

  it('says how it stands', async () => {
    const { delivery, settled } = stage({ answers: [200, 400, new Error('down')], attempts: 1 });
    for (const event of [{ a: 1 }, { b: 1 }, { c: 1 }]) delivery.push(event);
    await settled();
    assert.deepEqual(delivery.state(), { waiting: 0, sent: 1, failed: 2, dropped: 2, problem: 'down' });
  });

  it('waits no longer than five seconds between attempts', async () => {
    const { delivery, story, settled } = stage({ answers: Array.from({ length: 9 }, () => 503), attempts: 10 });
    delivery.push({ a: 1 });
    await settled();
    assert.deepEqual(
      story.filter((each) => typeof each === 'number'),
      [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000],
    );
  });

  it('once closed, nothing more is sent', async () => {
    const { delivery, story } = stage();
    delivery.push({ a: 1 });
    await delivery.close();
    delivery.push({ b: 1 });
    await new Promise(setImmediate);
    assert.ok(!story.includes('b'));
  });

  it('a token that cannot be made is a failed attempt', async () => {
    const outside: Outside = { now: () => 0, sleep: async () => {}, send: async () => ({ status: 200, body: '' }) };
    const sender: EventSender = { post: () => Promise.reject(new Error('no key')), verdict: () => 'taken' };
    const delivery = new Delivery({ destination: { attempts: 2 }, sender, random: () => 1, outside });
    delivery.push({});
    while (delivery.state().waiting > 0) await new Promise(setImmediate);
    assert.deepEqual(delivery.state(), { waiting: 0, sent: 0, failed: 2, dropped: 1, problem: 'no key' });
  });
});
