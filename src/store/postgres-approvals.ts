import { canonical } from '../core/ledger/canonical.ts';
import { ranOf } from '../core/plan/total.ts';
import type { Approval, ApprovalDraft, Approvals } from '../ports/approvals.ts';
import { chainWrite } from './chain-write.ts';
import type { Context } from './context.ts';
import { spentBy } from './counted.ts';
import { noteBody } from './entry-body.ts';
import { approvalNote } from './fleet-notes.ts';
import { storeNow } from './store-now.ts';
import type { Database } from './tables.ts';

export const postgresApprovals = (context: Context): Approvals => ({
  give: (approval) => give(context, approval),
  inForce: ({ estate, scope }) =>
    rowsOf(ofNewest(context.db, estate).where('scope', '=', scope).where('until', '>', storeNow), estate),
  given: (estate) => rowsOf(ofNewest(context.db, estate), estate),
});

/** What stands in no column of its own. */
type Shown = Pick<Approval, 'digest' | 'actions' | 'destroys' | 'by' | 'ran'>;

const give = (context: Context, draft: ApprovalDraft): Promise<Approval> =>
  chainWrite(context, draft.estate, async ({ trx, append, at }) => {
    const { estate, scope, generation, until, digest, actions, destroys, by } = draft;
    const seq = await append([{ type: 'note', body: noteBody(estate, approvalNote(draft)) }]);
    const ran = ranOf(await spentBy(trx, { estate, generation, now: at }));
    const shown: Shown = { digest, actions, destroys, by, ran };
    await trx
      .insertInto('approvals')
      .values({ estate, seq, scope, generation, until, body: canonical(shown) })
      .execute();
    return { ...draft, seq, ran };
  });

function ofNewest(db: Database, estate: string) {
  const newest = db
    .selectFrom('generations')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('estate', '=', estate);
  return db
    .selectFrom('approvals')
    .select(['scope', 'seq', 'generation', 'until', 'body'])
    .where('estate', '=', estate)
    .where('generation', '=', newest)
    .orderBy('seq');
}

async function rowsOf(query: ReturnType<typeof ofNewest>, estate: string): Promise<readonly Approval[]> {
  return (await query.execute()).map(({ body, ...row }) => {
    const shown = body as Shown; // why: only `give` writes the column
    return { estate, ...row, ...shown };
  });
}
