import assert from 'node:assert/strict';
import { test } from 'node:test';
import { genesis, type Head, headOf, link } from '../../../src/core/ledger/chain.ts';
import { checkpointText, readCheckpoint, type SignedCheckpoint } from '../../../src/core/ledger/checkpoint.ts';
import type { Linked } from '../../../src/core/ledger/entry.ts';
import { type Verdict, verification } from '../../../src/core/ledger/verification.ts';

/** Not a hash to trust, but one that shows every difference. */
const hash = (text: string): string => `#${[...text].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 2147483647, 7)}`;
const sign = (text: string): string => `signed ${hash(text)}`;
const isSigned = (text: string, signature: string): boolean => signature === sign(text);

const store = 's1';
const estate = 'acme';

/** Entries noting 1 to `count`; `twist` may alter what is noted. */
function chain(count: number, twist: (n: number) => unknown = (n) => n, of = { store, estate }): readonly Linked[] {
  const entries: Linked[] = [];
  let head: Head = genesis(of.store, of.estate, hash);
  for (let n = 1; n <= count; n++) {
    const entry = link(head, { at: n, type: 'note', body: { n: twist(n) } }, hash);
    entries.push(entry);
    head = headOf(entry);
  }
  return entries;
}

function signed({ seq, chain: { hash: at } }: Linked, rest: Partial<SignedCheckpoint> = {}): SignedCheckpoint {
  const checkpoint = { store, estate, seq, hash: at, at: 0 };
  return { ...checkpoint, key: 'k', signature: sign(checkpointText(checkpoint)), ...rest };
}

function verify(entries: readonly Linked[], checkpoints: readonly SignedCheckpoint[], recorded?: Head): Verdict {
  const check = verification({ store, estate, checkpoints }, { hash, isSigned });
  entries.every((entry) => check.follow(entry));
  return check.end(recorded);
}

const whole = chain(5);
const at = (seq: number): Linked => {
  const entry = whole[seq - 1];
  assert.ok(entry);
  return entry;
};
const altered = (seq: number, change: (entry: Linked) => Linked) =>
  whole.map((entry) => (entry.seq === seq ? change(entry) : entry));

const rows: readonly {
  readonly name: string;
  readonly entries: readonly Linked[];
  readonly checkpoints?: readonly SignedCheckpoint[];
  readonly recorded?: Head;
  readonly want: number | 'ok';
  readonly reason?: RegExp;
}[] = [
  { name: 'whole', entries: whole, checkpoints: [signed(at(2)), signed(at(5))], recorded: headOf(at(5)), want: 'ok' },
  { name: 'nothing at all', entries: [], want: 'ok' },
  { name: 'grown since the checkpoint', entries: whole, checkpoints: [signed(at(3))], want: 'ok' },
  {
    name: 'body changed',
    entries: altered(3, (e) => ({ ...e, body: { n: 99 } })),
    want: 3,
    reason: /content was changed/,
  },
  { name: 'time changed', entries: altered(3, (e) => ({ ...e, at: 99 })), want: 3, reason: /content was changed/ },
  {
    name: 'type changed',
    entries: altered(3, (e) => ({ ...e, type: 'intent' })),
    want: 3,
    reason: /content was changed/,
  },
  {
    name: 'body changed and its own hash made to fit',
    entries: altered(3, () => link(headOf(at(2)), { at: 3, type: 'note', body: { n: 99 } }, hash)),
    want: 4,
    reason: /predecessor/,
  },
  {
    name: 'one missing',
    entries: whole.filter(({ seq }) => seq !== 3),
    want: 3,
    reason: /entry 3 is missing: 4 follows 2/,
  },
  { name: 'the first missing', entries: whole.slice(1), want: 1, reason: /entry 1 is missing/ },
  { name: 'one twice', entries: [at(1), at(1), at(2)], want: 1, reason: /out of order/ },
  {
    name: 'another estate’s chain',
    entries: chain(5, (n) => n, { store, estate: 'other' }),
    want: 1,
    reason: /predecessor/,
  },
  {
    name: 'another store’s chain',
    entries: chain(5, (n) => n, { store: 's2', estate }),
    want: 1,
    reason: /predecessor/,
  },
  {
    name: 'recomputed from entry 3 on',
    entries: chain(5, (n) => (n === 3 ? 99 : n)),
    checkpoints: [signed(at(2)), signed(at(4))],
    want: 4,
    reason: /recomputed/,
  },
  {
    name: 'tail cut',
    entries: whole.slice(0, 3),
    checkpoints: [signed(at(5)), signed(at(2))],
    want: 4,
    reason: /tail is cut.*entry 5.*is 3/,
  },
  { name: 'all cut', entries: [], checkpoints: [signed(at(5))], want: 1, reason: /tail is cut/ },
  {
    name: 'tail cut, no checkpoint, but the database remembers',
    entries: whole.slice(0, 3),
    recorded: headOf(at(5)),
    want: 4,
    reason: /ends at 3/,
  },
  {
    name: 'the database remembers another hash',
    entries: whole,
    recorded: { seq: 5, hash: 'x' },
    want: 6,
    reason: /recorded/,
  },
  {
    name: 'a checkpoint without signature',
    entries: whole,
    checkpoints: [signed(at(2), { signature: 'x' })],
    want: 2,
    reason: /no valid signature/,
  },
  {
    name: 'a signature moved to another entry',
    entries: whole,
    checkpoints: [signed(at(2), { seq: 3 })],
    want: 3,
    reason: /no valid signature/,
  },
  {
    name: 'a forged checkpoint beyond the end',
    entries: whole,
    checkpoints: [signed(at(2), { seq: 9 })],
    want: 6,
    reason: /no valid signature/,
  },
  {
    name: 'checkpoints of others say nothing here',
    entries: whole,
    checkpoints: [signed(at(2), { estate: 'x', hash: 'x' }), signed(at(2), { store: 's0', seq: 9 })],
    want: 'ok',
  },
];

for (const { name, entries, checkpoints = [], recorded, want, reason } of rows)
  test(`verification: ${name}`, () => {
    const verdict = verify(entries, checkpoints, recorded);
    assert.equal(verdict.ok ? 'ok' : verdict.seq, want);
    if (!verdict.ok) assert.match(verdict.reason, reason ?? /^$/);
  });

test('verification: says how much it checked', () => {
  assert.deepEqual(verify(whole, [signed(at(5))]), { ok: true, entries: 5, checkpoints: 1, head: headOf(at(5)) });
});

test('checkpoint: what is written reads back, and nothing else is taken for one', () => {
  assert.deepEqual(readCheckpoint(JSON.stringify(signed(at(2)))), signed(at(2)));
  for (const line of ['{}', '[]', 'null', '"x"', '{', JSON.stringify({ ...signed(at(2)), seq: '2' })])
    assert.throws(() => readCheckpoint(line));
});
