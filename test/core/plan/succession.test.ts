import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Birth, Knowledge, PendingIntent } from '../../../src/core/knowledge.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import { unfinishedReplacements } from '../../../src/core/unfinished-replacements.ts';
import { appliedAs, at, dialect, ground, input, looked, ours, settle, summary, want, wantedGround } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const machineOf = (image: string, on = at('subnet', 'core.app')) => ({
  placement: { subnet: on, publicIp: false },
  machine: { image, size: 's', power: 'running' as const },
  labels: {},
});
const old = ours('instance', 'web-0', 'i-1', machineOf('old', 'subnet-1'));
const launch: PendingIntent = {
  intent: 'x',
  attempt: 1,
  address: at('instance', 'web-0'),
  verb: 'create',
  at: 0,
  draft: { kind: 'instance', details: { successorOf: 'i-1' } },
};

/** The image moved, the launch of the successor was recorded, and no look shows it. */
const given = (now: number, more: { readonly again?: readonly PendingIntent[] } = {}) => ({
  ...input([...wantedGround, want('instance', 'web-0', machineOf('new'))], looked([...ground, old], { at: now }), {
    knowledge: {
      ...appliedAs([...ground, old], [want('instance', 'web-0', machineOf('old'))]),
      pending: [launch],
      ...more,
    },
  }),
  dialect: { ...dialect, holds: { ...dialect.holds, replace: 'surge' as const } },
});

const cases: readonly Case[] = [
  {
    name: 'a successor that may yet come to light: blocked',
    given: given(329_999),
    want: ['blocked instance/web-0: pending'],
  },
  {
    name: 'one that never came to light is shown as to be made, so that a person can let it pass',
    given: given(330_000),
    want: ['replace instance/web-0'],
  },
  {
    name: 'the engine goes by its own look, however long ago it was',
    given: given(330_000, { again: [] }),
    want: ['blocked instance/web-0: pending'],
  },
];

runCases(cases, 'succession');

describe('a successor that stands beside its predecessor', () => {
  const forwards = { unstated: [{ field: 'canIpForward', detail: 'may forward packets of others' }] };
  const successor = ours('instance', 'web-0', 'i-2', machineOf('new', 'subnet-1'));
  const both = (more: Partial<typeof old.condition>) => {
    const condition = { state: 'ready' as const, ...more };
    const machines = [
      { ...old, condition },
      { ...successor, condition },
    ];
    const seen = [...ground, ...machines];
    const knowledge = appliedAs(seen, [want('instance', 'web-0', machineOf('old'))]);
    const settled = new Map([
      ...knowledge.settled,
      ['i-2', settle('instance', at('instance', 'web-0'), { successorOf: 'i-1' })] as const,
    ]);
    return plan({
      ...input([...wantedGround, want('instance', 'web-0', machineOf('new'))], looked(seen), {
        knowledge: { ...knowledge, settled },
      }),
      dialect: { ...dialect, holds: { ...dialect.holds, replace: 'surge' as const } },
    });
  };

  it('takes its place', () => {
    assert.deepEqual(summary(both({})), ['replace instance/web-0']);
  });

  it('takes its place, too, where a setting is on that no document states', () => {
    assert.deepEqual(summary(both(forwards)), ['replace instance/web-0']);
  });
});

describe('replacements that have begun and not ended', () => {
  const before = given(0).knowledge;
  const address = at('instance', 'web-0');
  const former = before.settled.get('i-1') ?? assert.fail();
  const successor = { ...former, lastWriteAt: 5_000, terms: { ...former.terms, successorOf: 'i-1' } };
  const both = { ...before, pending: [], settled: new Map([...before.settled, ['i-2', successor]]) };
  const birth: Birth = {
    id: 'i-2',
    address,
    attributes: machineOf('new', 'subnet-1'),
    generation: 2,
    launchedAt: 5_000,
  };
  const ending: PendingIntent = { ...launch, verb: 'delete', draft: { kind: 'instance', id: 'i-1', details: {} } };
  const pair = { address, predecessor: 'i-1', successor: 'i-2', since: 5_000 };
  const rows: readonly (readonly [name: string, known: Knowledge, want: readonly object[]])[] = [
    ['an open launch', before, [{ address, predecessor: 'i-1', since: 0, waitsFor: 'the launch of its successor' }]],
    ['a young successor', { ...both, births: [birth] }, [{ ...pair, waitsFor: 'i-2 to be ready' }]],
    [
      'one that was ready for long enough',
      { ...both, births: [{ ...birth, proven: true }] },
      [{ ...pair, waitsFor: 'the deletion of i-1' }],
    ],
    [
      'one that failed',
      { ...both, births: [{ ...birth, failed: 'it stopped' }] },
      [{ ...pair, waitsFor: 'the deletion of i-2, which failed: it stopped' }],
    ],
    [
      'an open deletion',
      { ...both, pending: [ending] },
      [{ ...pair, waitsFor: 'the deletion of i-1, which is under way' }],
    ],
    ['the successor alone', { ...both, settled: new Map([['i-2', successor]]) }, []],
    ['no replacement', { ...before, pending: [] }, []],
  ];
  for (const [name, known, want] of rows) it(name, () => assert.deepEqual(unfinishedReplacements(known), want));
});
