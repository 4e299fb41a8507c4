import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AnyCheckpoint,
  chainGenesis,
  checkpointText,
  type EstateCheckpoint,
  type EstateHead,
  estateHeadOf,
  genesis,
  type Head,
  headOf,
  link,
  linkFirst,
  type ProcessCheckpoint,
  processText,
  readCheckpoint,
  readWitnessed,
  rootOf,
  type SignedCheckpoint,
  sealText,
  withoutHeads,
} from '../../../src/core/ledger/chain.ts';
import type { Linked } from '../../../src/core/ledger/entry.ts';
import {
  type Claimed,
  type LedgerItem,
  type Recorded,
  type Verdict,
  verification,
} from '../../../src/core/ledger/verification.ts';
import { assertGolden } from '../../support/golden.ts';

/** Not a hash to trust, but one that shows every difference. */
const hash = (text: string): string => `#${[...text].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 2147483647, 7)}`;
const sign = (text: string): string => `signed ${hash(text)}`;
const isSigned = (text: string, signature: string): boolean => signature === sign(text);

const store = 's1';
const estate = 'acme';

function verify(
  items: readonly LedgerItem[],
  checkpoints: readonly AnyCheckpoint[],
  recorded?: Recorded,
  compared: Pick<Claimed, 'witness' | 'unsignedLimit'> = {},
): Verdict {
  const check = verification({ store, estate, checkpoints, ...compared }, { hash, keys: ['k'], isSigned });
  items.every((item) => check.follow(item));
  return check.end(recorded);
}

interface Row {
  readonly name: string;
  readonly items: readonly LedgerItem[];
  readonly checkpoints?: readonly AnyCheckpoint[];
  readonly recorded?: Recorded;
  readonly want: number | 'ok';
  readonly reason?: RegExp;
}

/** One chain of the first version: notes 1 to `count`; `twist` may alter the note. */
function first(count: number, twist: (n: number) => unknown = (n) => n, of = { store, estate }): readonly Linked[] {
  const entries: Linked[] = [];
  let head: EstateHead = genesis(of.store, of.estate, hash);
  for (let n = 1; n <= count; n++) {
    const entry = linkFirst(head, { at: n, type: 'note', body: { n: twist(n) } }, hash);
    entries.push(entry);
    head = estateHeadOf(entry);
  }
  return entries;
}

function signedFirst({ seq, chain: { hash: at } }: Linked, rest: Partial<EstateCheckpoint> = {}): EstateCheckpoint {
  const checkpoint = { store, estate, seq, hash: at, at: 0 };
  return { ...checkpoint, key: 'k', signature: sign(sealText(checkpoint)), ...rest };
}

const old = first(5);
const oldAt = (seq: number): Linked => {
  const entry = old[seq - 1];
  assert.ok(entry);
  return entry;
};
const oldAltered = (seq: number, change: (entry: Linked) => Linked) =>
  old.map((entry) => (entry.seq === seq ? change(entry) : entry));
const oldEnd = (head: EstateHead): Recorded => ({ first: head, heads: [] });

