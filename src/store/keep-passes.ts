import type { PassDraft, PassEnding } from '../ports/passes.ts';
import { announce } from './events.ts';
import { passBegan, passEnded } from './pass-happenings.ts';
import type { Database } from './tables.ts';

export const beginPass = (db: Database, pass: PassDraft): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('passes')
      .values({ ...columnsOf(pass), epoch: pass.ground.lease?.epoch ?? null })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) await announce(trx, pass.began, [passBegan(pass)]);
  });

export const endPass = (db: Database, pass: PassDraft, ending: PassEnding): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { ended, outcome, quiet, account } = ending;
    const end = { ended, outcome, ending: JSON.stringify(endOf(ending)) };
    const { timeline, rest } = account;
    const whole = { ...end, quiet, timeline: JSON.stringify({ timeline, rest }) };
    await trx
      .insertInto('passes')
      .values({ ...columnsOf(pass), ...whole, epoch: pass.ground.lease?.epoch ?? null })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...columnsOf(pass), ...whole }))
      .execute();
    await trx
      .insertInto('last_passes')
      .values({ ...columnsOf(pass), ...end })
      .onConflict((conflict) =>
        conflict
          .columns(['estate', 'scope'])
          .doUpdateSet({ ...columnsOf(pass), ...end })
          // why: a worker that was slow to say so must not hide what came after
          .where('last_passes.at', '<=', pass.began),
      )
      .execute();
    await announce(trx, ended, [passEnded(pass, ending)]);
  });

const columnsOf = ({ id, estate, scope, began, reason, ground: { targets, ...ground } }: PassDraft) => ({
  ...{ id, estate, scope, targets, at: began },
  about: JSON.stringify({ ground, ...(reason === undefined ? {} : { reason }) }),
});

const endOf = ({ why, nextAt, account: { counts } }: PassEnding) => ({ why, nextAt, counts });
