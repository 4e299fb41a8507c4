import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventLimits } from '../../../../src/http/limits.ts';
import type { EventDraft, StoredEvent } from '../../../../src/ports/events.ts';
import { watchers } from './support/watchers.ts';

const { poll } = eventLimits.times;
const soon = 2 * poll;
const numbersOf = (events: readonly StoredEvent[]) => events.map(({ about }) => about['n']);
const many = (count: number): readonly Partial<EventDraft>[] => Array.from({ length: count }, () => ({}));

test('who follows the events is told of what happens from then on, in order, each as one JSON object with its place', async () => {
  const { clock, tell, watch } = watchers();
  tell({});
  const watcher = await watch();
  const events = tell({ targets: ['prod'], owner: 'team-web' }, { type: 'pass' }, {});
  await clock.advance(soon);
  const at = new Date(clock.now() - soon).toISOString();
  assert.deepEqual(
    watcher.events.map(({ id, type, data }) => ({ id, type, data: JSON.parse(data) })),
    events.map(({ place, type: stored, ...event }) => {
      const type = stored === 'pass' ? 'reconcile' : stored;
      return { id: place, type, data: { ...event, type, at } };
    }),
  );
  assert.deepEqual([watcher.retryMs(), watcher.lastId()], [2000, events.at(-1)?.place]);
});

test('who follows the events begins at a place even before anything happens', async () => {
  const { clock, tell, watch } = watchers();
  tell({});
  const first = await watch();
  await clock.advance(0);
  first.leave();
  const missed = tell({}, {});
  const again = await watch({ from: first.lastId() });
  await clock.advance(soon);
  assert.deepEqual(again.numbers(), numbersOf(missed));
});

test('who follows the events that comes back is told of all since, in pages, then of what happens, without a gap or a double', async () => {
  const { clock, tell, watch } = watchers({ limits: { recent: 10 } });
  const [first, ...missed] = tell(...many(351));
  const watcher = await watch({ from: first?.place });
  const later: unknown[] = [];
  for (let n = 0; n < 20; n++) {
    later.push(...numbersOf(tell({}, {})));
    await clock.advance(37);
  }
  await clock.advance(soon);
  assert.deepEqual(watcher.numbers(), [...numbersOf(missed), ...later]);
});

test('who follows the events costs the store as little as a single one', async () => {
  const { clock, tell, watch, reads } = watchers();
  const all = await Promise.all(Array.from({ length: 50 }, () => watch()));
  await clock.advance(3 * poll);
  const before = reads();
  for (let n = 0; n < 10; n++) {
    tell({});
    await clock.advance(poll);
  }
  assert.equal(reads() - before, 10);
  assert.ok(all.every(({ events }) => events.length === 10));
});

test('who follows the events asks nothing of the store once nobody follows', async () => {
  const { clock, watch, reads } = watchers();
  const watcher = await watch();
  await clock.advance(1000);
  watcher.leave();
  await clock.advance(soon);
  const before = reads();
  await clock.advance(60_000);
  assert.deepEqual([reads(), clock.sleepers(), watcher.hasEnded()], [before, 0, true]);
});

test('who follows the events slowly keeps nothing in memory, is never skipped, and holds up nobody', async () => {
  const { clock, tell, watch, reads } = watchers({ limits: { recent: 100 } });
  const slow = await watch({ slow: true });
  const fast = await watch();
  await slow.take();
  const all: unknown[] = [];
  for (let n = 0; n < 50; n++) {
    all.push(...numbersOf(tell(...many(40))));
    await clock.advance(poll);
  }
  await clock.advance(soon);
  assert.deepEqual(fast.numbers(), all);
  assert.deepEqual(slow.numbers(), []);
  const before = reads();
  while (slow.numbers().length < all.length) {
    const taken = slow.take();
    await clock.advance(soon);
    await taken;
  }
  assert.deepEqual(slow.numbers(), all);
  assert.ok(reads() - before >= 19, 'it was read to from the store');
});