const firstRows: readonly Row[] = [
  {
    name: 'whole',
    items: old,
    checkpoints: [signedFirst(oldAt(2)), signedFirst(oldAt(5))],
    recorded: oldEnd(estateHeadOf(oldAt(5))),
    want: 'ok',
  },
  { name: 'nothing at all', items: [], want: 'ok' },
  { name: 'grown since the checkpoint', items: old, checkpoints: [signedFirst(oldAt(3))], want: 'ok' },
  {
    name: 'body changed',
    items: oldAltered(3, (e) => ({ ...e, body: { n: 99 } })),
    want: 3,
    reason: /content was changed/,
  },
  { name: 'time changed', items: oldAltered(3, (e) => ({ ...e, at: 99 })), want: 3, reason: /content was changed/ },
  {
    name: 'type changed',
    items: oldAltered(3, (e) => ({ ...e, type: 'intent' })),
    want: 3,
    reason: /content was changed/,
  },
  {
    name: 'body changed and its own hash made to fit',
    items: oldAltered(3, () => linkFirst(estateHeadOf(oldAt(2)), { at: 3, type: 'note', body: { n: 99 } }, hash)),
    want: 4,
    reason: /predecessor/,
  },
  {
    name: 'one missing',
    items: old.filter(({ seq }) => seq !== 3),
    want: 3,
    reason: /entry 3 is missing: 4 follows 2/,
  },
  { name: 'the first missing', items: old.slice(1), want: 1, reason: /entry 1 is missing/ },
  { name: 'one twice', items: [oldAt(1), oldAt(1), oldAt(2)], want: 1, reason: /out of order/ },
  {
    name: 'another estate’s chain',
    items: first(5, (n) => n, { store, estate: 'other' }),
    want: 1,
    reason: /predecessor/,
  },
  { name: 'another store’s chain', items: first(5, (n) => n, { store: 's2', estate }), want: 1, reason: /predecessor/ },
  {
    name: 'recomputed from entry 3 on',
    items: first(5, (n) => (n === 3 ? 99 : n)),
    checkpoints: [signedFirst(oldAt(2)), signedFirst(oldAt(4))],
    want: 4,
    reason: /recomputed/,
  },
  {
    name: 'tail cut',
    items: old.slice(0, 3),
    checkpoints: [signedFirst(oldAt(5)), signedFirst(oldAt(2))],
    want: 4,
    reason: /tail is cut.*entry 5.*is 3/,
  },
  { name: 'all cut', items: [], checkpoints: [signedFirst(oldAt(5))], want: 1, reason: /tail is cut/ },
  {
    name: 'tail cut, no checkpoint, but the database remembers',
    items: old.slice(0, 3),
    recorded: oldEnd(estateHeadOf(oldAt(5))),
    want: 4,
    reason: /ends at 3/,
  },
  {
    name: 'the database remembers another hash',
    items: old,
    recorded: oldEnd({ seq: 5, hash: 'x' }),
    want: 6,
    reason: /recorded/,
  },
  {
    name: 'a checkpoint without signature',
    items: old,
    checkpoints: [signedFirst(oldAt(2), { signature: 'x' })],
    want: 2,
    reason: /no valid signature/,
  },
  {
    name: 'a signature moved to another entry',
    items: old,
    checkpoints: [signedFirst(oldAt(2), { seq: 3 })],
    want: 3,
    reason: /no valid signature/,
  },
  {
    name: 'a forged checkpoint beyond the end',
    items: old,
    checkpoints: [signedFirst(oldAt(2), { seq: 9 })],
    want: 6,
    reason: /no valid signature/,
  },
  {
    name: 'checkpoints of others say nothing here',
    items: old,
    checkpoints: [signedFirst(oldAt(2), { estate: 'x', hash: 'x' }), signedFirst(oldAt(2), { store: 's0', seq: 9 })],
    want: 'ok',
  },
];

const sealOf = (end: EstateHead, rest: Partial<EstateCheckpoint> = {}): EstateCheckpoint => {
  const checkpoint = { store, estate, seq: end.seq, hash: end.hash, at: 9 };
  return { ...checkpoint, key: 'k', signature: sign(sealText(checkpoint)), ...rest };
};
const seal = sealOf(genesis(store, estate, hash));

/** Entries of several chains side by side, in the order of their names, after `begun`. */
function chains(
  names: readonly string[],
  begun = seal,
  twist: (seq: number) => unknown = (seq) => seq,
): readonly Linked[] {
  const heads = new Map<string, Head>();
  return names.map((of, index) => {
    const head = heads.get(of) ?? chainGenesis(begun, of, hash);
    const seq = begun.seq + 1 + index;
    const entry = link(head, seq, { at: seq, type: 'intent', body: { n: twist(seq) } }, hash);
    heads.set(of, headOf(entry));
    return entry;
  });
}

