import { z } from 'zod';
import type { MadePlan, ProposalHead, Told } from '../../../ports/queries.ts';
import { exampleOf, examples, story } from './examples.ts';
import { moment } from './moment.ts';
import { planAnswer, planBody, planShape, summaryShape } from './plan.ts';

const problemShape = z
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
  .meta({ id: 'SpecProblem', description: 'Something wrong with the specs, where it stands' });

const head = {
  id: z.string(),
  estate: z.string(),
  of: z.enum(['posted', 'in-force']),
  person: z.string().meta({ description: 'Who asked for it' }),
  madeAt: moment,
  expiresAt: moment,
  beside: z.int().meta({ description: 'The generation in force when it was made' }),
};

const headExample = {
  id: 'a840b3ba-6de3-4f21-a577-3d5a57f8887e',
  estate: story.estate,
  of: 'in-force',
  person: story.person,
  madeAt: story.askedAt,
  expiresAt: '2027-02-07T08:00:40.000Z',
  beside: 7,
} as const;

export const madePlanShape = z
  .object({
    ...planBody,
    ...head,
    stale: z.boolean().meta({ description: 'Other specs are in force by now' }),
    problems: z.array(problemShape).meta({ description: 'Warnings' }),
  })
  .meta({ id: 'MadePlan', description: 'A plan, kept until it runs out' })
  .register(examples, { example: { ...exampleOf(planShape), ...headExample, stale: false, problems: [] } });

export const planHeadShape = z
  .object({ ...head, revision: z.string(), digest: z.string(), summary: summaryShape })
  .meta({ id: 'PlanHead' })
  .register(examples, {
    example: {
      ...headExample,
      revision: story.revision,
      digest: story.digest,
      summary: exampleOf(summaryShape),
    },
  });

const headOf = ({ id, estate, of, by, times, generation }: ProposalHead) => ({
  id,
  estate,
  of,
  person: by.person,
  madeAt: times.at,
  expiresAt: times.until,
  beside: generation,
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

const problemAnswer = ({ at, hint, ...told }: Told) => ({ ...told, ...at, ...hint });
