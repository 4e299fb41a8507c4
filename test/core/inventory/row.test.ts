import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Mode } from '../../../src/core/desired.ts';
import { type Row, steadyRow } from '../../../src/core/inventory/row.ts';
import { withheldDriftIn, withheldText } from '../../../src/core/inventory/withheld-drift.ts';
import { noCount } from '../../../src/core/limits.ts';
import { type Bounds, planEstate } from '../../../src/core/plan/estate.ts';
import { input, looked, net } from '../plan/fixture.ts';
import { machines, standing } from '../plan/rollouts.ts';
import { rowed } from '../plan/run-cases.ts';

const [first] = rowed(input([net], looked([])));
assert.ok(first);
const plain: Row = first;

/** A line of which an answer of its cloud tells. */
const failed = (reason: string): Row => ({
  ...plain,
  state: { ...plain.state, status: 'Failed', reason, code: 'Denied' },
});
const unlisted = (reason: string): Row => ({
  ...plain,
  state: { ...plain.state, status: 'Blocked', reason, code: 'not-observed' },
});
const paused = (reason: string): Row => ({
  ...plain,
  state: { ...plain.state, status: 'Paused', reason, code: 'paused' },
});

/** A line that a limit withholds: of three machines that would be replaced, when this is how the estate stands. */
function withheld(bounds: Partial<Bounds>): Row {
  const given = machines({ replicas: 3, there: standing(0, 3, 'old') });
  const spent = { generation: noCount, healing: noCount };
  const [plan] = planEstate([given], { limits: { deletes: 0, replaces: 1 }, spent, owned: 40, ...bounds });
  const [found] = plan?.findings ?? [];
  assert.ok(found?.type === 'withheld' && found.code === 'limit');
  const state = { ...plain.state, status: 'Blocked', reason: `It waits. ${found.why}.`, code: found.code } as const;
  return { ...plain, state, sides: { diff: [], next: { verb: 'replace', cause: 'rollout', held: found.why } } };
}

const made = (replaces: number): Bounds['spent'] => ({
  generation: { ...noCount, replaces },
  healing: noCount,
});
const share = { deletes: 9, replaces: 9, share: 0.05 };

const same: Readonly<Record<string, readonly [Row, Row]>> = {
  'an encoded message': [
    failed(`You may not. Encoded authorization failure message: ${'aB3_-'.repeat(90)} (Denied)`),
    failed(`You may not. Encoded authorization failure message: ${'Zy9-_'.repeat(80)} (Denied)`),
  ],
  'ids of a call, and when it was': [
    failed('AADSTS7: bad. Trace ID: 0a-1 Correlation ID: 0b-2 Timestamp: 2026-11-22 04:10:00Z'),
    failed('AADSTS7: bad. Trace ID: 9c-3 Correlation ID: 9d-4 Timestamp: 2026-11-22 04:10:15Z'),
  ],
  'an id within quotes, and one of the cloud’s own work': [
    failed('No. Tracking id is \'t-1\'. {"requestId": "r-1"} operation-1732246200000-6279a, 20261122T041000Z'),
    failed('No. Tracking id is \'t-2\'. {"requestId": "r-2"} operation-1732246215000-1b2c3, 20261122T041015Z'),
  ],
  'why a kind was not listed': [unlisted('Not listed (RequestId: r-1)'), unlisted('Not listed (RequestId: r-2)')],
  'where what counts against a limit was made': [
    withheld({ spent: made(1), elsewhere: { ...noCount, replaces: 2 } }),
    withheld({ spent: made(3) }),
  ],
  'how many there are of which a share is counted': [
    withheld({ limits: share, owned: 42 }),
    withheld({ limits: share, owned: 43 }),
  ],
  'the generation that it is in step with': [
    { ...plain, state: { ...plain.state, status: 'InSync', generation: 7 } },
    { ...plain, state: { ...plain.state, status: 'InSync', generation: 8 } },
  ],
};

const others: Readonly<Record<string, readonly [Row, Row]>> = {
  'what the cloud refused': [
    failed('not authorized to perform ec2:CreateVpc (Trace ID: 0a-1)'),
    failed('not authorized to perform ec2:CreateTags (Trace ID: 0a-1)'),
  ],
  'whom it refused': [
    failed('The client 7d2f3a10-1111-4222-8333-944455556666 may not write.'),
    failed('The client 0e1d2c3b-1111-4222-8333-944455556666 may not write.'),
  ],
  'until when a person holds it': [paused('Until 2026-11-22T04:10:00Z.'), paused('Until 2026-11-23T04:10:00Z.')],
  'what comes to a limit': [withheld({ spent: made(1) }), withheld({ spent: made(2) })],
  'the limit': [withheld({}), withheld({ limits: { deletes: 0, replaces: 2 } })],
  'a generation that it is not in step with': [
    failed('No.'),
    { ...failed('No.'), state: { ...failed('No.').state, generation: 8 } },
  ],
};

