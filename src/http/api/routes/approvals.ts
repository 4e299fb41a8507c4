import { z } from 'zod';
import { approvalRolesIn, boundsFor, reaches } from '../../../core/access/grant.ts';
import type { ApprovalAnswers } from '../../../ports/queries.ts';
import { orDeclinedProblem } from '../../problem.ts';
import { sha256 } from '../../sha256.ts';
import { estateField, reasonField, resolveEstate, targetsBodyField, targetsField } from '../fields.ts';
import { type Caller, posterOf, type Route, route } from '../route.ts';
import {
  givenApprovalsAnswer,
  givenApprovalsSchema,
  pendingApprovalsAnswer,
  pendingApprovalsSchema,
  refusedApprovalsAnswer,
  refusedApprovalsSchema,
  withdrawnApprovalAnswer,
  withdrawnApprovalSchema,
} from '../schemas/approval.ts';

export interface ApprovalsDependencies {
  readonly approvals: ApprovalAnswers;
  estates(): Promise<readonly string[]>;
}

const usualSeconds = 86_400;
const mostSeconds = 30 * 86_400;

export const approvalsRoutes = (dependencies: ApprovalsDependencies): readonly Route[] => [
  offer(dependencies),
  approve(dependencies),
  refuse(dependencies),
  withdraw(dependencies),
];

const offer = ({ approvals, estates }: ApprovalsDependencies): Route =>
  route({
    method: 'GET',
    path: '/v1/approvals',
    operation: {
      id: 'readApprovals',
      tag: 'Approvals',
      summary: 'List the actions that wait for an approval, and the approvals',
      description:
        'The actions that you may approve; if you may approve none, those that you see. Send `digest` to POST.',
      responses: { 200: { description: 'The pending approvals', schema: pendingApprovalsSchema } },
    },
    permission: 'read',
    request: {
      query: z.strictObject({
        estate: estateField,
        target: targetsField,
        address: addressField,
        breakGlass: z
          .enum(['true', 'false'])
          .optional()
          .meta({ description: 'true: also the actions that change windows and freezes hold' }),
      }),
    },
    handle: async ({ query, context: { caller, now } }) => {
      const estate = await resolveEstate({ asked: query.estate, in: 'query', permission: 'read' }, caller, estates);
      const asked = { estate, seen: offeredTo(caller, estate), by: posterOf(caller) };
      const found = await orDeclinedProblem(
        approvals.offer({
          ...asked,
          targets: query.target,
          address: query.address,
          breakGlass: query.breakGlass === 'true',
        }),
      );
      return { status: 200, body: pendingApprovalsAnswer(found, { now, hash: sha256 }) };
    },
  });

const addressField = z.string().min(1).max(500).optional().meta({
  description:
    'Only actions at this address, or at the one with this end. Actions withheld as `destructive-drift` appear only if you name their address',
});

/** A caller sees the changes that they may approve; the digest is of these. */
function offeredTo({ grants }: Caller, estate: string) {
  const theirs = boundsFor(grants, 'approve').filter((bounds) => reaches(bounds, estate));
  return theirs.length > 0 ? theirs : boundsFor(grants, 'read');
}

/** Of a decision about pending actions. */
const decisionFields = {
  estate: estateField,
  digest: z.string().regex(/^[0-9a-f]{64}$/, 'the whole digest of the plan'),
  targets: targetsBodyField,
  address: addressField,
  reason: reasonField,
};

const approve = ({ approvals, estates }: ApprovalsDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/approvals',
    operation: {
      id: 'approve',
      tag: 'Approvals',
      summary: 'Approve exactly the actions of a digest in this generation, until the approval expires',
      description:
        'Nobody approves their own changes: Setpoint refuses authors, committers and co-authors of the commits, and the sender of the specs. If authors are known, use a credential with your e-mail address.',
      responses: {
        201: { description: 'One approval for each scope with pending actions', schema: givenApprovalsSchema },
      },
    },
    permission: 'approve',
    request: {
      body: z.strictObject({
        ...decisionFields,
        breakGlass: z.boolean().optional().meta({
          description: 'true: these actions pass change windows and freezes; the ledger has an entry of its own',
        }),
        expiresInSeconds: z.int().min(1).max(mostSeconds).default(usualSeconds),
      }),
    },
    handle: async ({ body, context: { caller, now } }) => {
      const { digest, reason, targets, address, breakGlass, expiresInSeconds } = body;
      const estate = await resolveEstate({ asked: body.estate, in: 'body', permission: 'approve' }, caller, estates);
      const asked = { estate, seen: boundsFor(caller.grants, 'approve'), by: posterOf(caller) };
      const roles = approvalRolesIn(caller.grants);
      const word = { digest, reason, roles, until: now + expiresInSeconds * 1000 };
      const given = await orDeclinedProblem(
        approvals.give({
          ...asked,
          ...word,
          targets,
          address,
          breakGlass,
        }),
      );
      return { status: 201, body: givenApprovalsAnswer(given) };
    },
  });

const refuse = ({ approvals, estates }: ApprovalsDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/approvals/refuse',
    operation: {
      id: 'refuseApproval',
      tag: 'Approvals',
      summary: 'Refuse exactly the actions of a digest in this generation, with a reason',
      description:
        'The ledger has the refusal, and other approvers see it. It forbids nothing: the actions stay withheld, and somebody may approve them later. Authors may refuse their own changes.',
      responses: {
        201: { description: 'One refusal for each scope with pending actions', schema: refusedApprovalsSchema },
      },
    },
    permission: 'approve',
    request: {
      body: z.strictObject({
        ...decisionFields,
        breakGlass: z.boolean().optional().meta({ description: 'true: as of GET /v1/approvals' }),
      }),
    },
    handle: async ({ body: { estate: named, ...word }, context: { caller } }) => {
      const estate = await resolveEstate({ asked: named, in: 'body', permission: 'approve' }, caller, estates);
      const asked = { estate, seen: boundsFor(caller.grants, 'approve'), by: posterOf(caller) };
      const refused = await orDeclinedProblem(approvals.refuse({ ...asked, ...word }));
      return { status: 201, body: refusedApprovalsAnswer(refused) };
    },
  });

const withdraw = ({ approvals, estates }: ApprovalsDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/approvals/withdraw',
    operation: {
      id: 'withdrawApproval',
      tag: 'Approvals',
      summary: 'Withdraw an approval',
      description:
        'After the answer, Setpoint sends no call that only this approval permits, not even a retry. Its giver may withdraw it, and so may every approver of its whole scope. To restore it, approve again.',
      responses: { 200: { description: 'The withdrawn approval', schema: withdrawnApprovalSchema } },
    },
    permission: 'approve',
    request: {
      body: z.strictObject({
        estate: estateField,
        seq: z.int().min(0).meta({ description: 'The number of its entry in the ledger: `seq` of an approval' }),
        reason: reasonField,
      }),
    },
    handle: async ({ body: { estate: named, seq, reason }, context: { caller } }) => {
      const estate = await resolveEstate({ asked: named, in: 'body', permission: 'approve' }, caller, estates);
      const bounds = { seen: boundsFor(caller.grants, 'read'), mine: boundsFor(caller.grants, 'approve') };
      const by = { person: caller.person, reason };
      return {
        status: 200,
        body: withdrawnApprovalAnswer(await orDeclinedProblem(approvals.withdraw({ estate, ...bounds }, seq, by))),
      };
    },
  });
