import { z } from 'zod';
import { weekdays } from '../change-windows.ts';
import { freeText, name, names, text } from './fields.ts';

const MOST_ENTRIES = 100;

const timeZone = text(/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/, 'a time zone, such as Europe/Berlin')
  .default('UTC')
  .meta({ description: 'The time zone of the times, from the IANA database.', examples: ['Europe/Berlin'] });

const owners = z
  .array(freeText(128), { error: 'a list of owners' })
  .min(1, { error: 'at least one owner' })
  .max(100, { error: 'at most 100 owners' })
  .optional()
  .meta({ description: 'The owners of the covered documents. Default: all.' });

const targets = names('targets').optional().meta({ description: 'The covered targets. Default: all.' });

const localTime = text(/^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d$/, 'a local time, such as 2026-11-26T00:00').refine(
  (value) => new Date(`${value}Z`).toJSON()?.startsWith(value) ?? false,
  {
    error: 'a time on a day that exists, such as 2026-11-26T00:00',
  },
);

const windowFields = {
  name: name().meta({ description: 'The name of the window in messages.' }),
  days: z
    .array(z.enum(weekdays, { error: `a day: ${weekdays.join(', ')}` }), { error: 'a list of days' })
    .min(1, { error: 'at least one day' })
    .default([...weekdays])
    .meta({ description: 'The days on which it opens.', examples: [['mon', 'tue', 'wed', 'thu']] }),
  from: text(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time from 00:00 to 23:59').meta({
    description: 'The time at which it opens.',
    examples: ['09:00'],
  }),
  to: text(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'a time from 00:00 to 24:00').meta({
    description: 'The time at which it closes. Before `from`: on the next day.',
    examples: ['16:00'],
  }),
  timeZone,
  owners,
} as const;

const freezeFields = {
  name: name().meta({ description: 'The name of the freeze in messages.' }),
  from: localTime.meta({ description: 'The first moment of the freeze.', examples: ['2026-11-26T00:00'] }),
  to: localTime.meta({ description: 'The end of the freeze.', examples: ['2026-12-01T00:00'] }),
  timeZone,
  owners,
  reason: freeText(512).meta({ description: 'Why.' }),
} as const;

const listed = <T extends z.ZodType>(entry: T, form: string) =>
  z
    .array(entry, { error: `a list of ${form}` })
    .min(1, { error: 'at least one entry' })
    .max(MOST_ENTRIES, { error: `at most ${MOST_ENTRIES} entries` })
    .optional();

const windowForm = '{ name, days, from, to, timeZone }';
const freezeForm = '{ name, from, to, timeZone, reason }';
const windowsAre =
  'Hours in which changes may be made. Outside them Setpoint changes nothing that a window covers, and only narrows traffic.';
const freezesAre =
  'Times without changes. Within them Setpoint changes nothing that a freeze covers, and only narrows traffic.';

/** Of the estate: for all of its targets, or for those that an entry names. */
export const estateCalendar = () => ({
  windows: listed(z.strictObject({ ...windowFields, targets }, { error: windowForm }), windowForm).meta({
    description: windowsAre,
  }),
  freezes: listed(z.strictObject({ ...freezeFields, targets }, { error: freezeForm }), freezeForm).meta({
    description: freezesAre,
  }),
});

/** Of one target. */
export const targetCalendar = () => ({
  windows: listed(z.strictObject(windowFields, { error: windowForm }), windowForm).meta({
    description: `${windowsAre} The estate's windows hold as well.`,
  }),
  freezes: listed(z.strictObject(freezeFields, { error: freezeForm }), freezeForm).meta({ description: freezesAre }),
});
