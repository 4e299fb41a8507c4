import { canonical } from '../core/ledger/canonical.ts';
import type { Approval, ApprovalDraft, Approvals } from '../ports/approvals.ts';
import type { Where } from '../ports/queue.ts';
import { chainWrite } from './chain-write.ts';
import type { Context } from './context.ts';
import { noteBody } from './entry-body.ts';
import { approvalNote } from './fleet-notes.ts';
import { storeNow } from './store-now.ts';
import type { Database } from './tables.ts';

export const postgresApprovals = (context: Context): Approvals => ({
  give: (approval) => give(context, approval),
  inForce: (where) => inForce(context.db, where),
});

/** What stands in no column of its own. */
type Shown = Pick<ApprovalDraft, 'digest' | 'actions' | 'destroys' | 'by'>;

const give = (context: Context, draft: ApprovalDraft): Promise<Approval> =>
  chainWrite(context, draft.estate, async ({ trx, append }) => {
    const { estate, scope, generation, until, digest, actions, destroys, by } = draft;
    const seq = await append([{ type: 'note', body: noteBody(estate, approvalNote(draft)) }]);
    const shown: Shown = { digest, actions, destroys, by };
    await trx
      .insertInto('approvals')
      .values({ estate, seq, scope, generation, until, body: canonical(shown) })
      .execute();
    return { ...draft, seq };
  });

async function inForce(db: Database, { estate, scope }: Where): Promise<readonly Approval[]> {
  const newest = db
    .selectFrom('generations')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('estate', '=', estate);
  const rows = await db
    .selectFrom('approvals')
    .select(['seq', 'generation', 'until', 'body'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('generation', '=', newest)
    .where('until', '>', storeNow)
    .orderBy('seq')
    .execute();
  return rows.map(({ body, ...row }) => {
    const shown = body as Shown; // why: only `give` writes the column
    return { estate, scope, ...row, ...shown };
  });
}
