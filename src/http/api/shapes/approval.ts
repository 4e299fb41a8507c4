import { z } from 'zod';
import type { Approval } from '../../../ports/fleet-state.ts';
import type { Given, Offered, Withdrawn } from '../../../ports/queries.ts';
import { exampleOf, examples, story } from './examples.ts';
import { moment } from './moment.ts';
import { onTheWay } from './on-the-way.ts';
import { planAnswer, planBody, planShape } from './plan.ts';

const approvalShape = z
  .object({
    estate: z.string(),
    scope: z.string(),
    seq: z.int().meta({ description: 'Of its entry in the ledger' }),
    generation: z.int(),
    digest: z.string(),
    actions: z.array(z.string()).meta({ description: 'Digests' }),
    destroys: z.int().meta({ description: 'Deletes and replaces among them' }),
    creates: z.int().optional().meta({ description: 'New machines among them' }),
    closures: z.int().optional().meta({ description: 'Closures among them of rules that nobody wrote' }),
    ran: z.int(),
    person: z.string(),
    reason: z.string(),
    authorsUnknown: z.boolean().optional(),
    until: moment,
  })
  .meta({ id: 'Approval', description: "A person's word, bound to exactly what was shown" })
  .register(examples, {
    example: {
      estate: story.estate,
      scope: story.scope,
      seq: 28,
      generation: 7,
      digest: story.digest,
      actions: [story.actionDigest],
      destroys: 0,
      creates: 0,
      closures: 0,
      ran: 0,
      person: story.person,
      reason: 'agreed in the review',
      until: '2027-02-01T08:00:40.000Z',
    },
  });

const authorsShape = z
  .object({
    refused: z
      .string()
      .optional()
      .meta({ description: 'Why you may not approve it; absent: you may, as far as this goes' }),
    unknown: z.boolean().meta({ description: 'Of some of it nobody knows who made it' }),
  })
  .meta({ id: 'Authors', description: 'Who made what waits, beside you' });

const said = { generation: z.int(), digest: z.string(), authors: authorsShape };

const { withheldDrift: _, ...waiting } = exampleOf(planShape);

/** What waits, and what has been approved. Its `digest` is what is approved. */
export const offerShape = z
  .object({
    ...planBody,
    ...said,
    free: z.int().meta({ description: 'Changes more that workers make without anybody' }),
    approvals: z.array(approvalShape),
  })
  .meta({ id: 'Offer', description: 'What waits for approval' })
  .register(examples, {
    example: { ...waiting, generation: 7, digest: story.digest, authors: { unknown: false }, free: 0, approvals: [] },
  });

export const givenShape = z
  .object({ ...said, approvals: z.array(approvalShape) })
  .meta({ id: 'GivenApprovals' })
  .register(examples, {
    example: {
      generation: 7,
      digest: story.digest,
      authors: { unknown: false },
      approvals: [exampleOf(approvalShape)],
    },
  });

export const withdrawnShape = z
  .object({ estate: z.string(), approval: approvalShape, onTheWay })
  .meta({ id: 'WithdrawnApproval' })
  .register(examples, { example: { estate: story.estate, approval: exampleOf(approvalShape), onTheWay: 0 } });

const approvalAnswer = ({ by, ranBeside: _, ...approval }: Approval) => ({ ...approval, ...by });

export const offerAnswer = (
  { generation, digest, free, authors, given, ...planned }: Offered,
  how: Parameters<typeof planAnswer>[1],
) => ({ ...planAnswer(planned, how), generation, digest, free, authors, approvals: given.map(approvalAnswer) });

export const withdrawnAnswer = ({ approval, onTheWay }: Withdrawn) => ({
  estate: approval.estate,
  approval: approvalAnswer(approval),
  onTheWay,
});

export const givenAnswer = ({ given, ...said }: Given) => ({ ...said, approvals: given.map(approvalAnswer) });
