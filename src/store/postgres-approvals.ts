import { sql } from 'kysely';
import { canonical } from '../core/ledger/canonical.ts';
import { ranBefore } from '../core/plan/tally.ts';
import type { Approval, ApprovalDraft, Approvals } from '../ports/approvals.ts';
import type { By } from '../ports/by.ts';
import type { Where } from '../ports/queue.ts';
import { type ApprovalUse, type UsableApproval, usable } from './approval-uses.ts';
import { chainWrite } from './chain-write.ts';
import type { Context } from './context.ts';
import { noteBody } from './entry-body.ts';
import { approvalNote, withdrawalNote } from './fleet-notes.ts';
import { spentBy } from './limit-places.ts';
import { storeNow } from './statements.ts';
import type { Database } from './tables.ts';

export const postgresApprovals = (context: Context): Approvals => ({
  give: (approval) => give(context, approval),
  inForce: async (where) => {
    const usable = await usableApprovals(context.db, where);
    return usable.flatMap(({ left, ...approval }) =>
      left.size === 0 && approval.actions.length > 0 ? [] : [{ ...approval, actions: [...left.keys()] }],
    );
  },
  given: (estate) => rowsOf(ofNewest(context.db, estate), estate),
  withdraw: (estate, seq, by) => withdraw(context, { estate, seq, by }),
});

/** Those in force in a scope, and what each still lets pass. */
export async function usableApprovals(
  db: Database,
  { estate, scope }: Where,
): Promise<readonly (Approval & UsableApproval)[]> {
  const inForce = ofNewest(db, estate).where('scope', '=', scope).where('until', '>', storeNow);
  const approvals = await rowsOf(inForce, estate);
  const uses = await usesOf(
    db,
    estate,
    approvals.map(({ seq }) => seq),
  );
  return approvals.map((approval) => {
    const own = uses.filter(({ seq }) => seq === approval.seq);
    return { ...approval, left: usable(approval.actions, own) };
  });
}

/** What stands in no column of its own. */
type Shown = Pick<Approval, 'digest' | 'actions' | 'destroys' | 'creates' | 'closures' | 'by' | 'ran' | 'ranBeside'>;

const give = (context: Context, draft: ApprovalDraft): Promise<Approval> =>
  chainWrite(context, draft.estate, async ({ trx, append, at }) => {
    const { estate, scope, generation, until, ...said } = draft;
    const seq = await append([{ type: 'note', body: noteBody(estate, approvalNote(draft)) }]);
    const ran = ranBefore(await spentBy(trx, { estate, generation, now: at }));
    const shown: Shown = { ...said, ...ran, actions: [] };
    await trx
      .insertInto('approvals')
      .values({ estate, seq, scope, generation, until, body: canonical(shown), bound: canonical(said.actions) })
      .execute();
    return { ...draft, seq, ...ran };
  });

function ofNewest(db: Database, estate: string) {
  const newest = db
    .selectFrom('generations')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('estate', '=', estate);
  return db
    .selectFrom('approvals')
    .select(['scope', 'seq', 'generation', 'until', 'body', 'bound'])
    .where('estate', '=', estate)
    .where('generation', '=', newest)
    .where('seq', 'not in', (eb) => eb.selectFrom('withdrawn_approvals').select('seq').where('estate', '=', estate))
    .orderBy('seq');
}

async function rowsOf(query: ReturnType<typeof ofNewest>, estate: string): Promise<readonly Approval[]> {
  return (await query.execute()).map(({ body, bound, ...row }) => {
    // why: only `give` writes the columns; programs that know nothing of `bound` read the body, and use an approval again
    const [shown, actions] = [body as Shown, bound as readonly string[]];
    return { estate, ...row, ...shown, actions };
  });
}

async function usesOf(db: Database, estate: string, seqs: readonly number[]): Promise<readonly ApprovalUse[]> {
  if (seqs.length === 0) return [];
  const rows = await db
    .selectFrom('approved_intents')
    .select(['seq', 'digest', 'halves', 'verb', 'done'])
    .where('estate', '=', estate)
    .where(sql<boolean>`seq = ANY(${seqs}::bigint[])`)
    .execute();
  // why: only `keepReservations` writes the column
  return rows.map(({ halves, ...use }) => ({ ...use, halves: halves as readonly string[] }));
}

interface Withdrawing {
  readonly estate: string;
  readonly seq: number;
  readonly by: By;
}

const withdraw = (context: Context, { estate, seq, by }: Withdrawing): Promise<Approval | undefined> =>
  chainWrite(context, estate, async ({ trx, append }) => {
    const [approval] = await rowsOf(ofNewest(trx, estate).where('seq', '=', seq).where('until', '>', storeNow), estate);
    if (approval === undefined) return undefined;
    await trx.insertInto('withdrawn_approvals').values({ estate, seq }).execute();
    await append([{ type: 'note', body: noteBody(estate, withdrawalNote(approval, by)) }]);
    return approval;
  });
