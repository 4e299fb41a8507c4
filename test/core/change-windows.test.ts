import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import {
  type ChangeCalendar,
  type ChangeWindow,
  closedAt,
  entriesAt,
  type Freeze,
  freezeSpan,
  isTimeZone,
  nextChange,
  spansFrom,
  weekdays,
  zonedMoment,
} from '../../src/core/change-windows.ts';

const at = (text: string): number => Date.parse(text);
const text = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);

const window = (fields: Partial<ChangeWindow & { readonly target: string }> = {}) => ({
  name: 'hours',
  days: weekdays,
  from: '09:00',
  to: '16:00',
  timeZone: 'UTC',
  ...fields,
});

const freeze = (fields: Partial<Freeze & { readonly target: string }> = {}) => ({
  name: 'sale',
  from: '2026-11-26T00:00',
  to: '2026-12-01T00:00',
  timeZone: 'UTC',
  reason: 'sale',
  ...fields,
});

const calendar = (parts: Partial<ChangeCalendar>): ChangeCalendar => ({
  windows: [],
  freezes: [],
  scopes: {},
  ...parts,
});

/** The first times of a window, from midnight of a day in UTC on. */
const spans: readonly (readonly [
  name: string,
  fields: Partial<ChangeWindow>,
  day: string,
  want: readonly (readonly [string, string])[],
])[] = [
  [
    'on its days alone',
    { days: ['mon', 'thu'] },
    '2026-11-27',
    [
      ['2026-11-30T09:00', '2026-11-30T16:00'],
      ['2026-12-03T09:00', '2026-12-03T16:00'],
    ],
  ],
  [
    'by the clocks of its zone',
    { timeZone: 'America/New_York', days: ['fri'] },
    '2026-11-27',
    [['2026-11-27T14:00', '2026-11-27T21:00']],
  ],
  [
    'from yesterday, after midnight',
    { from: '22:00', to: '04:00', days: ['thu'] },
    '2026-11-27',
    [
      ['2026-11-26T22:00', '2026-11-27T04:00'],
      ['2026-12-03T22:00', '2026-12-04T04:00'],
    ],
  ],
  [
    'of whole days in a row as one',
    { from: '00:00', to: '24:00', days: ['sat', 'sun'] },
    '2026-11-27',
    [['2026-11-28T00:00', '2026-11-30T00:00']],
  ],
  [
    'of the last hour of a day',
    { from: '23:00', to: '24:00', days: ['fri'] },
    '2026-11-27',
    [['2026-11-27T23:00', '2026-11-28T00:00']],
  ],
  [
    'over the hour that the clocks skip',
    { from: '01:00', to: '04:00', days: ['sun'], timeZone: 'Europe/Berlin' },
    '2026-03-28',
    [['2026-03-29T00:00', '2026-03-29T02:00']],
  ],
  [
    'from within the hour that the clocks skip',
    { from: '02:30', to: '03:30', days: ['sun'], timeZone: 'Europe/Berlin' },
    '2026-03-28',
    [['2026-03-29T01:00', '2026-03-29T01:30']],
  ],
  [
    'until within the hour that the clocks skip',
    { from: '01:30', to: '02:30', days: ['sun'], timeZone: 'Europe/Berlin' },
    '2026-03-28',
    [['2026-03-29T00:30', '2026-03-29T01:00']],
  ],
  [
    'not on a day whose clocks skip all of it',
    { from: '02:10', to: '02:50', days: ['sun'], timeZone: 'Europe/Berlin' },
    '2026-03-28',
    [['2026-04-05T00:10', '2026-04-05T00:50']],
  ],
  [
    'over both hours of the same name',
    { from: '02:00', to: '03:00', days: ['sun'], timeZone: 'Europe/Berlin' },
    '2026-10-24',
    [['2026-10-25T00:00', '2026-10-25T02:00']],
  ],
  [
    'from the first of two times',
    { from: '02:30', to: '04:00', days: ['sun'], timeZone: 'Europe/Berlin' },
    '2026-10-24',
    [['2026-10-25T00:30', '2026-10-25T03:00']],
  ],
  [
    'until the first of two times',
    { from: '01:00', to: '02:30', days: ['sun'], timeZone: 'Europe/Berlin' },
    '2026-10-24',
    [['2026-10-24T23:00', '2026-10-25T00:30']],
  ],
];
for (const [name, fields, day, want] of spans)
  test(`a window opens ${name}`, () => {
    const found = [...spansFrom(window(fields), at(`${day}T00:00Z`))].slice(0, want.length);
    assert.deepEqual(
      found.map(({ from, to }) => [text(from), text(to)]),
      want,
    );
  });

test('a freeze lasts until the last of two times', () => {
  const { from, to } = freezeSpan(
    freeze({ from: '2026-10-25T02:30', to: '2026-10-25T02:45', timeZone: 'Europe/Berlin' }),
  );
  assert.deepEqual([text(from), text(to)], ['2026-10-25T00:30', '2026-10-25T01:45']);
});

const nobody = { owners: [], targets: ['prod'] };
const web = { owners: ['team-web', undefined], targets: ['prod'] };
const days = window({ days: ['mon'], name: 'days' });

