import { sql } from 'kysely';
import { neverHappened } from '../core/knowledge.ts';
import { canonical } from '../core/ledger/canonical.ts';
import { ranBefore } from '../core/plan/tally.ts';
import {
  type Approval,
  type ApprovalDraft,
  type Approvals,
  type By,
  type FoundRefusals,
  mostRefusals,
  type Refusal,
  type RefusalDraft,
} from '../ports/fleet-state.ts';
import type { Intended, IntentDraft, Reconcile } from '../ports/ledger.ts';
import type { Where } from '../ports/queue.ts';
import type { Context } from './context.ts';
import { chainWrite } from './ledger-chain.ts';
import { approvalNote, noteBody, refusalNote, withdrawalNote } from './ledger-entries.ts';
import { spentBy } from './limit-places.ts';
import type { Settling } from './settled-changes.ts';
import { inChunks, storeNow } from './statements.ts';
import type { Database, Write } from './tables.ts';

export const postgresApprovals = (context: Context): Approvals => ({
  give: (approval) => give(context, approval),
  active: async (where) => unspent(await usableApprovals(context.db, where)),
  activeIn: async (estate) => unspent(await usableApprovals(context.db, { estate })),
  ofTombstones: (estate) => rowsOf(ofTombstones(context.db, estate), estate),
  given: (estate) => rowsOf(ofNewest(context.db, estate), estate),
  withdrawn: async (estate) => {
    const rows = await context.db
      .selectFrom('withdrawn_approvals')
      .select('seq')
      .where('estate', '=', estate)
      .execute();
    return new Set(rows.map(({ seq }) => seq));
  },
  withdraw: (estate, seq, by) => withdraw(context, { estate, seq, by }),
  refuse: (refusal) => refuse(context, refusal),
  refused: (estate, actions) => refused(context.db, estate, actions),
});

/** Approvals with the actions that they still approve: those that approve nothing any more are left out. */
export const unspent = (usable: readonly (Approval & UsableApproval)[]): readonly Approval[] =>
  usable.flatMap(({ left, ...approval }) =>
    left.size === 0 && approval.actions.length > 0 ? [] : [{ ...approval, actions: [...left.keys()] }],
  );

/** The active approvals of a scope, or of all, and the actions that each still approves. */
async function usableApprovals(
  db: Database,
  { estate, scope }: Pick<Where, 'estate'> & Partial<Where>,
): Promise<readonly (Approval & UsableApproval)[]> {
  const active = ofNewest(db, estate).where('until', '>', storeNow);
  const approvals = await rowsOf(scope === undefined ? active : active.where('scope', '=', scope), estate);
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

/** The fields without a column of their own. */
type Shown = Omit<Approval, 'estate' | 'scope' | 'seq' | 'generation' | 'until'>;

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

const ofNewest = (db: Database, estate: string) =>
  unWithdrawn(db, estate).where('generation', '=', newestOf(db, estate));

const newestOf = (db: Database, estate: string) =>
  db
    .selectFrom('generations')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('estate', '=', estate);

const unWithdrawn = (db: Database, estate: string) =>
  db
    .selectFrom('approvals')
    .select(['scope', 'seq', 'generation', 'until', 'body', 'bound'])
    .where('estate', '=', estate)
    .where('seq', 'not in', (eb) => eb.selectFrom('withdrawn_approvals').select('seq').where('estate', '=', estate))
    .orderBy('seq');

const ofTombstones = (db: Database, estate: string) =>
  unWithdrawn(db, estate).where('seq', 'in', (eb) =>
    eb
      .selectFrom('approved_intents')
      .innerJoin('tombstones', 'tombstones.intent', 'approved_intents.intent')
      .select('approved_intents.seq')
      .where('tombstones.estate', '=', estate),
  );

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
    const active = ofNewest(trx, estate).where('until', '>', storeNow);
    const [given] = await rowsOf(active.where('seq', '=', seq), estate);
    const [approval = given] = await rowsOf(ofTombstones(trx, estate).where('seq', '=', seq), estate);
    if (approval === undefined) return undefined;
    await trx.insertInto('withdrawn_approvals').values({ estate, seq }).execute();
    await append([{ type: 'note', body: noteBody(estate, withdrawalNote(approval, by)) }]);
    return approval;
  });

