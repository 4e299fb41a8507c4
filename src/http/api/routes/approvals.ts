import { z } from 'zod';
import { boundsFor, reaches } from '../../../core/access/grant.ts';
import type { ApprovalAnswers } from '../../../ports/queries.ts';
import { sha256 } from '../../sha256.ts';
import { askedEstate, estateField } from '../asked-estate.ts';
import { answered } from '../declined.ts';
import { posterOf } from '../poster-of.ts';
import { reasonField } from '../reason-field.ts';
import type { Caller, Route } from '../route.ts';
import {
  givenAnswer,
  givenShape,
  offerAnswer,
  offerShape,
  withdrawnAnswer,
  withdrawnShape,
} from '../shapes/approval.ts';
import { targetList, targetsField } from '../targets-field.ts';
import { route } from '../typed-route.ts';

export interface ApprovalsDesk {
  readonly approvals: ApprovalAnswers;
  estates(): Promise<readonly string[]>;
}

const usualSeconds = 86_400;
const mostSeconds = 30 * 86_400;

export const approvalsRoutes = (desk: ApprovalsDesk): readonly Route[] => [offer(desk), approve(desk), withdraw(desk)];

const offer = ({ approvals, estates }: ApprovalsDesk): Route =>
  route({
    method: 'GET',
    path: '/v1/approvals',
    says: {
      id: 'readApprovals',
      tag: 'Approvals',
      summary: 'What modes and limits withhold from workers, by the newest look, and what has been approved',
      description:
        'Of what you may approve; where you may approve nothing, of what you may see. `digest` is what POST takes.',
      answers: { 200: { description: 'What waits', schema: offerShape } },
    },
    needs: 'read',
    asks: { query: z.strictObject({ estate: estateField, target: targetsField, address: addressField }) },
    handle: async ({ query, by: { caller, now } }) => {
      const estate = await askedEstate({ asked: query.estate, in: 'query', needs: 'read' }, caller, estates);
      const asked = { estate, seen: offeredTo(caller, estate), by: posterOf(caller) };
      const found = await answered(
        approvals.offer({
          ...asked,
          ...(query.target === undefined ? {} : { targets: query.target }),
          ...(query.address === undefined ? {} : { address: query.address }),
        }),
      );
      return { status: 200, body: offerAnswer(found, { now, hash: sha256 }) };
    },
  });

const addressField = z.string().min(1).max(500).optional().meta({
  description:
    'Only what waits at this address, or at the one that ends so. What would lose data although no spec asked for it (`destructive-drift`) is offered only so',
});

/** Whoever may approve is shown what they may; the digest is of that. */
function offeredTo({ grants }: Caller, estate: string) {
  const theirs = boundsFor(grants, 'approve').filter((bounds) => reaches(bounds, estate));
  return theirs.length > 0 ? theirs : boundsFor(grants, 'read');
}

const approve = ({ approvals, estates }: ApprovalsDesk): Route =>
  route({
    method: 'POST',
    path: '/v1/approvals',
    says: {
      id: 'approve',
      tag: 'Approvals',
      summary: 'Let workers do exactly what was shown with this digest, in this generation, until it runs out',
      description:
        'Nobody approves what they made: authors, committers and co-authors of its commits, and whoever posted its specs, are refused. Where authors are known, ask with a credential that knows you by e-mail address.',
      answers: { 201: { description: 'One for each scope where something waited', schema: givenShape } },
    },
    needs: 'approve',
    asks: {
      body: z.strictObject({
        estate: estateField,
        digest: z.string().regex(/^[0-9a-f]{64}$/, 'the whole digest of what was shown'),
        targets: targetList,
        address: addressField,
        reason: reasonField,
        expiresInSeconds: z.int().min(1).max(mostSeconds).default(usualSeconds),
      }),
    },
    handle: async ({ body, by: { caller, now } }) => {
      const { digest, reason, targets, address, expiresInSeconds } = body;
      const estate = await askedEstate({ asked: body.estate, in: 'body', needs: 'approve' }, caller, estates);
      const asked = { estate, seen: boundsFor(caller.grants, 'approve'), by: posterOf(caller) };
      const word = { digest, reason, until: now + expiresInSeconds * 1000 };
      const given = await answered(
        approvals.give({
          ...asked,
          ...word,
          ...(targets === undefined ? {} : { targets }),
          ...(address === undefined ? {} : { address }),
        }),
      );
      return { status: 201, body: givenAnswer(given) };
    },
  });

const withdraw = ({ approvals, estates }: ApprovalsDesk): Route =>
  route({
    method: 'POST',
    path: '/v1/approvals/withdraw',
    says: {
      id: 'withdrawApproval',
      tag: 'Approvals',
      summary: 'Let nothing more pass by an approval',
      description:
        'From the answer on, no call that only this approval lets pass is sent, retries included. Whoever gave it may withdraw it, and whoever may approve in all of its scope. An approval cannot be given back: approve again.',
      answers: { 200: { description: 'It lets nothing more pass', schema: withdrawnShape } },
    },
    needs: 'approve',
    asks: {
      body: z.strictObject({
        estate: estateField,
        seq: z.int().min(0).meta({ description: 'Of its entry in the ledger: `seq` of an approval' }),
        reason: reasonField,
      }),
    },
    handle: async ({ body: { estate: named, seq, reason }, by: { caller } }) => {
      const estate = await askedEstate({ asked: named, in: 'body', needs: 'approve' }, caller, estates);
      const bounds = { seen: boundsFor(caller.grants, 'read'), mine: boundsFor(caller.grants, 'approve') };
      const by = { person: caller.person, reason };
      return { status: 200, body: withdrawnAnswer(await answered(approvals.withdraw({ estate, ...bounds }, seq, by))) };
    },
  });
