import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorJson, errorText, UserError } from '../../src/cli/errors.ts';
import { findAddress } from '../../src/cli/local/estate.ts';
import { count } from '../../src/cli/output/format.ts';
import { type Progress, progressOn, reportScope } from '../../src/cli/output/progress.ts';
import { table } from '../../src/cli/output/table.ts';
import type { Progress as Event } from '../../src/engine/control.ts';
import { fakeTerminal } from './support/fake-terminal.ts';

test('a table is aligned, and its last column is not padded', () => {
  assert.equal(
    table(
      ['A', 'LONG'],
      [
        ['xyz', '1'],
        ['', '22'],
      ],
    ),
    'A    LONG\nxyz  1\n     22\n',
  );
  assert.equal(table(['A'], []), '');
});

describe('a table in a terminal that is narrower', () => {
  const rows = [
    ['network', 'core', 'a reason that is longer than all else', 'projects/acme/global/networks/core#1'],
    ['subnet', 'プライベートネットワーク', 'short', 'x'],
  ];
  const cut = (width?: number): readonly string[] =>
    table(['KIND', 'NAME', 'WHY', 'ID'], rows, width).trimEnd().split('\n');

  test('cuts its widest columns, by the places that letters take', () => {
    assert.deepEqual(cut(60), [
      'KIND     NAME             WHY              ID',
      'network  core             a reason that …  projects/acme/…',
      'subnet   プライベートネ…  short            x',
    ]);
  });

  test('is whole where nobody reads it in a terminal, or where it fits', () => {
    assert.deepEqual(cut(), cut(200));
    assert.match(cut()[1] ?? '', /longer than all else {2}projects\/acme\/global\/networks\/core#1$/);
  });

  test('is not cut to nothing', () => assert.match(cut(1)[1] ?? '', /^netwo… {2}core {4}a rea… {2}proje…$/));
});

for (const [n, text] of [
  [0, '0 errors'],
  [1, '1 error'],
  [1234, '1,234 errors'],
] as const)
  test(`${n} of them: ${text}`, () => assert.equal(count(n, 'error'), text));

test('a complaint says what, where, why and next, for people and for machines', () => {
  const complaint = new UserError('It is so.', { where: 'a.yaml:3', why: 'Because.', next: 'Do that.', code: 3 });
  assert.equal(errorText(complaint), 'It is so.\n  where: a.yaml:3\n  why:   Because.\n  next:  Do that.\n');
  assert.deepEqual(errorJson(complaint), {
    error: { what: 'It is so.', where: 'a.yaml:3', why: 'Because.', next: 'Do that.' },
    exitCode: 3,
  });
});

const known = new Set([
  'aws/1/eu/instance/web-0',
  'aws/1/eu/instance/web-1',
  'aws/1/us/instance/web-1',
  'aws/1/eu/subnet/core.app',
]);

for (const [given, address] of [
  ['aws/1/eu/instance/web-0', 'aws/1/eu/instance/web-0'],
  ['instance/web-0', 'aws/1/eu/instance/web-0'],
  ['web-0', 'aws/1/eu/instance/web-0'],
  ['app', 'aws/1/eu/subnet/core.app'],
] as const)
  test(`"${given}" is ${address}`, () => assert.equal(findAddress(given, known), address));

test('an ending of two addresses is refused with both', () => {
  assert.throws(
    () => findAddress('web-1', known),
    (error: UserError) => {
      assert.match(error.details.next ?? '', /aws\/1\/eu\/instance\/web-1\naws\/1\/us\/instance\/web-1/);
      return true;
    },
  );
});

const events: readonly (readonly [event: Event, text: string | undefined])[] = [
  [{ at: 'observing', kind: 'network', seen: 2, complete: true }, 'observing, 2 objects so far'],
  [{ at: 'observing', kind: 'instance', seen: 3, complete: false }, 'observing, 5 objects so far'],
  [{ at: 'planned', round: 1, actions: 1, findings: 0 }, 'plan 1: 1 action to do'],
  [{ at: 'acting', kind: 'instance', verb: 'create', addresses: ['web-0', 'web-1'] }, 'creating web-0 and 1 more'],
  [
    { at: 'settled', kind: 'instance', verb: 'create', address: 'aws/1/instance/web-0' },
    '1 done, creating instance/web-0',
  ],
  [
    { at: 'waiting', why: 'budget', detail: 'RunInstances', forMs: 2000 },
    '1 done, waiting for the rate limit (2.0 s): RunInstances',
  ],
  [{ at: 'waiting', why: 'gone', detail: 'i-1' }, '1 done, waiting until it is gone: i-1'],
  [
    { at: 'waiting', why: 'visible', detail: 'group web', forMs: 500, atMostMs: 300_000 },
    '1 done, waiting for group web to appear (at most 5 min)',
  ],
  [{ at: 'observing', kind: 'instance', seen: 3, complete: true }, undefined],
  [{ at: 'planned', round: 2, actions: 0, findings: 1 }, undefined],
  [{ at: 'planned', round: 2, actions: 1, findings: 0 }, 'plan 2: 1 action to do'],
];

test('the events of a reconcile read as one calm line', () => {
  const said: string[] = [];
  const progress: Progress = {
    show: (_key, text) => void said.push(text),
    finish: () => undefined,
    end: () => undefined,
  };
  const tell = reportScope('aws/1', progress);
  for (const [event] of events) tell(event);
  assert.deepEqual(
    said,
    events.flatMap(([, text]) => text ?? []),
  );
});

test('on a terminal the lines are redrawn in place and gone at the end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { err, stderr } = fakeTerminal({ live: true });
  let now = 0;
  const progress = progressOn(err, { now: () => now, sleep: () => Promise.resolve() });
  progress.show('aws/1', 'looking');
  t.mock.timers.tick(200);
  assert.equal(stderr(), '', 'silent for the first second');
  now = 1000;
  t.mock.timers.tick(200);
  progress.show('aws/2', 'looking');
  t.mock.timers.tick(200);
  progress.end();
  assert.equal(
    stderr(),
    'aws/1: looking (1.0 s)\n\x1b[1A\x1b[0Jaws/1: looking (1.0 s)\naws/2: looking (1.0 s)\n\x1b[2A\x1b[0J',
  );
});
