import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import type { CalendarEntry } from '../../../core/change-windows.ts';
import type { BreakGlass, WindowAnswers } from '../../../ports/queries.ts';
import { orDeclinedProblem } from '../../problem.ts';
import { estateField, resolveEstate } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { examples, story } from '../schemas/examples.ts';
import { timestamp } from '../schemas/timestamp.ts';

export interface WindowsDependencies {
  readonly windows: WindowAnswers;
  estates(): Promise<readonly string[]>;
}

const entry = z
  .object({
    type: z.enum(['window', 'freeze']),
    name: z.string(),
    active: z.boolean().meta({ description: 'Of a window: it is open; of a freeze: it is on' }),
    until: timestamp.optional().meta({ description: 'The time at which that changes; absent: never' }),
    timeZone: z.string(),
    target: z.string().optional().meta({ description: "The target whose document states it; absent: the estate's" }),
    targets: z.array(z.string()).optional().meta({ description: 'The covered targets; absent: all' }),
    owners: z.array(z.string()).optional().meta({ description: 'The covered owners; absent: all' }),
    reason: z.string().optional().meta({ description: 'Of a freeze' }),
  })
  .meta({ id: 'ChangeWindow', description: 'A change window or a freeze of the newest generation' });

const brokenGlass = z
  .object({ seq: z.int(), at: timestamp, actor: z.string(), reason: z.string(), changes: z.int() })
  .meta({ id: 'BreakGlass', description: 'An apply regardless of windows and freezes; `seq`: of its ledger entry' });

const list = z
  .object({
    estate: z.string(),
    items: z.array(entry),
    breakGlass: z.array(brokenGlass).optional().meta({
      description: 'Of the last seven days, newest first; only if you may see all of the estate',
    }),
  })
  .meta({ id: 'ChangeWindows' })
  .register(examples, {
    example: {
      estate: story.estate,
      items: [
        {
          type: 'window',
          name: 'weekdays',
          active: false,
          until: '2027-02-01T08:00:00.000Z',
          timeZone: 'Europe/Berlin',
          target: story.target,
        },
      ],
      breakGlass: [{ seq: 41, at: story.askedAt, actor: story.person, reason: 'incident 4711', changes: 1 }],
    },
  });

export const windowsRoutes = ({ windows, estates }: WindowsDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/windows',
    operation: {
      id: 'listWindows',
      tag: 'Pauses',
      summary: 'List change windows and freezes',
      responses: {
        200: { description: 'Those of the newest generation that are not over, windows first', schema: list },
      },
    },
    permission: 'read',
    request: { query: z.strictObject({ estate: estateField }) },
    handle: async ({ query, context: { caller } }) => {
      const estate = await resolveEstate({ asked: query.estate, in: 'query', permission: 'read' }, caller, estates);
      const asked = { estate, seen: boundsFor(caller.grants, 'read') };
      const { entries, breakGlass } = await orDeclinedProblem(windows.list(asked));
      const body = { estate, items: entries.map(entryAnswer) };
      return {
        status: 200,
        body: breakGlass === undefined ? body : { ...body, breakGlass: breakGlass.map(breakGlassAnswer) },
      };
    },
  }),
];

const entryAnswer = ({ type, name, active, until, timeZone, target, targets, owners, reason }: CalendarEntry) => ({
  type,
  name,
  active,
  ...(until === undefined ? {} : { until }),
  timeZone,
  ...(target === undefined ? {} : { target }),
  ...(targets === undefined ? {} : { targets: [...targets] }),
  ...(owners === undefined ? {} : { owners: [...owners] }),
  ...(reason === undefined ? {} : { reason }),
});

const breakGlassAnswer = ({ seq, at, person, reason, changes }: BreakGlass) => ({
  seq,
  at,
  actor: person,
  reason,
  changes,
});
