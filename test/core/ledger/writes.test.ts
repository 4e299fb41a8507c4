import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Linked } from '../../../src/core/ledger/entry.ts';
import { writesIn } from '../../../src/core/ledger/writes.ts';

const chain = { previous: '', hash: '' };
const common = {
  estate: 'acme',
  scope: 'aws/1/eu',
  verb: 'update',
  kind: 'instance',
  address: 'aws/1/eu/instance/web-0',
  id: 'i-1',
  intent: 'one',
  reconcileId: 'r',
  authority: { revision: 'git:1a2b3c4d', generation: 3, plan: 'p', approver: 'ann' },
};
const by = { who: 'bob', action: 'CreateTags', from: '203.0.113.9', agent: 'cli', event: 'e-1', at: 5, requestId: 'q' };

let seq = 0;
const entry = (type: Linked['type'], more: object = {}): Linked => {
  seq += 1;
  return { seq, at: 10 * seq, type, body: { ...common, ...more }, chain };
};
const intent = (more: object = {}) => entry('intent', { details: { by, attributes: { size: 1 } }, ...more });
const settlement = (more: object = {}) =>
  entry('settlement', {
    outcome: { ok: true },
    closes: true,
    effects: [],
    calls: [{ action: 'CreateTags', requestId: 'c-1', durationMs: 1 }, { action: 'Poll' }, {}],
    ...more,
  });

describe('the writes that a ledger tells of', () => {
  it('are an intent with its settlement, with all that people ask for', () => {
    const [first, last] = [intent(), settlement()];
    assert.deepEqual(writesIn([last, first]), [
      {
        seq: first.seq,
        at: last.at,
        verb: 'update',
        kind: 'instance',
        address: common.address,
        id: 'i-1',
        scope: 'aws/1/eu',
        reconcileId: 'r',
        revision: 'git:1a2b3c4d',
        generation: 3,
        approver: 'ann',
        outcome: 'ok',
        calls: [{ action: 'CreateTags', requestId: 'c-1' }, { action: 'Poll' }],
        undid: by,
        attributes: { size: 1 },
      },
    ]);
  });

  const failure = { ok: false, failure: { kind: 'denied', code: 'X', message: 'x' } };
  const outcomes: readonly (readonly [name: string, entries: readonly Linked[], want: readonly string[]])[] = [
    ['an intent alone', [intent()], ['open']],
    ['a settlement whose intent lies further back', [settlement()], ['ok']],
    ['a failure', [intent(), settlement({ outcome: failure })], ['failed']],
    ['a failure that leaves it open', [intent(), settlement({ outcome: failure, closes: false })], ['open']],
    ['a second attempt', [intent(), settlement({ outcome: failure, closes: false }), intent(), settlement()], ['ok']],
    ['two intents', [intent(), settlement(), intent({ intent: 'two' })], ['open', 'ok']],
    ['a note', [entry('note'), { ...intent(), body: { note: {} } }], []],
  ];
  for (const [name, entries, want] of outcomes)
    it(`${name}: ${want.join(', ') || 'none'}`, () =>
      assert.deepEqual(
        writesIn(entries).map(({ outcome }) => outcome),
        want,
      ));

  it('of an update and a removal state the values before', () => {
    const ports = (value: string) => ({ match: { protocol: 'tcp', ports: value } });
    const changes = [{ field: 'match.ports', from: '22,2222', to: '22' }];
    const before = (verb: string, details: object) =>
      writesIn([{ ...intent(), body: { ...common, verb, details } }])[0]?.before;
    assert.deepEqual(before('update', { attributes: ports('22'), changes }), ports('22,2222'));
    assert.deepEqual(before('delete', { attributes: ports('22') }), ports('22'));
    assert.equal(before('create', { attributes: ports('22') }), undefined);
  });

  it('of a creation have the id that the cloud gave, and of none what it undid', () => {
    const { id: _, ...unnamed } = common;
    const [write] = writesIn([
      { ...intent(), body: { ...unnamed, verb: 'create', details: {} } },
      {
        ...settlement(),
        body: {
          ...unnamed,
          outcome: { ok: true },
          effects: [{ do: 'apply' }, { do: 'claim', subject: { id: 'i-9' } }],
        },
      },
    ]);
    assert.equal(write?.id, 'i-9');
    assert.ok(write !== undefined && !('undid' in write));
  });
});
