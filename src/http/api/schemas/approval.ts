import { z } from 'zod';
import { approvalJson, refusalJson, requiredJson } from '../../../core/render/approval-json.ts';
import type { Given, Offered, RefusedPlan, Withdrawn } from '../../../ports/queries.ts';
import { verbSchema } from './action.ts';
import { exampleOf, examples, story } from './examples.ts';
import { pendingCallsField } from './pause.ts';
import { planAnswer, planBody, planSchema } from './plan.ts';
import { timestamp } from './timestamp.ts';

const approvalSchema = z
  .object({
    estate: z.string(),
    scope: z.string(),
    seq: z.int().meta({ description: 'The number of its entry in the ledger' }),
    generation: z.int(),
    digest: z.string(),
    actions: z.array(z.string()).meta({ description: 'The digests of its actions' }),
    destructiveCount: z.int().meta({ description: 'The number of deletes and replaces' }),
    createCount: z.int().optional().meta({ description: 'The number of new machines' }),
    closureCount: z.int().optional().meta({ description: 'The number of deleted rules that no document states' }),
    executed: z.int().meta({ description: 'The number of its actions that Setpoint has sent' }),
    actor: z.string(),
    reason: z.string(),
    authorsUnknown: z.boolean().optional(),
    onStore: z.boolean().meta({
      description: 'It was given on the store itself, so its actor is no proven name: it counts for no requirement',
    }),
    roles: z.array(z.string()).optional().meta({ description: 'The approval roles of its actor; absent: none' }),
    breakGlass: z.boolean().optional().meta({ description: 'Its actions pass change windows and freezes' }),
    until: timestamp,
  })
  .meta({ id: 'Approval', description: 'Permission of a person for the actions of one digest' })
  .register(examples, {
    example: {
      estate: story.estate,
      scope: story.scope,
      seq: 28,
      generation: 7,
      digest: story.digest,
      actions: [story.actionDigest],
      destructiveCount: 0,
      createCount: 0,
      closureCount: 0,
      executed: 0,
      actor: story.person,
      reason: 'agreed in the review',
      onStore: false,
      until: '2027-02-01T08:00:40.000Z',
    },
  });

const refusalSchema = z
  .object({
    scope: z.string(),
    seq: z
      .int()
      .optional()
      .meta({ description: 'The number of its entry in the ledger; absent: you do not see all of the scope' }),
    generation: z.int(),
    digest: z
      .string()
      .optional()
      .meta({ description: 'Of the plan that its actor refused; absent: you do not see all of the scope' }),
    actions: z.array(z.string()).meta({ description: 'The digests of its actions' }),
    actor: z.string(),
    reason: z.string().optional().meta({ description: 'Absent: some of the refused actions are not in your answer' }),
    at: timestamp,
  })
  .meta({ id: 'Refusal', description: 'Refusal of pending actions by a person. It forbids nothing' })
  .register(examples, {
    example: {
      scope: story.scope,
      seq: 29,
      generation: 7,
      digest: story.digest,
      actions: [story.actionDigest],
      actor: story.person,
      reason: 'the image is not scanned yet',
      at: '2027-01-31T08:00:40.000Z',
    },
  });

const authorsSchema = z
  .object({
    denialReason: z.string().optional().meta({ description: 'The reason that you may not approve it; absent: none' }),
    unknown: z.boolean().meta({ description: 'Some changes have an unknown author' }),
  })
  .meta({ id: 'Authors', description: 'The check that nobody approves their own changes' });

const requiredSchema = z
  .object({
    address: z.string(),
    action: verbSchema,
    digest: z.string().meta({ description: 'Of the action' }),
    people: z.int().meta({ description: 'The number of different people who must approve it' }),
    role: z.string().optional().meta({ description: 'The approval role that each of them must have; absent: any' }),
    reason: z.string(),
    approvals: z.array(z.object({ actor: z.string(), until: timestamp })).meta({ description: 'So far' }),
  })
  .meta({ id: 'RequiredApproval', description: 'An action that needs approvals of several people, or in a role' });

const said = { generation: z.int(), digest: z.string(), authors: authorsSchema };

const { withheldDrift: _, ...waiting } = exampleOf(planSchema);

/** The pending and the approved actions. An approval names its `digest`. */
export const pendingApprovalsSchema = z
  .object({
    ...planBody,
    ...said,
    unapproved: z.int().meta({ description: 'Further changes that workers make without an approval' }),
    approvals: z.array(approvalSchema),
    refusals: z.array(refusalSchema).meta({
      description:
        'Refusals of these actions in this generation, each with those of its actions that are pending. A later approval of an action by the same person ends its refusal, and so does an active one of anybody, unless the action needs more approvals',
    }),
    refusalsTruncated: z.literal(true).optional().meta({ description: 'There are older refusals of these actions' }),
    required: z.array(requiredSchema).meta({ description: 'Actions that one approval of anybody does not release' }),
  })
  .meta({ id: 'PendingApprovals', description: 'The actions that wait for an approval' })
  .register(examples, {
    example: {
      ...waiting,
      generation: 7,
      digest: story.digest,
      authors: { unknown: false },
      unapproved: 0,
      approvals: [],
      refusals: [],
      required: [],
    },
  });

export const givenApprovalsSchema = z
  .object({
    ...said,
    approvals: z.array(approvalSchema),
    missing: z.array(requiredSchema).meta({ description: 'Actions that still need further approvals' }),
  })
  .meta({ id: 'GrantedApprovals' })
  .register(examples, {
    example: {
      generation: 7,
      digest: story.digest,
      authors: { unknown: false },
      approvals: [exampleOf(approvalSchema)],
      missing: [],
    },
  });

export const refusedApprovalsSchema = z
  .object({
    generation: z.int(),
    digest: z.string(),
    refusals: z.array(refusalSchema).meta({ description: 'One for each scope with pending actions' }),
  })
  .meta({ id: 'RefusedApprovals' })
  .register(examples, { example: { generation: 7, digest: story.digest, refusals: [exampleOf(refusalSchema)] } });

export const withdrawnApprovalSchema = z
  .object({ estate: z.string(), approval: approvalSchema, inFlight: pendingCallsField })
  .meta({ id: 'WithdrawnApproval' })
  .register(examples, { example: { estate: story.estate, approval: exampleOf(approvalSchema), inFlight: 0 } });

export const pendingApprovalsAnswer = (
  { generation, digest, free, authors, given, refusals, refusalsTruncated, required, ...planned }: Offered,
  how: Parameters<typeof planAnswer>[1],
) => ({
  ...planAnswer(planned, how),
  generation,
  digest,
  unapproved: free,
  authors: authorsAnswer(authors),
  approvals: given.map(approvalJson),
  refusals: refusals.map(refusalJson),
  refusalsTruncated: refusalsTruncated ? true : undefined,
  required: required.map(requiredJson),
});

export const refusedApprovalsAnswer = ({ generation, digest, refusals }: RefusedPlan) => ({
  generation,
  digest,
  refusals: refusals.map(refusalJson),
});

export const withdrawnApprovalAnswer = ({ approval, onTheWay }: Withdrawn) => ({
  estate: approval.estate,
  approval: approvalJson(approval),
  inFlight: onTheWay,
});

export const givenApprovalsAnswer = ({ generation, digest, authors, given, missing }: Given) => ({
  generation,
  digest,
  authors: authorsAnswer(authors),
  approvals: given.map(approvalJson),
  missing: missing.map(requiredJson),
});

const authorsAnswer = ({ refused, unknown }: Given['authors']) => ({ denialReason: refused, unknown });
