import { z } from 'zod';

/** A time that was asked for, once it is known what time it is. Both are ms since the epoch. */
export type When = (now: number) => number;

const expected = 'a time as 2027-01-31T08:00:00Z, or how long ago: 30m, 12h, 7d';

const unitMs = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

const ago = z
  .string()
  .regex(/^\d{1,4}[smhdw]$/, expected)
  .transform((text): When => {
    const ms = Number(text.slice(0, -1)) * (unitMs.get(text.slice(-1)) ?? 0);
    return (now) => now - ms;
  });

const at = z.iso.datetime({ offset: true, error: expected }).transform((text): When => {
  const time = Date.parse(text);
  return () => time;
});

/** Of queries. `what`: for the document. */
export const whenField = (what: string) =>
  z
    .union([at, ago], { error: expected })
    .optional()
    .meta({ description: `${what}: ISO 8601, or how long ago (\`30m\`, \`12h\`, \`7d\`)`, examples: ['7d'] });
