import { z } from 'zod';
import { type Action, actionKey, type ScopePlan, type WithheldFinding, withheldKey } from '../../../core/action.ts';
import { actionDigest, type Hash } from '../../../core/digest.ts';
import { healingIn } from '../../../core/plan/healing.ts';
import type { Withholding } from '../../../core/plan/plan-input.ts';
import { effectJson } from '../../../core/render/effect.ts';
import { actionJson, planJson, requirementJson } from '../../../core/render/plan-json.ts';
import { policiesJson } from '../../../core/render/policies.ts';
import { clouds } from '../../../core/resource.ts';
import type { Drift, MadePlan, Planned, ProposalHead, ReportedProblem } from '../../../ports/queries.ts';
import { findingSchema, kindSchema, plannedActionSchema } from './action.ts';
import { exampleOf, examples, story } from './examples.ts';
import { observationAnswer, observationSchema, oldestObservation } from './observation.ts';
import { assignmentSchema, commentsField, resourceNotesAnswer } from './resource-note.ts';
import { timestamp } from './timestamp.ts';

const count = z.int();

const summarySchema = z
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
    calls: count.meta({ description: 'The minimum number of calls to apply it' }),
  })
  .meta({ id: 'Summary', description: 'Counts by document, as in `setpoint plan`' })
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

export const heldSourceSchema = z
  .object({
    source: z.string().optional(),
    head: z.string().optional(),
    state: z.string(),
    reason: z.string().optional(),
    since: timestamp,
  })
  .meta({
    id: 'RejectedSource',
    description:
      'A source whose newest state is not active. Only callers that see all of the estate get its name and the reason',
  });

export const auditLogsSchema = z
  .array(z.enum(clouds))
  .meta({ description: 'Clouds whose audit logs reach Setpoint by a webhook; absent: none' });

const costSchema = z
  .object({
    currency: z.string(),
    before: z.number(),
    after: z.number().meta({ description: 'As all actions are applied' }),
    change: z.number(),
    unpriced: z
      .array(z.object({ what: z.string(), count }))
      .meta({ description: 'The kinds of things without a price; empty: the amounts are whole' }),
    limit: z.number().optional().meta({ description: 'The limit of the cost, limits.cost; absent: none' }),
  })
  .meta({
    id: 'PlanCost',
    description: 'The monthly list price of all machines of the estate, by the prices in its specs',
  });

const endSchema = z
  .union([
    z.object({ cidr: z.string(), anyone: z.boolean() }),
    z.object({
      network: z.string(),
      groups: z.array(z.string()).meta({ description: 'Groups of which all machines are in it' }),
      names: z
        .array(z.string())
        .meta({ description: 'Machines in none of these groups; both empty: all of the network' }),
      count: count.meta({ description: 'The number of machines' }),
      instances: z.array(z.string()).meta({ description: 'At most 100' }),
      exposed: count.optional().meta({ description: 'Machines with a public address and a route' }),
      maybeExposed: count.optional().meta({ description: 'Machines of which that is unknown' }),
    }),
  ])
  .meta({ id: 'TrafficEnd', description: 'A block of addresses, or machines of one network' });

const trafficBody = {
  scope: z.string(),
  from: endSchema,
  to: endSchema,
  services: z.array(z.object({ protocol: z.string(), ports: z.string() })),
  resources: z.array(z.string()).meta({ description: 'The addresses of the changes that cause it' }),
} as const;

export const effectSchema = z
  .object({
    opens: z.array(z.object(trafficBody)),
    cuts: z.array(z.object(trafficBody)),
    unknown: z.array(z.object({ change: z.enum(['opens', 'cuts']), ...trafficBody, reasons: z.array(z.string()) })),
    idle: z
      .array(
        z.object({
          scope: z.string(),
          address: z.string(),
          toCome: count.meta({ description: 'Machines that the plan creates and that the rule applies to' }),
          document: z.object({ file: z.string(), line: z.int() }).optional(),
        }),
      )
      .meta({ description: 'New rules that apply to no machine that stands' }),
    gaps: z.array(z.string()).meta({ description: 'Reasons for which the effect may be incomplete' }),
  })
  .meta({ id: 'Effect', description: 'The traffic that the plan opens and cuts' });

/** The fields of every violation, in a plan and in the inventory. */
export const violationBody = {
  policy: z.string(),
  rule: z.string(),
  effect: z.enum(['deny', 'approval', 'warn']),
  mode: z.enum(['audit', 'enforce']),
  message: z.string().meta({ description: 'How to comply' }),
  failed: z.string().optional().meta({ description: 'The reason that the expression has no answer' }),
  facts: z.string().optional().meta({ description: 'The facts of the image by which a rule about images judged' }),
} as const;