/** New generations take the same lock, so none comes before the commit. */
const refuse = (context: Context, { parts, ...word }: RefusalDraft): Promise<readonly Refusal[] | undefined> =>
  chainWrite(context, word.estate, async ({ trx, append, at }) => {
    const { estate, generation, digest, by } = word;
    const newest = await newestOf(trx, estate).executeTakeFirst();
    if (newest?.number !== generation) return undefined;
    const body: RefusalBody = { digest, by: { person: by.person, reason: by.reason } };
    const made: Refusal[] = [];
    for (const { scope, actions } of parts) {
      const part = { ...word, scope, actions };
      const seq = await append([{ type: 'note', body: noteBody(estate, refusalNote(part)) }]);
      made.push({ ...part, seq, at });
      await trx
        .insertInto('refusals')
        .values({ estate, seq, scope, generation, at, body: canonical(body), bound: canonical(actions) })
        .execute();
    }
    return made;
  });

// why: PostgreSQL reads no JSON with an escaped NUL. Canonical JSON of a body begins with the person
const personOf = String.raw`^\{"by":\{"person":("(?:[^"\\]|\\.)*")`;

type RefusalBody = Pick<Refusal, 'digest' | 'by'>;

async function refused(db: Database, estate: string, asked: ReadonlySet<string>): Promise<FoundRefusals> {
  const newest = sql<number>`SELECT DISTINCT ON (person, action) refused.seq
    FROM setpoint.refusals AS refused, json_array_elements_text(refused.bound) AS action,
      substring(refused.body::text FROM ${personOf}) AS person
    WHERE refused.estate = ${estate} AND refused.generation = (${newestOf(db, estate)})
      AND action = ANY(${[...asked]}::text[])
    ORDER BY person, action, refused.seq DESC`;
  const rows = await db
    .selectFrom('refusals')
    .select(['scope', 'seq', 'generation', 'at', 'body', 'bound'])
    .where('estate', '=', estate)
    .where(sql<boolean>`seq IN (${newest})`)
    .orderBy('seq', 'desc')
    .limit(mostRefusals + 1)
    .execute();
  const refusals = rows.slice(0, mostRefusals).map(({ body, bound, ...row }) => {
    // why: only `refuse` writes the columns
    const [said, actions] = [body as RefusalBody, bound as readonly string[]];
    return { estate, ...row, ...said, actions };
  });
  return { refusals: refusals.reverse(), truncated: rows.length > mostRefusals };
}

/** One intent that an approval let pass. */
export interface ApprovalUse {
  readonly seq: number;
  /** Of the action, as it was approved. */
  readonly digest: string;
  readonly halves: readonly string[];
  readonly verb: string;
  readonly done: boolean;
}

/** The reservation's verb for the first step of a change of groups: the update that follows is what spends the approval. */
const joining = 'join';

/**
 * The actions that an approval still permits: the digest of each action, and of the action that it was approved as.
 *
 *   intents of the action          | permits
 *   -------------------------------+------------------------------------------
 *   none, or none that went well   | the action: a retry shares the reservation
 *   one half of a replacement did  | the action, and each half of it
 *   a machine joined its new groups| the action, and what is left of it
 *   all did                        | nothing: it is spent
 */
export function usable(actions: readonly string[], uses: readonly ApprovalUse[]): ReadonlyMap<string, string> {
  const left = new Map(actions.map((digest) => [digest, digest]));
  for (const [digest, own] of Map.groupBy(uses, (use) => use.digest)) {
    const halves = own.find((use) => use.halves.length > 0)?.halves ?? [];
    const verbs = new Set(own.filter((use) => use.done).map(({ verb }) => verb));
    const done = verbs.has(joining) ? verbs.size - 1 : verbs.size;
    if (done >= Math.max(1, halves.length)) left.delete(digest);
    else if (verbs.size > 0) for (const half of halves) left.set(half, digest);
  }
  return left;
}

/** An active approval, and the actions that it still approves. */
interface UsableApproval {
  readonly seq: number;
  readonly left: ReadonlyMap<string, string>;
}

/** A reservation. `nth`: of which draft. */
interface Reservation extends Omit<ApprovalUse, 'done'> {
  readonly nth: number;
}

/**
 * Finds the approvals of each draft that was let pass by some: all that cover its action, for each of them is spent by it. Those that
 * find none are refused, and so are those that miss one that they need.
 */