test('who follows the events takes no more than so much text at once', async () => {
  const { clock, tell, watch } = watchers();
  const slow = await watch({ slow: true });
  await slow.take();
  await clock.advance(soon);
  tell(...many(40).map(() => ({ about: { text: 'x'.repeat(2000) } })));
  await clock.advance(soon);
  await slow.take();
  assert.equal(slow.events.length, 15);
});

test('who follows the events and stands further than this process has read is told of what comes after, once', async () => {
  let isBehind = true;
  const { clock, tell, watch } = watchers({
    events: (inner) => ({
      ...inner,
      after: async (place, limit) => {
        const page = await inner.after(place, limit);
        return isBehind && limit === 500 ? { ...page, events: [], place, more: false } : page;
      },
    }),
  });
  await watch();
  await clock.advance(soon);
  const [, , last] = tell({}, {}, {});
  const ahead = await watch({ from: last?.place });
  await clock.advance(soon);
  isBehind = false;
  const rest = tell({}, {});
  await clock.advance(soon);
  assert.deepEqual(ahead.numbers(), numbersOf(rest));
});

test('who follows the events from a place that is gone is told to read the inventory again, and then of what happens', async () => {
  const { clock, tell, watch } = watchers();
  tell({});
  for (const from of ['memory-ffffffffffffffff', 'other-0000000000000000', '', 'nonsense']) {
    const watcher = await watch({ from });
    await clock.advance(soon);
    const [told] = tell({});
    await clock.advance(soon);
    assert.deepEqual(
      watcher.events.map(({ type }) => type),
      ['reset', 'resource'],
    );
    assert.match(String(JSON.parse(watcher.events[0]?.data ?? '').reason), /inventory again/);
    assert.ok((watcher.events[0]?.id ?? '') < (told?.place ?? ''));
    watcher.leave();
  }
});

test('who follows the events is told so too when what was to come is gone under way', async () => {
  let isGone = false;
  const { clock, tell, watch } = watchers({
    events: (inner) => ({
      ...inner,
      after: async (place, limit) =>
        isGone
          ? { events: [], place: await inner.newest(), more: false, gone: true, waits: false }
          : inner.after(place, limit),
    }),
  });
  const watcher = await watch();
  tell({});
  await clock.advance(soon);
  isGone = true;
  tell({});
  await clock.advance(poll);
  isGone = false;
  await clock.advance(soon);
  tell({});
  await clock.advance(soon);
  assert.deepEqual(
    watcher.events.map(({ type }) => type),
    ['resource', 'reset', 'resource'],
  );
});

test('who follows the events goes on while the store does not answer, with one line in the log', async () => {
  let isAway = false;
  const { clock, tell, watch, lines } = watchers({
    events: (inner) => ({
      ...inner,
      after: async (place, limit) => {
        if (isAway) throw new Error('connection refused');
        return inner.after(place, limit);
      },
    }),
  });
  const watcher = await watch();
  await clock.advance(soon);
  isAway = true;
  const missed = tell({}, {});
  await clock.advance(60_000);
  assert.ok(!watcher.hasEnded() && watcher.comments() >= 3);
  isAway = false;
  await clock.advance(2000);
  assert.deepEqual(watcher.numbers(), numbersOf(missed));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg ?? JSON.parse(line).message),
    ['cannot read events from the store; retrying', 'events are readable again'],
  );
});

test('who follows the events is not held up by one that does not fit, which is logged of once', async () => {
  const { clock, lines, tell, watch } = watchers();
  const [first, second] = [await watch(), await watch()];
  await clock.advance(soon);
  // why: a newer version may have types that this one does not know
  const [, , after] = tell({}, { type: 'newer' as 'pass' }, {});
  await clock.advance(soon);
  for (const one of [first, second]) assert.equal(one.numbers().at(-1), after?.about['n']);
  const back = await watch({ from: first.events[0]?.id });
  await clock.advance(soon);
  assert.deepEqual(back.numbers(), [after?.about['n']]);
  assert.equal(lines.filter((line) => line.includes('skipping an event')).length, 1);
});