export const policyViolationSchema = z
  .object({
    ...violationBody,
    kind: kindSchema,
    address: z.string(),
    targets: z.array(z.string()),
    document: z.object({ file: z.string(), line: z.int() }),
    owner: z.string().optional(),
  })
  .meta({ id: 'PolicyViolation', description: 'A rule of a policy that a desired resource or a change breaks' });

const withheldDriftSchema = z
  .object({
    code: z.string().meta({ description: 'The code of the reason' }),
    count: count.meta({ description: 'The number of resources' }),
    next: z.string().meta({ description: 'The command that permits the changes, or shows the way' }),
    actors: z
      .array(z.string())
      .optional()
      .meta({ description: 'The actors of the changes, the newest change first; absent: no event names any' }),
  })
  .meta({ id: 'WithheldDrift', description: 'Drift that no worker heals before a person acts' });

const scopeSchema = z
  .object({
    scope: z.string(),
    targets: z.array(z.string()),
    calls: z.object({
      observed: count
        .optional()
        .meta({ description: 'Calls of the observation; only for callers that see all of the estate' }),
      predicted: count,
    }),
    observed: observationSchema,
  })
  .meta({ id: 'PlannedScope' });

/** The plan as `setpoint plan --json` prints it, and the observation of each scope. */
export const planBody = {
  estate: z.string(),
  withheldDrift: z
    .array(withheldDriftSchema)
    .optional()
    .meta({ description: 'Drift of the active generation by the newest observations; absent: none' }),
  revision: z.string(),
  generation: z.int().optional().meta({ description: 'The generation of the specs, also if they are not active yet' }),
  serial: z
    .int()
    .optional()
    .meta({ description: 'The number of the newest ledger entry; only for callers that see all of the estate' }),
  sources: z.array(heldSourceSchema).optional(),
  looserGuards: z.array(z.string()).optional().meta({
    description:
      'Guards of the generation before that these specs have looser, and that end with the next change; only for callers that see all of the estate; absent: none',
  }),
  auditLogs: auditLogsSchema.optional(),
  cost: costSchema
    .optional()
    .meta({ description: 'Only for callers that see all of the estate; absent also if its specs have no prices' }),
  effect: effectSchema.optional().meta({ description: 'Only for callers that see all of the estate' }),
  policies: z.array(policyViolationSchema).optional().meta({ description: 'Violations of policies; absent: none' }),
  summary: summarySchema,
  actions: z.array(plannedActionSchema),
  findings: z.array(findingSchema),
  digest: z.string().meta({ description: 'A hash of all actions' }),
  scopes: z.array(scopeSchema),
  observed: observationSchema,
} as const;

/** Of drift: the changes that heal it. */
export const planSchema = z
  .object({
    ...planBody,
    effect: effectSchema.optional().meta({
      description:
        'The traffic that the drift opened and cut, which healing undoes; only for callers that see all of the estate',
    }),
    assignments: z
      .array(assignmentSchema)
      .optional()
      .meta({ description: 'The people who take its resources on; only of drift' }),
    comments: commentsField.optional(),
  })
  .meta({ id: 'Plan', description: 'Actions and findings, with their observations' })
  .register(examples, {
    example: {
      estate: story.estate,
      withheldDrift: [{ code: 'mode', count: 1, next: 'setpoint approve --reason "…"' }],
      revision: story.revision,
      generation: 7,
      serial: 27,
      auditLogs: ['aws'],
      cost: {
        currency: 'USD',
        before: 60,
        after: 75.5,
        change: 15.5,
        unpriced: [{ what: 'aws eu-west-1 disk gp3', count: 2 }],
      },
      summary: exampleOf(summarySchema),
      actions: [exampleOf(plannedActionSchema)],
      findings: [],
      digest: story.digest,
      scopes: [
        {
          scope: story.scope,
          targets: [story.target],
          calls: { observed: 8, predicted: 1 },
          observed: exampleOf(observationSchema),
        },
      ],
      observed: exampleOf(observationSchema),
    },
  });

export function planAnswer(
  { bound, plans, looks, effect, violations }: Planned,
  { now, hash }: { readonly now: number; readonly hash: Hash },
) {
  const { actions: _, ...json } = planJson(plans, bound, hash);
  return {
    ...json,
    effect: effect && effectJson(effect),
    policies: violations && policiesJson(violations),
    actions: plannedActions(plans, hash),
    scopes: plans.map(({ scope, calls }, at) => {
      const { targets = [], ...look } = looks[at] ?? { gaps: [] };
      return { scope, targets, calls, observed: observationAnswer(look, now) };
    }),
    observed: oldestObservation(looks, now),
  };
}

