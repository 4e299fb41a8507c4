import { z } from 'zod';
import { actionDigest, type Hash } from '../../../core/digest.ts';
import { planJson } from '../../../core/render/plan-json.ts';
import type { Planned } from '../../../ports/queries.ts';
import { plannedActionShape } from './action.ts';
import { exampleOf, examples, story } from './examples.ts';
import { findingShape } from './finding.ts';
import { lookAnswer, lookShape, oldestLook } from './look.ts';
import { moment } from './moment.ts';

const count = z.int();

export const summaryShape = z
  .object({
    create: count,
    update: count,
    replace: count,
    delete: count,
    adopt: count,
    drifted: count,
    unmanaged: count,
    orphan: count,
    blocked: count,
    withheld: count,
    calls: count.meta({ description: 'That applying takes, at least' }),
  })
  .meta({ id: 'Summary', description: 'By documents, as `setpoint plan` counts' })
  .register(examples, {
    example: {
      create: 0,
      update: 1,
      replace: 0,
      delete: 0,
      adopt: 0,
      drifted: 1,
      unmanaged: 0,
      orphan: 0,
      blocked: 0,
      withheld: 0,
      calls: 1,
    },
  });

export const heldSourceShape = z
  .object({
    source: z.string().optional(),
    head: z.string().optional(),
    state: z.string(),
    why: z.string().optional(),
    since: moment,
  })
  .meta({
    id: 'HeldSource',
    description:
      'A source whose newest state is not in force. Which one, and why, is told to those who see all of the estate',
  });

const withheldDriftShape = z
  .object({
    code: z.string().meta({ description: 'Of the reason' }),
    count: count.meta({ description: 'Resources' }),
    next: z.string().meta({ description: 'The command that lets them pass, or tells of the way' }),
  })
  .meta({ id: 'WithheldDrift', description: 'Drift that no worker heals before a person acts' });

const scopeShape = z
  .object({
    scope: z.string(),
    targets: z.array(z.string()),
    calls: z.object({
      observed: count.optional().meta({ description: 'Made to look; for those who see all of the estate' }),
      predicted: count,
    }),
    observed: lookShape,
  })
  .meta({ id: 'PlannedScope' });

/** What is planned as `setpoint plan --json` says it, and what each scope of it rests on. */
export const planBody = {
  estate: z.string(),
  withheldDrift: z
    .array(withheldDriftShape)
    .optional()
    .meta({ description: 'By the newest looks of what is in force; absent: none' }),
  revision: z.string(),
  generation: z.int().optional().meta({ description: 'That the specs have, or would have' }),
  serial: z
    .int()
    .optional()
    .meta({ description: 'Of the newest entry in the ledger; for those who see all of the estate' }),
  sources: z.array(heldSourceShape).optional(),
  summary: summaryShape,
  actions: z.array(plannedActionShape),
  findings: z.array(findingShape),
  digest: z.string().meta({ description: 'Of all actions' }),
  scopes: z.array(scopeShape),
  observed: lookShape,
} as const;

export const planShape = z
  .object(planBody)
  .meta({ id: 'PlanAnswer', description: 'Actions, findings, and what they rest on' })
  .register(examples, {
    example: {
      estate: story.estate,
      withheldDrift: [{ code: 'mode', count: 1, next: 'setpoint approve --reason "…"' }],
      revision: story.revision,
      generation: 7,
      serial: 27,
      summary: exampleOf(summaryShape),
      actions: [exampleOf(plannedActionShape)],
      findings: [],
      digest: story.digest,
      scopes: [
        {
          scope: story.scope,
          targets: [story.target],
          calls: { observed: 8, predicted: 1 },
          observed: exampleOf(lookShape),
        },
      ],
      observed: exampleOf(lookShape),
    },
  });

export function planAnswer(
  { bound, plans, looks }: Planned,
  { now, hash }: { readonly now: number; readonly hash: Hash },
) {
  const { actions: _, ...json } = planJson(plans, bound, hash);
  return {
    ...json,
    actions: plans.flatMap(({ scope, actions }) =>
      actions.map((action) => ({ ...action, digest: actionDigest(action, hash), scope })),
    ),
    scopes: plans.map(({ scope, calls }, at) => {
      const { targets = [], ...look } = looks[at] ?? { gaps: [] };
      return { scope, targets, calls, observed: lookAnswer(look, now) };
    }),
    observed: oldestLook(looks, now),
  };
}
