import { z } from 'zod';
import type { Bounds } from '../../../core/access/grant.ts';
import { type Status, statuses } from '../../../core/inventory/row.ts';
import { clouds } from '../../../core/resource.ts';
import type { TargetHeld, TargetPasses, TargetReport } from '../../../ports/queries.ts';
import type { LaneLevel } from '../../../ports/telemetry.ts';
import { passWithin } from '../pass-within.ts';
import { modeShape } from './desired.ts';
import { exampleOf, examples, story } from './examples.ts';
import { lookAnswer, lookShape } from './look.ts';
import { moment } from './moment.ts';
import { passAnswer, passShape } from './pass.ts';
import { heldWhat } from './pause.ts';
import { stoppedRolloutShape } from './stopped-rollout.ts';

const budgetShape = z
  .object({
    known: z.boolean().meta({ description: 'Whether the process that answers carries out passes' }),
    note: z.string().optional(),
    lanes: z.array(
      z.object({
        key: z.string(),
        left: z.number().meta({ description: '1: all of it; below 0: in debt' }),
        slowedUntil: moment.optional().meta({ description: 'The cloud refused a request; absent: full speed' }),
      }),
    ),
  })
  .meta({ id: 'Budget', description: 'What is left of the rate budgets, as far as they were used since the start' });

const replacementShape = z
  .object({
    address: z.string(),
    predecessor: z.string().meta({ description: 'The id of the machine that is replaced' }),
    successor: z
      .string()
      .optional()
      .meta({ description: 'The id of the machine that takes its place; absent: it is being launched' }),
    since: moment,
    waitsFor: z.string().meta({ description: 'The next step' }),
    heldBy: z
      .string()
      .optional()
      .meta({ description: 'Why the last pass went no further with it, such as a pause; absent: nothing held it' }),
  })
  .meta({ id: 'HalfReplaced', description: 'A replacement by surge that has begun and not ended' });

const heldShape = z
  .object({
    pauses: z.array(
      z.object({
        what: heldWhat,
        of: z.enum(['estate', 'target']),
        person: z.string(),
        reason: z.string(),
        since: moment,
        until: moment,
      }),
    ),
    quarantine: z.object({ why: z.string().optional(), since: moment, generation: z.int() }).optional().meta({
      description:
        'Its passes failed in our own code: it is left alone until a newer generation, a person, or ten minutes. Why is told to those who see all targets of the scope',
    }),
    stoppedRollouts: z.array(stoppedRolloutShape),
    halfReplaced: z.array(replacementShape),
  })
  .meta({ id: 'Held', description: 'What keeps passes from doing what the specs ask' });

export const targetShape = z
  .object({
    name: z.string(),
    estate: z.string(),
    provider: z.enum(clouds),
    account: z.string(),
    region: z.string(),
    scope: z.string().meta({ description: 'What one pass is over; targets of one place share it' }),
    mode: modeShape,
    counts: z
      .partialRecord(z.enum(statuses), z.int())
      .meta({ description: 'Lines of the inventory by status, as far as you see them' }),
    observed: lookShape,
    lastPass: passShape.optional(),
    runningPass: z.object({ reconcileId: z.string(), began: moment }).optional(),
    nextPassAt: moment.optional().meta({ description: 'When a pass is due at the latest; absent: not known' }),
    held: heldShape.optional(),
    budget: budgetShape.optional(),
  })
  .meta({
    id: 'Target',
    description: 'Passes, what is held, and budgets are told to those who see all owners of the target',
  })
  .register(examples, {
    example: {
      name: story.target,
      estate: story.estate,
      provider: 'aws',
      account: '111122223333',
      region: 'eu-west-1',
      scope: story.scope,
      mode: 'plan',
      counts: { InSync: 15, Drifted: 1, Unmanaged: 3 },
      observed: exampleOf(lookShape),
      lastPass: exampleOf(passShape),
      nextPassAt: story.nextAt,
      held: { pauses: [], stoppedRollouts: [], halfReplaced: [] },
      budget: { known: true, lanes: [{ key: `${story.scope}/DescribeInstances`, left: 1 }] },
    },
  });

/** `lanes`: undefined where this process has none. */
export interface TargetAround {
  readonly estate: string;
  readonly seen: readonly Bounds[];
  readonly now: number;
  readonly lanes: readonly LaneLevel[] | undefined;
}

export function targetAnswer({ name, place, mode, look, passes, held }: TargetReport, around: TargetAround) {
  const { cloud, ...where } = place;
  return {
    ...{ name, estate: around.estate, provider: cloud, ...where, mode },
    counts: Object.fromEntries(look.counts.map(({ status, count }): [Status, number] => [status, count])),
    observed: lookAnswer(look, around.now),
    ...(passes && passesAnswer(passes, around.seen)),
    ...(held && { held: heldAnswer(held), budget: budgetAnswer(place.scope, around.lanes) }),
  };
}

const passesAnswer = ({ last, running, nextAt }: TargetPasses, seen: readonly Bounds[]) => ({
  lastPass: last && passAnswer(passWithin(last, seen)),
  runningPass: running && { reconcileId: running.id, began: running.began },
  nextPassAt: nextAt,
});

const heldAnswer = ({ pauses, quarantine, rollouts, halfReplaced }: TargetHeld) => ({
  pauses: pauses.map(({ of, at, ...pause }) => ({ ...pause, of: of.by, since: at })),
  quarantine,
  stoppedRollouts: rollouts,
  halfReplaced: halfReplaced.map(({ address, predecessor, successor, since, waitsFor, heldBy }) => {
    return { address, predecessor, successor, since, waitsFor, heldBy };
  }),
});

const budgetAnswer = (scope: string, lanes: readonly LaneLevel[] | undefined) =>
  lanes === undefined
    ? {
        known: false,
        note: 'This process carries out no passes: ask a worker, at /lanes of its health port.',
        lanes: [],
      }
    : {
        known: true,
        lanes: lanes
          .filter(({ key }) => key.startsWith(`${scope}/`))
          .map(({ key, level, slowedUntil }) => ({ key, left: level, slowedUntil })),
      };