const two = ['aws/1/a', 'people', 'aws/1/a', 'aws/1/b', 'aws/1/a', 'aws/1/b'];
const whole = chains(two);
const at = (seq: number): Linked => {
  const entry = whole[seq - 1];
  assert.ok(entry);
  return entry;
};
const headsOf = (...seqs: readonly number[]): readonly Head[] => seqs.map((seq) => headOf(at(seq)));
function signed(seqs: readonly number[], rest: Partial<ProcessCheckpoint> = {}): ProcessCheckpoint {
  const checkpoint = { store, estate, at: 10, heads: headsOf(...seqs) };
  return { ...checkpoint, key: 'k', signature: sign(processText(checkpoint)), ...rest };
}
const recorded: Recorded = { first: genesis(store, estate, hash), heads: headsOf(2, 5, 6) };
const without = (...seqs: readonly number[]) => whole.filter(({ seq }) => !seqs.includes(seq));
const altered = (seq: number, change: (entry: Linked) => Linked) =>
  whole.map((entry) => (entry.seq === seq ? change(entry) : entry));
const sealedOld = sealOf(estateHeadOf(oldAt(5)));

const chainRows: readonly Row[] = [
  {
    name: 'several chains, whole',
    items: [{ seal }, ...whole],
    checkpoints: [signed([2, 3]), signed([5, 6])],
    recorded,
    want: 'ok',
  },
  {
    name: 'a chain of which the database recorded that nothing stands in it yet',
    items: [{ seal }, ...whole],
    recorded: { ...recorded, heads: [...recorded.heads, { of: 'aws/1/empty', number: 0, hash: 'x' }] },
    want: 'ok',
  },
  { name: 'behind a first version', items: [...old, { seal: sealedOld }, ...chains(two, sealedOld)], want: 'ok' },
  {
    name: 'numbers of transactions that came to nothing are left out',
    items: [{ seal }, ...chains(two, sealOf({ ...seal, seq: 0 }))],
    want: 'ok',
  },
  {
    name: 'a body changed',
    items: [{ seal }, ...altered(3, (e) => ({ ...e, body: { n: 99 } }))],
    want: 3,
    reason: /content was changed.*aws\/1\/a/,
  },
  {
    name: 'a number changed',
    items: [{ seal }, ...altered(6, (e) => ({ ...e, seq: 7 }))],
    want: 7,
    reason: /content was changed/,
  },
  {
    name: 'moved into another chain',
    items: [{ seal }, ...altered(6, (e) => ({ ...e, chain: { ...e.chain, of: 'people' } }))],
    want: 6,
    reason: /predecessor/,
  },
  {
    name: 'one missing in the middle of a chain',
    items: [{ seal }, ...without(3)],
    want: 2,
    reason: /entry 2 is missing: 3 follows 1/,
  },
  {
    name: 'a tail cut that a checkpoint names',
    items: [{ seal }, ...without(5)],
    checkpoints: [signed([5, 6])],
    want: 4,
    reason: /tail is cut.*entry 3.*is 2.*aws\/1\/a/,
  },
  {
    name: 'a tail cut that the database remembers',
    items: [{ seal }, ...without(6)],
    recorded,
    want: 5,
    reason: /ends at 1.*end at 2.*aws\/1\/b/,
  },
  {
    name: 'a whole chain gone',
    items: [{ seal }, ...without(4, 6)],
    checkpoints: [signed([4])],
    want: 1,
    reason: /tail is cut.*aws\/1\/b/,
  },
  { name: 'everything gone', items: [], checkpoints: [signed([4])], want: 1, reason: /tail is cut/ },
  {
    name: 'a chain recomputed',
    items: [{ seal }, ...chains(two, seal, (seq) => (seq === 3 ? 99 : seq))],
    checkpoints: [signed([5])],
    want: 5,
    reason: /recomputed/,
  },
  {
    name: 'a checkpoint without signature',
    items: [{ seal }, ...whole],
    checkpoints: [signed([3], { signature: 'x' })],
    want: 3,
    reason: /no valid signature/,
  },
  {
    name: 'one head put into a signed checkpoint',
    items: [{ seal }, ...whole],
    checkpoints: [signed([3], { heads: headsOf(3, 6) })],
    want: 3,
    reason: /no valid signature/,
  },
  { name: 'no seal', items: whole, want: 1, reason: /seal.*is missing/ },
  { name: 'another seal', items: [{ seal: sealOf(seal, { at: 8 }) }, ...whole], want: 1, reason: /no valid signature/ },
  {
    name: 'another seal, by a key that is not here',
    items: [{ seal: sealOf(seal, { at: 8, key: 'other' }) }, ...whole],
    want: 1,
    reason: /predecessor/,
  },
  {
    name: 'a seal by a key that is not here',
    items: [
      { seal: sealOf(seal, { key: 'other', signature: 'x' }) },
      ...chains(two, sealOf(seal, { key: 'other', signature: 'x' })),
    ],
    want: 'ok',
  },
  {
    name: 'sealed before the end of the first version',
    items: [...old, { seal: sealOf(estateHeadOf(oldAt(4))) }],
    want: 5,
    reason: /ends at 5.*sealed at 4/,
  },
  {
    name: 'an entry of the first version behind the seal',
    items: [...old.slice(0, 4), { seal: sealOf(estateHeadOf(oldAt(4))) }, oldAt(5)],
    want: 5,
    reason: /sealed/,
  },
  {
    name: 'the first version cut away below its seal',
    items: [{ seal: sealedOld }, ...chains(two, sealedOld)],
    want: 1,
    reason: /ends at 0.*sealed at 5/,
  },
  {
    name: 'an export of the first version, with the checkpoints of later chains',
    items: old,
    checkpoints: [signedFirst(oldAt(5)), signed([5, 6])],
    want: 'ok',
  },
  {
    name: 'the first version in a database that has no later chains any more',
    items: old,
    checkpoints: [signed([5, 6])],
    recorded: oldEnd(estateHeadOf(oldAt(5))),
    want: 6,
    reason: /tail is cut/,
  },
];

