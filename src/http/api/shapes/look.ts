import { z } from 'zod';
import type { ScopeLook } from '../../../ports/queries.ts';
import { kindShape } from './action.ts';
import { examples, story } from './examples.ts';
import { moment } from './moment.ts';

const gapShape = z
  .object({ kind: kindShape, code: z.string(), reason: z.string() })
  .meta({ id: 'Gap', description: 'A listing that failed or was cut short: absence of that kind proves nothing' });

/** What an answer about clouds rests on. */
export const lookShape = z
  .object({
    at: moment.optional().meta({ description: 'When the look began; absent: nobody has looked yet' }),
    ageSeconds: z.int().optional(),
    complete: z.boolean(),
    gaps: z.array(gapShape),
  })
  .meta({ id: 'Look', description: 'The look that this rests on; of several the oldest' })
  .register(examples, { example: { at: story.lookedAt, ageSeconds: 40, complete: true, gaps: [] } });

type Look = Pick<ScopeLook, 'at' | 'gaps'>;

export const lookAnswer = ({ at, gaps }: Look, now: number) => ({
  ...(at === undefined ? {} : { at, ageSeconds: Math.max(0, Math.round((now - at) / 1000)) }),
  complete: at !== undefined && gaps.length === 0,
  gaps,
});

/** Of all looks the oldest, and what is missing in any of them. */
export function oldestLook(looks: readonly Look[], now: number) {
  const gaps = looks.flatMap((look) => look.gaps);
  if (looks.length === 0 || looks.some(({ at }) => at === undefined)) return lookAnswer({ gaps }, now);
  return lookAnswer({ at: Math.min(...looks.flatMap(({ at }) => at ?? [])), gaps }, now);
}
