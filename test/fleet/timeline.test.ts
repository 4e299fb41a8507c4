import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entryOf, timelineOf } from '../../src/fleet/recorder.ts';
import type { PassEntry } from '../../src/ports/passes.ts';

const read: PassEntry = { at: 5, what: 'call', action: 'List', mutating: false, lanes: ['a'], durationMs: 2 };
const write: PassEntry = { ...read, at: 3, action: 'Make', mutating: true };
const network = { kind: 'network', verb: 'create', address: 'aws/1/eu/network/core' } as const;

describe('the timeline of a pass', () => {
  it('counts what was done, and stands in the order in which things began', () => {
    const timeline = timelineOf();
    const settled: PassEntry = { at: 6, what: 'settled', ...network };
    const failed: PassEntry = { ...settled, at: 7, code: 'Denied', why: 'no' };
    const waited: PassEntry = { at: 1, what: 'wait', reason: 'budget', detail: 'Make', durationMs: 4 };
    const withheld: PassEntry = { at: 8, what: 'withheld', code: 'mode', why: 'observed' };
    for (const entry of [read, write, waited, settled, failed, withheld]) timeline.add(entry);
    assert.deepEqual(timeline.account(), {
      counts: { reads: 1, writes: 1, settled: 1, failed: 1, withheld: 1, waitedMs: 4 },
      timeline: [waited, write, read, settled, failed, withheld],
      rest: {},
    });
  });

  it('is bounded, and says how much of what is beyond', () => {
    const timeline = timelineOf({ most: 3, mostQuiet: 1 });
    for (const entry of [write, read, read, read, write, read]) timeline.add(entry);
    const { timeline: kept, rest, counts } = timeline.account();
    assert.deepEqual([kept.length, rest, counts.reads, counts.writes], [3, { call: 3 }, 4, 2]);
  });

  it('is short where nothing was sent', () => {
    const timeline = timelineOf({ most: 3, mostQuiet: 1 });
    for (let i = 0; i < 5; i += 1) timeline.add(read);
    assert.equal(timeline.isQuiet(), true);
    assert.deepEqual(timeline.account().timeline, [read]);
    assert.deepEqual(timeline.account().rest, { call: 4 });
  });
});

describe('a line of it', () => {
  const now = 1_000;

  it('of a call takes what is declared, and when it began', () => {
    const event = {
      ...({
        at: 'called',
        action: 'Make',
        mutating: true,
        lanes: ['a', 'b'],
        durationMs: 30.4,
        requestId: 'q',
      } as const),
      attributes: { secret: 'x' },
    };
    const entry = { what: 'call', at: 970, action: 'Make', mutating: true, lanes: ['a', 'b'], durationMs: 30 };
    assert.deepEqual(entryOf(event, now), { ...entry, requestId: 'q' });
  });

  it('of a batch names the first of many', () => {
    const addresses = Array.from({ length: 25 }, (_, i) => `a${i}`);
    const entry = entryOf({ at: 'acting', kind: 'instance', verb: 'create', addresses }, now);
    assert.ok(entry?.what === 'sent');
    assert.deepEqual([entry.count, entry.addresses.length, entry.addresses[0]], [25, 10, 'a0']);
  });

  it('of a failure is no longer than anybody reads', () => {
    const failure = { kind: 'terminal', code: 'Denied', message: 'x'.repeat(9_000) } as const;
    const entry = entryOf({ at: 'settled', ...network, failure }, now);
    assert.ok(entry?.what === 'settled' && entry.code === 'Denied');
    assert.equal(entry.why?.length, 501);
  });

  it('is none of what is only on its way', () => {
    assert.equal(entryOf({ at: 'waiting', why: 'budget', detail: 'x' }, now), undefined);
    assert.equal(entryOf({ at: 'observing', kind: 'network', seen: 3, complete: false }, now), undefined);
  });
});