for (const { name, items, checkpoints = [], recorded, want, reason } of [...firstRows, ...chainRows])
  test(`verification: ${name}`, () => {
    const verdict = verify(items, checkpoints, recorded);
    assert.equal(verdict.ok ? 'ok' : verdict.seq, want, verdict.ok ? '' : verdict.reason);
    if (!verdict.ok) assert.match(verdict.reason, reason ?? /^$/);
  });

test('verification: each verdict reads as in golden/verdicts.txt', () => {
  const rows = [...firstRows, ...chainRows].map(({ name, items, checkpoints = [], recorded }) => [
    `# ${name}`,
    JSON.stringify(verify(items, checkpoints, recorded)),
  ]);
  assertGolden(`${rows.flat().join('\n')}\n`, 'verdicts.txt');
});

for (const numbers of [[], [1], [3], [5], [1, 4], [4, 1], [5, 2, 3]])
  test(`verification: signatures over ${numbers.join(', ') || 'nothing'} reach as far as the last of them`, () => {
    const verdict = verify(
      old,
      numbers.map((number) => signedFirst(oldAt(number))),
    );
    const reach = numbers.length === 0 ? 0 : Math.max(...numbers);
    assert.deepEqual(verdict.ok && verdict.chains, [{ chain: 'estate', entries: 5, signed: reach }]);
    assert.equal(verdict.ok && verdict.checkpoints, numbers.length);
  });

test('verification: says how far signatures reach, chain by chain', () => {
  assert.deepEqual(verify([...old, { seal: sealedOld }, ...chains(['people'], sealedOld)], [signedFirst(oldAt(3))]), {
    ok: true,
    entries: 6,
    checkpoints: 1,
    head: estateHeadOf(chains(['people'], sealedOld)[0] ?? oldAt(1)),
    signedAt: 0,
    chains: [
      { chain: 'estate', entries: 5, signed: 3 },
      { chain: 'people', entries: 1, signed: 0 },
    ],
    unsigned: { entries: 3, seq: 4, at: 4 },
  });
  const verdict = verify([{ seal }, ...whole], [signed([2, 3])]);
  assert.deepEqual(verdict.ok && verdict.chains, [
    { chain: 'aws/1/a', entries: 3, signed: 2 },
    { chain: 'aws/1/b', entries: 2, signed: 0 },
    { chain: 'people', entries: 1, signed: 1 },
  ]);
});