/** The actions of drift also have the reasons that keep workers from them. `effect`: of the drift. */
export function driftAnswer(drift: Drift, how: Parameters<typeof planAnswer>[1]) {
  const { leftToPeople, notes, ...planned } = drift;
  return {
    ...planAnswer(planned, how),
    ...resourceNotesAnswer(notes),
    actions: planned.plans.flatMap((plan) => {
      const shown = plannedActions([plan], how.hash);
      const found = withheldIn(plan);
      return plan.actions.flatMap((action, i) => {
        const held = found(action) ?? leftToPeople.get(action);
        const one = shown[i];
        if (one === undefined) return [];
        return held === undefined ? [one] : [{ ...one, healing: 'withheld' as const, withheld: withholdingJson(held) }];
      });
    }),
  };
}

/** The finding that withholds an action; undefined: none does. */
function withheldIn({ findings }: ScopePlan) {
  const held = Map.groupBy(
    findings.filter((one) => one.type === 'withheld'),
    withheldKey,
  );
  return (action: Action) => held.get(actionKey(action))?.[0];
}

const withholdingJson = ({ code, why, until, requirements }: Withholding & Partial<WithheldFinding>) => ({
  ...{ code, reason: why, until },
  requirements: requirements?.map(requirementJson),
});

export const plannedActions = (plans: readonly ScopePlan[], hash: Hash) =>
  plans.flatMap(({ scope, actions, findings }) => {
    const healing = healingIn({ findings });
    return actions.map((one) => ({ ...actionJson(one, healing(one)), digest: actionDigest(one, hash), scope }));
  });

const specProblemSchema = z
  .object({
    severity: z.enum(['error', 'warning']),
    code: z.string(),
    file: z.string(),
    line: z.int(),
    column: z.int(),
    message: z.string(),
    expected: z.string().optional(),
    didYouMean: z.string().optional(),
  })
  .meta({ id: 'SpecProblem', description: 'An error or warning in the specs, with its place' });

const head = {
  id: z.string(),
  estate: z.string(),
  subject: z
    .enum(['proposal', 'active'])
    .meta({ description: 'proposal: the specs in the request; active: the active generation' }),
  actor: z.string().meta({ description: 'The caller who created it' }),
  createdAt: timestamp,
  expiresAt: timestamp,
  activeGeneration: z.int().meta({ description: 'The active generation when the plan was created' }),
};

const headExample = {
  id: 'a840b3ba-6de3-4f21-a577-3d5a57f8887e',
  estate: story.estate,
  subject: 'active',
  actor: story.person,
  createdAt: story.askedAt,
  expiresAt: '2027-02-07T08:00:40.000Z',
  activeGeneration: 7,
} as const;

export const madePlanSchema = z
  .object({
    ...planBody,
    ...head,
    stale: z.boolean().meta({ description: 'Another generation is active now' }),
    problems: z.array(specProblemSchema).meta({ description: 'Warnings' }),
  })
  .meta({ id: 'SavedPlan', description: 'A plan that Setpoint keeps until it expires' })
  .register(examples, { example: { ...exampleOf(planSchema), ...headExample, stale: false, problems: [] } });

export const planHeadSchema = z
  .object({ ...head, revision: z.string(), digest: z.string(), summary: summarySchema })
  .meta({ id: 'SavedPlanSummary' })
  .register(examples, {
    example: {
      ...headExample,
      revision: story.revision,
      digest: story.digest,
      summary: exampleOf(summarySchema),
    },
  });

const headOf = ({ id, estate, of, by, times, generation }: ProposalHead) => ({
  id,
  estate,
  subject: of === 'posted' ? ('proposal' as const) : ('active' as const),
  actor: by.person,
  createdAt: times.at,
  expiresAt: times.until,
  activeGeneration: generation,
});

export const planHeadAnswer = (one: ProposalHead) => ({
  ...headOf(one),
  revision: one.revision,
  digest: one.digest,
  summary: one.summary,
});

export const madePlanAnswer = (
  { head: one, planned, problems, stale }: MadePlan,
  how: Parameters<typeof planAnswer>[1],
) => ({ ...planAnswer(planned, how), ...headOf(one), stale, problems: problems.map(problemAnswer) });

const problemAnswer = ({ at, hint, ...rest }: ReportedProblem) => ({ ...rest, ...at, ...hint });
