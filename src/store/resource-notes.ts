import { sql } from 'kysely';
import { canonical } from '../core/ledger/canonical.ts';
import type { Address } from '../core/resource.ts';
import {
  type Assignment,
  type AssignmentDraft,
  type CommentDraft,
  type ExpectedAssignment,
  mostComments,
  type NewAssignment,
  OtherAssignment,
  type ResourceComment,
  type ResourceNoteLists,
  type ResourceNotes,
} from '../ports/fleet-state.ts';
import type { KeptLook } from '../ports/inventory-rows.ts';
import type { Where } from '../ports/queue.ts';
import type { Context } from './context.ts';
import { chainWrite } from './ledger-chain.ts';
import { assignNote, commentNote, endAssignmentNote, resourceNoteBody } from './ledger-entries.ts';
import { storableText } from './statements.ts';
import type { Database, Write } from './tables.ts';

export const postgresResourceNotes = (context: Context): ResourceNotes => ({
  assign: (draft, expected) => assign(context, draft, expected),
  endAssignment: (draft, expected) => endAssignment(context, draft, expected),
  comment: (draft) => comment(context, draft),
  list: (estate, addresses) => list(context.db, estate, addresses),
});

/** The fields without a column of their own. */
type AssignmentBody = Pick<Assignment, 'person' | 'reason'>;
type CommentBody = Pick<ResourceComment, 'person' | 'text'>;

/** Throws where another assignment stands than the person saw. One that ended since is no other. */
export function refuseOther(standing: Assignment | undefined, expected: ExpectedAssignment | undefined): void {
  if (standing === undefined || expected === undefined) return;
  if (expected !== 'none' && expected.person === standing.person && expected.at === standing.at) return;
  throw new OtherAssignment(standing);
}

const assign = (
  context: Context,
  draft: AssignmentDraft,
  expected: ExpectedAssignment | undefined,
): Promise<NewAssignment> =>
  chainWrite(context, draft.estate, async ({ trx, append, at }) => {
    const { estate, scope, address, person, reason } = draft;
    const [replaced] = await assignmentsAt(trx, estate, [address]);
    refuseOther(replaced, expected);
    const seq = await append([{ type: 'note', body: resourceNoteBody(draft, assignNote(draft, replaced)) }]);
    const body: AssignmentBody = { person, ...(reason === undefined ? {} : { reason }) };
    await forget(trx, draft, replaced);
    await trx
      .insertInto('resource_notes')
      .values({ estate, seq, type: 'assignment', address, scope, at, body: canonical(body) })
      .execute();
    return { assignment: { ...draft, seq, at }, ...(replaced && { replaced }) };
  });

const endAssignment = (
  context: Context,
  draft: AssignmentDraft,
  expected: ExpectedAssignment | undefined,
): Promise<Assignment | undefined> =>
  chainWrite(context, draft.estate, async ({ trx, append }) => {
    const [ended] = await assignmentsAt(trx, draft.estate, [draft.address]);
    if (ended === undefined) return undefined;
    refuseOther(ended, expected);
    await append([{ type: 'note', body: resourceNoteBody(draft, endAssignmentNote(draft, ended)) }]);
    await forget(trx, draft, ended);
    return ended;
  });

async function forget(trx: Write, { estate }: AssignmentDraft, one: Assignment | undefined): Promise<void> {
  if (one === undefined) return;
  await trx.deleteFrom('resource_notes').where('estate', '=', estate).where('seq', '=', one.seq).execute();
}

const comment = (context: Context, draft: CommentDraft): Promise<ResourceComment> =>
  chainWrite(context, draft.estate, async ({ trx, append, at }) => {
    const { estate, scope, address, person, text } = draft;
    const seq = await append([{ type: 'note', body: resourceNoteBody(draft, commentNote(draft)) }]);
    const body: CommentBody = { person, text };
    await trx
      .insertInto('resource_notes')
      .values({ estate, seq, type: 'comment', address, scope, at, body: canonical(body) })
      .execute();
    const these = sql`estate = ${estate} AND address = ${address} AND type = 'comment'`;
    await sql`
      DELETE FROM setpoint.resource_notes WHERE ${these} AND seq <= (
        SELECT seq FROM setpoint.resource_notes WHERE ${these} ORDER BY seq DESC OFFSET ${mostComments} LIMIT 1)`.execute(
      trx,
    );
    return { ...draft, seq, at };
  });

async function list(db: Database, estate: string, addresses: readonly Address[]): Promise<ResourceNoteLists> {
  if (addresses.length === 0) return { assignments: [], comments: [] };
  const comments = await notesAt(db, estate, addresses).where('type', '=', 'comment').orderBy('seq', 'desc').execute();
  return {
    assignments: await assignmentsAt(db, estate, addresses),
    // why: only `comment` writes these rows
    comments: comments.map(({ body, ...row }) => ({ estate, ...row, ...(body as CommentBody) })),
  };
}

async function assignmentsAt(
  db: Database,
  estate: string,
  addresses: readonly Address[],
): Promise<readonly Assignment[]> {
  const rows = await notesAt(db, estate, addresses).where('type', '=', 'assignment').orderBy('address').execute();
  // why: only `assign` writes these rows
  return rows.map(({ body, ...row }) => ({ estate, ...row, ...(body as AssignmentBody) }));
}

const notesAt = (db: Database, estate: string, addresses: readonly Address[]) =>
  db
    .selectFrom('resource_notes')
    .select(['scope', 'address', 'seq', 'at', 'body'])
    .where('estate', '=', estate)
    .where(sql<boolean>`address = ANY(${addresses.map(storableText)}::text[])`);

/** Ends the assignments that this observation settles, in the transaction that keeps it. */
export async function endSettledAssignments(trx: Write, { estate, scope }: Where, look: KeptLook): Promise<void> {
  if (!isComplete(look)) return;
  const earlier = await trx
    .selectFrom('resource_notes')
    .select(['seq', 'address'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('type', '=', 'assignment')
    .where('at', '<=', look.at)
    .execute();
  const settled = settledAt(earlier, look).map(({ seq }) => seq);
  if (settled.length === 0) return;
  await trx.deleteFrom('resource_notes').where('estate', '=', estate).where('seq', 'in', settled).execute();
}

/** An observation with a gap, or none at all, proves nothing. */
export const isComplete = ({ gaps, left }: KeptLook): boolean => gaps.length === 0 && left === undefined;

/** Those at whose address a complete observation has only rows in sync, or none: nobody desires it, and it does not exist. */
export function settledAt<T extends { readonly address: Address }>(
  earlier: readonly T[],
  { rows }: Pick<KeptLook, 'rows'>,
): readonly T[] {
  if (earlier.length === 0) return [];
  const unsettled = new Set(
    rows.flatMap(({ called: { address }, state }) =>
      address === undefined || state.status === 'InSync' ? [] : [storableText(address)],
    ),
  );
  return earlier.filter(({ address }) => !unsettled.has(address));
}