test('verification: an export of the first version says what it cannot hold', () => {
  const verdict = verify(old, [signed([2, 5, 6])]);
  assert.equal(verdict.ok && verdict.later, 6);
});

test('checkpoint: what is written reads back, and nothing else is taken for one', () => {
  for (const one of [signed([2, 3]), signedFirst(oldAt(2)), ...sequence([2, 3], [5])])
    assert.deepEqual(readCheckpoint(JSON.stringify(one)), one);
  const bad = [
    { ...signedFirst(oldAt(2)), seq: '2' },
    { ...signed([2]), heads: [{ of: 'a', number: 1 }] },
  ];
  for (const line of ['{}', '[]', 'null', '"x"', '{', ...bad.map((one) => JSON.stringify(one))])
    assert.throws(() => readCheckpoint(line));
});

/** Checkpoints 1, 2, … over these heads. */
function sequence(...turns: readonly (readonly number[])[]): readonly SignedCheckpoint[] {
  const made: SignedCheckpoint[] = [];
  for (const [index, seqs] of turns.entries()) {
    const before = made.at(-1);
    made.push(numbered({ number: index + 1, previous: before === undefined ? '' : rootOf(before, hash), seqs }));
  }
  return made;
}

type Numbered = Pick<SignedCheckpoint, 'number' | 'previous'> & { readonly seqs: readonly number[] };

function numbered({ number, previous, seqs }: Numbered): SignedCheckpoint {
  const checkpoint = { store, estate, number, at: number * 100, previous, heads: headsOf(...seqs) };
  return { ...checkpoint, key: 'k', signature: sign(checkpointText(checkpoint, hash)) };
}

const three = sequence([2, 3], [4], [5, 6]);
const [one, firstTwo] = [three.slice(0, 1), three.slice(0, 2)];
const last = (all: readonly SignedCheckpoint[]): SignedCheckpoint => {
  const found = all.at(-1);
  assert.ok(found);
  return found;
};
/** A second history by somebody who has the key. */
const other = numbered({ number: 3, previous: rootOf(last(firstTwo), hash), seqs: [5] });
const brief = (all: readonly SignedCheckpoint[]) => all.map((each) => withoutHeads(each, hash));

