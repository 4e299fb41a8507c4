import { z } from 'zod';
import { type Bounds, visibleTargets } from '../../../core/access/grant.ts';
import type { KeptRow } from '../../../ports/rows.ts';
import { examples, story } from './examples.ts';
import { nextBody, rowBody, rowExample, rowLook } from './row-fields.ts';

/** For `curl | jq`: flat, one line of a table. */
export const rowShape = z
  .object({
    ...rowBody,
    next: z.object(nextBody).optional(),
    attributes: z
      .record(z.string(), z.json())
      .optional()
      .meta({ description: 'As seen; where `attributes=true` asks for them' }),
    observed: z.object(rowLook),
  })
  .meta({
    id: 'Row',
    description: 'One line of the inventory: a resource that is wanted, an object that stands, or both',
  })
  .register(examples, {
    example: {
      ...rowExample,
      next: { verb: 'update', cause: 'drift', held: story.held },
      observed: { at: story.lookedAt, ageSeconds: 40, complete: true },
    },
  });

/** `seen`: where who asks may read: targets beside it that they may not see are not named. */
export interface RowAround {
  readonly now: number;
  readonly seen: readonly Bounds[];
  /** When its scope has its next pass. */
  readonly nextAt: number | undefined;
  /** Whether what the object is like is told too. */
  readonly withAttributes?: boolean;
}

export function rowAnswer(
  { place, called, whose, state, sides, ...kept }: KeptRow,
  { now, seen, nextAt, withAttributes = false }: RowAround,
) {
  const { documents: _, ...claimed } = whose;
  const { address, id, name, labels } = called;
  return {
    ...{ address, id, name },
    ...place,
    targets: visibleTargets(seen, { estate: kept.estate, targets: place.targets }),
    ...{ estate: kept.estate, ...claimed, labels, ...state, since: kept.since },
    next: sides.next,
    nextAttempt: nextAt,
    attributes: withAttributes ? sides.observed?.attributes : undefined,
    observed: { ...kept.observed, ageSeconds: Math.max(0, Math.round((now - kept.observed.at) / 1000)) },
  };
}