/** On Friday 2026-11-27, 10:00. */
const closings: readonly (readonly [
  name: string,
  parts: Partial<ChangeCalendar>,
  by: string | undefined,
  opens?: string,
])[] = [
  ['nothing', {}, undefined],
  ['a window that is open', { windows: [window()] }, undefined],
  ['a window that is closed', { windows: [days] }, 'days', '2026-11-30T09:00'],
  ['one window of two that is open', { windows: [days, window()] }, undefined],
  [
    'two windows that are closed: the first to open counts',
    {
      windows: [days, window({ days: ['sat'] })],
    },
    'days',
    '2026-11-28T09:00',
  ],
  [
    'a window of the target, though one of the estate is open',
    {
      windows: [window(), window({ name: 'own', target: 'prod', from: '15:00' })],
    },
    'own',
    '2026-11-27T15:00',
  ],
  [
    'both: they must be open together',
    {
      windows: [days, window({ name: 'own', target: 'prod', from: '15:00', to: '18:00' })],
    },
    'days',
    '2026-11-30T15:00',
  ],
  [
    'windows that are never open together',
    {
      windows: [days, window({ name: 'own', target: 'prod', from: '16:00', to: '18:00' })],
    },
    'days',
  ],
  ['a window of another target', { windows: [window({ target: 'lab', days: ['mon'] })] }, undefined],
  ['a window for another target', { windows: [window({ targets: ['lab'], days: ['mon'] })] }, undefined],
  [
    'a window for its target',
    { windows: [window({ targets: ['lab', 'prod'], days: ['mon'] })] },
    'hours',
    '2026-11-30T09:00',
  ],
  [
    'a window for its owner',
    { windows: [window({ owners: ['team-web'], days: ['mon'] })] },
    'hours',
    '2026-11-30T09:00',
  ],
  ['a window for another owner', { windows: [window({ owners: ['team-net'], days: ['mon'] })] }, undefined],
  ['a freeze', { freezes: [freeze()] }, 'sale', '2026-12-01T00:00'],
  [
    'a freeze in an open window: it opens with the next window after it',
    { windows: [window()], freezes: [freeze()] },
    'sale',
    '2026-12-01T09:00',
  ],
  [
    'a freeze that begins before the window opens',
    {
      windows: [days],
      freezes: [freeze({ from: '2026-11-30T00:00' })],
    },
    'days',
    '2026-12-07T09:00',
  ],
  [
    'two freezes: the last to end',
    { freezes: [freeze(), freeze({ name: 'longer', to: '2026-12-02T00:00' })] },
    'longer',
    '2026-12-02T00:00',
  ],
  ['a freeze that is over', { freezes: [freeze({ to: '2026-11-27T10:00' })] }, undefined],
  ['a freeze that begins now', { freezes: [freeze({ from: '2026-11-27T10:00' })] }, 'sale', '2026-12-01T00:00'],
  ['a freeze to come', { freezes: [freeze({ from: '2026-11-27T10:01' })] }, undefined],
  ['a freeze of another owner', { freezes: [freeze({ owners: ['team-net'] })] }, undefined],
  ['a freeze for more than a year', { freezes: [freeze({ to: '2028-01-01T00:00' })] }, 'sale', '2028-01-01T00:00'],
];
describe('a change is held by', () => {
  for (const [name, parts, by, opens] of closings)
    it(name, () => {
      const closed = closedAt(calendar(parts), web, at('2026-11-27T10:00Z'));
      assert.deepEqual([closed?.by.name, text(closed?.opens)], [by, opens]);
    });
  it('no window of an owner where it has none', () => {
    const windows = [window({ owners: ['team-web'], days: ['mon'] })];
    assert.equal(closedAt(calendar({ windows }), nobody, at('2026-11-27T10:00Z')), undefined);
  });
});

const changes: readonly (readonly [name: string, parts: Partial<ChangeCalendar>, want: string | undefined])[] = [
  ['nothing', {}, undefined],
  ['an open window closes', { windows: [window()] }, '2026-11-27T16:00'],
  ['a closed one opens', { windows: [days] }, '2026-11-30T09:00'],
  ['a freeze begins', { windows: [window()], freezes: [freeze({ from: '2026-11-27T11:00' })] }, '2026-11-27T11:00'],
  ['a freeze ends', { freezes: [freeze()] }, '2026-12-01T00:00'],
  ['nothing after a freeze', { freezes: [freeze({ to: '2026-11-27T10:00' })] }, undefined],
];
for (const [name, parts, want] of changes)
  test(`the next change: ${name}`, () =>
    assert.equal(text(nextChange(calendar(parts), at('2026-11-27T10:00Z'))), want));

test('windows and freezes as people read them: those that are over are left out', () => {
  const entries = entriesAt(
    calendar({
      windows: [window({ target: 'prod' }), days],
      freezes: [
        freeze({ owners: ['team-web'] }),
        freeze({ name: 'next', from: '2026-12-24T00:00', to: '2026-12-27T00:00' }),
        freeze({ name: 'over', to: '2026-11-27T10:00' }),
      ],
    }),
    at('2026-11-27T10:00Z'),
  );
  assert.deepEqual(
    entries.map(({ type, name, target, owners, active, until, reason }) => [
      ...[type, name, target ?? owners?.join(), active, text(until), reason],
    ]),
    [
      ['window', 'hours', 'prod', true, '2026-11-27T16:00', undefined],
      ['window', 'days', undefined, false, '2026-11-30T09:00', undefined],
      ['freeze', 'sale', 'team-web', true, '2026-12-01T00:00', 'sale'],
      ['freeze', 'next', undefined, false, '2026-12-24T00:00', 'sale'],
    ],
  );
});

test('names of time zones', () => {
  assert.deepEqual(['UTC', 'Europe/Berlin', 'CET', 'Europe/Berlim', ''].map(isTimeZone), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('a time by the clocks of a zone', () => {
  assert.equal(zonedMoment(at('2026-11-29T23:30Z'), 'Europe/Berlin'), 'Mon 2026-11-30 00:30 Europe/Berlin');
});