describe('a line, but for what differs while nothing happens to it', () => {
  for (const [name, [one, other]] of Object.entries(same))
    it(`is the same: ${name}`, () => {
      assert.notDeepEqual(one, other);
      assert.deepEqual(steadyRow(one), steadyRow(other));
    });

  for (const [name, [one, other]] of Object.entries(others))
    it(`is another: ${name}`, () => assert.notDeepEqual(steadyRow(one), steadyRow(other)));

  it('is the very line where there is nothing of that', () => {
    assert.equal(steadyRow(plain), plain);
    assert.equal(steadyRow(failed('No.')).state.reason, 'No.');
  });
});

const address = 'aws/1/eu/instance/web-0';

interface Held {
  readonly code?: string;
  readonly mode?: Mode;
  readonly cause?: 'drift' | 'rollout';
  readonly held?: string;
  readonly by?: string;
  readonly at?: number;
}

/** Only the fields that the counting reads. */
const row = ({ code, mode = 'enforce', cause = 'drift', held = 'why', by, at = 1 }: Held): Row =>
  ({
    key: address,
    called: { name: 'web-0', address, labels: {} },
    state: {
      status: 'Drifted',
      reason: '',
      generation: 1,
      ...(code === undefined ? {} : { code }),
      ...(by === undefined ? {} : { by: { who: by, action: 'Act', event: 'e', at } }),
    },
    sides: { desired: { mode }, diff: [], next: { verb: 'update', cause, ...(held === '' ? {} : { held }) } },
  }) as unknown as Row; // why: the rest of a row says nothing about what holds it

describe('withheld drift', () => {
  const approve = 'setpoint approve --reason "…"';
  const cases: readonly (readonly [of: string, held: Held, next: string | undefined])[] = [
    ['a mode that waits for people', { code: 'mode', mode: 'plan' }, approve],
    ['a mode of the generation before', { code: 'mode' }, approve],
    ['mode observe, which no approval lifts', { code: 'mode', mode: 'observe' }, `setpoint explain ${address}`],
    ['a limit', { code: 'limit' }, approve],
    ['data that would be lost', { code: 'destructive-drift' }, `setpoint approve --address ${address} --reason "…"`],
    ['a pause', { code: 'paused' }, 'setpoint status'],
    ['a stopped rollout', { code: 'rollout-stopped' }, 'setpoint status'],
    ['machines that never came up', { code: 'failed-launches' }, 'setpoint status'],
    ['protect', { code: 'protect' }, `setpoint explain ${address}`],
    ['what it rests on', { code: 'depends' }, `setpoint explain ${address}`],
    ['a code that nobody knows', { code: 'tomorrow' }, `setpoint explain ${address}`],
    ['nothing: it is healed by the next pass', { held: '' }, undefined],
    ['a mode, but a rollout waits and no drift', { code: 'mode', cause: 'rollout' }, undefined],
  ];
  for (const [of, held, next] of cases)
    it(`by ${of}: ${next ?? 'not told'}`, () => {
      assert.deepEqual(
        withheldDriftIn([row(held)]).map((one) => one.next),
        next === undefined ? [] : [next],
      );
    });

  it('counts what waits for the same once, the most frequent first, in one line', () => {
    const withheld = withheldDriftIn([row({ code: 'limit' }), row({ code: 'mode' }), row({ code: 'mode' })]);
    assert.equal(
      withheldText(withheld),
      `Withheld drift: 2 resources by mode: ${approve} · 1 resource by limit: ${approve}`,
    );
    assert.equal(withheldText([]), undefined);
  });

  it('names those that changed it, each once, the newest change first, and counts the rest', () => {
    const rows = [{ by: 'ann' }, { by: 'bob', at: 3 }, { by: 'ann', at: 2 }, { by: 'eve', at: 0 }, {}];
    const withheld = withheldDriftIn(rows.map((one) => row({ code: 'mode', ...one })));
    assert.deepEqual(withheld[0]?.actors, ['bob', 'ann', 'eve']);
    assert.equal(
      withheldText(withheld),
      `Withheld drift: 5 resources by mode (changed by bob, ann and 1 more): ${approve}`,
    );
  });

  it('lists three reasons and counts the rest', () => {
    const codes = ['mode', 'limit', 'paused', 'protect', 'depends'];
    const text = withheldText(withheldDriftIn(codes.map((code) => row({ code }))));
    assert.match(text ?? '', / · 2 more: setpoint inventory$/);
  });
});