const sequenceRows: readonly {
  readonly name: string;
  readonly items?: readonly LedgerItem[];
  readonly checkpoints: readonly AnyCheckpoint[];
  readonly compared?: Pick<Claimed, 'witness' | 'unsignedLimit'>;
  readonly want: 'ok' | 'tampered' | 'unverified';
  readonly reason?: RegExp;
}[] = [
  { name: 'three checkpoints, in any order and twice', checkpoints: [...three].reverse().concat(one), want: 'ok' },
  { name: 'the first one missing', checkpoints: three.slice(1), want: 'tampered', reason: /checkpoint 1 is missing/ },
  {
    name: 'one missing',
    checkpoints: [...one, last(three)],
    want: 'tampered',
    reason: /checkpoint 2 is missing: 3 follows 1/,
  },
  { name: 'two of one number', checkpoints: [...three, other], want: 'tampered', reason: /two different.*number 3/ },
  {
    name: 'one that follows another',
    checkpoints: [...one, numbered({ number: 2, previous: 'x', seqs: [4] })],
    want: 'tampered',
    reason: /checkpoint 2 does not follow/,
  },
  {
    name: 'one without signature, over no entry',
    checkpoints: [
      ...three,
      { ...numbered({ number: 4, previous: rootOf(last(three), hash), seqs: [] }), signature: 'x' },
    ],
    want: 'tampered',
    reason: /checkpoint 4 has no valid signature/,
  },
  { name: 'a witness that agrees', checkpoints: three, compared: { witness: three }, want: 'ok' },
  { name: 'a witness that keeps roots alone', checkpoints: three, compared: { witness: brief(three) }, want: 'ok' },
  { name: 'a witness that is behind', checkpoints: three, compared: { witness: one }, want: 'ok' },
  {
    name: 'a witness that serves other ledgers too',
    checkpoints: three,
    compared: { witness: [...three, { ...last(three), estate: 'b' }, { ...last(three), store: 's2', number: 9 }] },
    want: 'ok',
  },
  {
    name: 'a witness that knows more: entries and checkpoints were cut',
    items: [{ seal }, ...without(5, 6)],
    checkpoints: firstTwo,
    compared: { witness: brief(three) },
    want: 'tampered',
    reason: /holds checkpoint 3 of 1970-01-01 00:00 UTC, which is missing here/,
  },
  {
    name: 'nothing left but a witness',
    items: [],
    checkpoints: [],
    compared: { witness: brief(one) },
    want: 'tampered',
    reason: /missing here/,
  },
  {
    name: 'a witness that holds another history of the same key',
    checkpoints: [...firstTwo, other],
    compared: { witness: brief(three) },
    want: 'tampered',
    reason: /checkpoint 3 is not the one that the witness holds/,
  },
  {
    name: 'a witness with the signature of a key that is not trusted',
    checkpoints: three,
    compared: { witness: [{ ...last(three), key: 'z', signature: 'x' }] },
    want: 'tampered',
    reason: /by the key z, which is not trusted/,
  },
  {
    name: 'a witness that holds nothing of this ledger',
    checkpoints: three,
    compared: { witness: [] },
    want: 'unverified',
    reason: /no checkpoint of this ledger/,
  },
  { name: 'nothing signed or witnessed yet', items: [], checkpoints: [], compared: { witness: [] }, want: 'ok' },
  {
    name: 'a witness that was sent nothing for too long',
    checkpoints: three,
    compared: { witness: one, unsignedLimit: { now: 1_201, limitMs: 1_000 } },
    want: 'unverified',
    reason: /up to 1 only/,
  },
  {
    name: 'a witness that was sent nothing for a while',
    checkpoints: three,
    compared: { witness: one, unsignedLimit: { now: 1_200, limitMs: 1_000 } },
    want: 'ok',
  },
  {
    name: 'entries without a signature for too long',
    checkpoints: firstTwo,
    compared: { unsignedLimit: { now: 1_006, limitMs: 1_000 } },
    want: 'unverified',
    reason: /^2 entries are not signed, the oldest since 1970/,
  },
  {
    name: 'entries without a signature for a while',
    checkpoints: firstTwo,
    compared: { unsignedLimit: { now: 1_005, limitMs: 1_000 } },
    want: 'ok',
  },
  {
    name: 'no checkpoint at all, for too long',
    checkpoints: [],
    compared: { unsignedLimit: { now: 2_000, limitMs: 1_000 } },
    want: 'unverified',
    reason: /^6 entries/,
  },
];

for (const { name, items = [{ seal }, ...whole], checkpoints, compared, want, reason } of sequenceRows)
  test(`checkpoints: ${name}`, () => {
    const verdict = verify(items, checkpoints, undefined, compared);
    assert.equal(verdict.ok ? 'ok' : verdict.problem, want, JSON.stringify(verdict));
    if (!verdict.ok) assert.match(verdict.reason, reason ?? /^$/);
  });

test('checkpoints: the verdict counts what no signature covers, and how far the witness reaches', () => {
  const verdict = verify([{ seal }, ...whole], firstTwo, undefined, { witness: one });
  assert.deepEqual(verdict.ok && [verdict.unsigned, verdict.witnessed], [
    { entries: 2, seq: 5, at: 5 },
    { number: 1, at: 100 },
  ]);
  const signedAll = verify([{ seal }, ...whole], three);
  assert.deepEqual(signedAll.ok && [signedAll.unsigned, signedAll.witnessed], [undefined, undefined]);
});

test('a witness line is read behind the words of a log, and other lines are passed over', () => {
  for (const held of [last(three), ...brief(one)]) {
    const line = `<109>1 2026-11-23T11:00:00Z host setpoint - checkpoint - ${JSON.stringify(held)}`;
    assert.deepEqual(readWitnessed(line), held);
    assert.deepEqual(readWitnessed(JSON.stringify(held)), held);
  }
  for (const line of ['', 'no json', '{"a":1}', JSON.stringify(signed([2])), '{'])
    assert.equal(readWitnessed(line), undefined);
});
