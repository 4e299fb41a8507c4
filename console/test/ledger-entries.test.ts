import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LedgerEntry } from '../src/api.d.ts';
import { ledgerRows, rowText, timeOf, verbText } from '../src/ledger/entries.ts';

const entry = (seq: number, type: LedgerEntry['type'], body: LedgerEntry['body']): LedgerEntry => ({
  ...{ seq, type, body },
  at: new Date(Date.UTC(2027, 0, 1) + seq * 1000).toISOString(),
  chain: { previous: '', hash: '' },
});

const authority = { approver: 'setpoint', generation: 7, revision: 'git:abc', plan: 'unattended' };
const action = (intent: string, more: object = {}) => ({
  ...{ intent, verb: 'create', address: 'aws/1/eu/instance/web-0', reconcileId: 'r', authority },
  ...more,
});
const settled = (intent: string, outcome: object, more: object = {}) =>
  action(intent, { outcome, closes: true, calls: [{ action: 'RunInstances', requestId: 'q-1' }], ...more });
const failure = { code: 'InsufficientInstanceCapacity', message: 'no room' };

describe('rows of the ledger', () => {
  it('an intent and its settlement are one row, with the time between', () => {
    const [row, ...more] = ledgerRows([
      entry(3, 'settlement', settled('a', { ok: true })),
      entry(1, 'intent', action('a')),
    ]);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [row?.outcome, row?.seq, row?.entries, row?.durationMs, row?.actor, row?.generation],
      ['done', 3, [1, 3], 2000, '', '7'],
    );
    assert.deepEqual(row?.calls, [{ action: 'RunInstances', requestId: 'q-1', code: '' }]);
  });

  const outcomes = [
    { name: 'an intent alone is open', entries: [entry(1, 'intent', action('a'))], want: ['open', undefined, ''] },
    {
      name: 'a settlement alone has no duration',
      entries: [entry(2, 'settlement', settled('a', { ok: true }))],
      want: ['done', undefined, ''],
    },
    {
      name: 'a refusal says so in the words of the cloud',
      entries: [entry(2, 'settlement', settled('a', { ok: false, failure }))],
      want: ['failed', undefined, 'InsufficientInstanceCapacity: no room'],
    },
    {
      name: 'a settlement that leaves the intent open is uncertain',
      entries: [entry(2, 'settlement', settled('a', { ok: false, failure }, { closes: false }))],
      want: ['uncertain', undefined, 'InsufficientInstanceCapacity: no room'],
    },
    {
      name: 'an attempt after a failure is open again',
      entries: [
        entry(3, 'intent', action('a', { attempt: 2 })),
        entry(2, 'settlement', settled('a', { ok: false, failure }, { closes: false })),
        entry(1, 'intent', action('a')),
      ],
      want: ['open', 1000, 'InsufficientInstanceCapacity: no room'],
    },
  ];
  for (const { name, entries, want } of outcomes)
    it(name, () => {
      const [row] = ledgerRows(entries);
      assert.deepEqual([row?.outcome, row?.durationMs, row?.reason], want);
    });

  it('other actions and decisions in between stay rows of their own, newest first', () => {
    const rows = ledgerRows([
      entry(4, 'settlement', settled('a', { ok: true })),
      entry(3, 'note', { note: { pause: { of: { by: 'target', name: 'aws' }, person: 'eve', reason: 'freeze' } } }),
      entry(2, 'intent', action('b')),
      entry(1, 'intent', action('a')),
    ]);
    assert.deepEqual(
      rows.map(({ entries }) => entries),
      [[1, 4], [3], [2]],
    );
    const [, note] = rows;
    assert.deepEqual(
      [note?.outcome, note && verbText(note), note?.subject, note?.actor, note?.reason],
      ['decision', 'Pause', 'target aws', 'eve', 'freeze'],
    );
  });

  it('a decision about a resource has its address, and one that is not known its own name', () => {
    const of = { by: 'address', name: 'aws/1/eu/instance/web-0' };
    const [row] = ledgerRows([entry(1, 'note', { note: { someday: { of, by: { person: 'ann', reason: 'why' } } } })]);
    assert.deepEqual(
      [row?.address, row?.subject, row && verbText(row), row?.actor, row?.reason],
      [of.name, '', 'someday', 'ann', 'why'],
    );
  });

  it('a body of any shape makes a row', () => {
    for (const body of [{}, { note: null }, { note: [] }, { calls: [null, 1], outcome: 'x', authority: [] }])
      for (const type of ['intent', 'settlement', 'note'] as const)
        assert.equal(ledgerRows([entry(1, type, body as LedgerEntry['body'])]).length, 1);
  });
});

describe('a time of the filter', () => {
  it('is a time or an age', () => {
    const now = Date.UTC(2027, 0, 31, 12);
    const table: readonly (readonly [value: string | undefined, time: string | undefined])[] = [
      ['12h', '2027-01-31T00:00:00.000Z'],
      ['2w', '2027-01-17T12:00:00.000Z'],
      ['2027-01-30T08:00:00+02:00', '2027-01-30T06:00:00.000Z'],
      ['12 hours', undefined],
      [undefined, undefined],
    ];
    for (const [value, time] of table) assert.equal(timeOf(value, now), time, value);
  });
});

describe('an entry alone, as one line', () => {
  const lineOf = (one: LedgerEntry): string => ledgerRows([one]).map(rowText).join();
  const table: readonly (readonly [type: LedgerEntry['type'], body: LedgerEntry['body'], line: string])[] = [
    ['intent', action('a'), 'Intent to create, generation 7'],
    [
      'intent',
      action('a', { authority: { ...authority, approver: 'eve' } }),
      'Intent to create, generation 7, approved by eve',
    ],
    ['settlement', settled('a', { ok: true }), 'Done: create'],
    ['settlement', settled('a', { ok: false, failure }), 'Failed: create: InsufficientInstanceCapacity: no room'],
    ['settlement', settled('a', { ok: true }, { closes: false }), 'Not known yet: create'],
    ['note', { note: { pause: { person: 'eve', of: { by: 'target', name: 'aws' } } } }, 'Decision: Pause, by eve'],
  ];
  for (const [type, body, line] of table) it(line, () => assert.equal(lineOf(entry(1, type, body)), line));
});