export function reserving(drafts: readonly IntentDraft[], approvals: readonly UsableApproval[]) {
  const reserved: Reservation[] = [];
  const refused = new Set<IntentDraft>();
  for (const [nth, draft] of drafts.entries()) {
    const { approval, verb } = draft;
    if (approval === undefined) continue;
    const { halves, needs = [] } = approval;
    const as = approval.joining ? joining : verb;
    const found = approvals.flatMap(({ seq, left }) => {
      const digest = left.get(approval.digest);
      return digest === undefined ? [] : [{ nth, seq, digest, halves, verb: as }];
    });
    const isWhole = found.length > 0 && needs.every((seq) => found.some((one) => one.seq === seq));
    if (isWhole) reserved.push(...found);
    else refused.add(draft);
  }
  return { reserved, refused };
}

export const unapproved: Extract<Intended, { ok: false }> = {
  ok: false,
  reason: 'approval',
  why: 'the approval that it was planned by is spent, was withdrawn or ran out. If it is still to be done: setpoint approve --reason "…"',
};

/**
 * The effect of settlements on the approvals of their intents: success spends one, proof that nothing was sent gives it back.
 */
export function settledUses(all: readonly Settling[]): { readonly spent: string[]; readonly returned: string[] } {
  const closed = all.filter(({ settlement }) => settlement.closes);
  const idsOf = (some: readonly Settling[]): string[] => some.map(({ record }) => record.intent);
  return { spent: idsOf(closed.filter(happened)), returned: idsOf(closed.filter(neverSent)) };
}

/** A machine that was made, and ended before anybody saw it, was made all the same. */
const happened = ({ settlement: { outcome }, record }: Settling): boolean =>
  outcome.ok || (record.action.verb === 'create' && outcome.failure.code === 'Gone');

const neverSent = ({ settlement: { outcome } }: Settling): boolean =>
  !outcome.ok && (outcome.failure.code === 'NotSent' || outcome.failure.code === neverHappened);

/** In the transaction of the intents. Nothing is asked where no draft needs an approval. */
export async function reserveApprovals(trx: Write, { estate, scope }: Reconcile, drafts: readonly IntentDraft[]) {
  if (!drafts.some(({ approval }) => approval)) return reserving(drafts, []);
  const approvals = await usableApprovals(trx, { estate, scope });
  return reserving(drafts, approvals);
}

export async function keepReservations(
  trx: Write,
  { estate }: Reconcile,
  reserved: readonly Reservation[],
  answers: readonly Intended[],
): Promise<void> {
  const rows = reserved.flatMap(({ nth, halves, ...use }) => {
    const answer = answers[nth];
    return answer?.ok ? [{ ...use, intent: answer.intent, estate, halves: JSON.stringify(halves) }] : [];
  });
  await inChunks(rows, (chunk) =>
    trx
      .insertInto('approved_intents')
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}

export async function settleApprovals(trx: Write, all: readonly Settling[]): Promise<void> {
  const { spent, returned } = settledUses(all);
  const those = (ids: readonly string[]) => sql<boolean>`intent = ANY(${ids}::uuid[])`;
  if (spent.length > 0) {
    await trx.updateTable('approved_intents').set({ done: true }).where(those(spent)).execute();
    await spendLater(trx, spent);
  }
  if (returned.length > 0) await trx.deleteFrom('approved_intents').where(those(returned)).execute();
}

/** An approval of the same action that was given while the call was on its way is spent by it, too. */
const spendLater = (trx: Write, spent: readonly string[]) =>
  sql`INSERT INTO setpoint.approved_intents (intent, estate, seq, digest, halves, verb, done)
    SELECT used.intent, used.estate, other.seq, used.digest, used.halves, used.verb, true
    FROM (SELECT DISTINCT ON (intent) * FROM setpoint.approved_intents WHERE intent = ANY(${spent}::uuid[])
      ORDER BY intent, seq DESC) AS used
    JOIN setpoint.intents AS intended ON intended.intent = used.intent
    JOIN setpoint.approvals AS other ON other.estate = used.estate AND other.scope = intended.scope
      AND other.seq > used.seq AND position(used.digest IN other.bound::text) > 0
    ON CONFLICT DO NOTHING`.execute(trx);
