import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { canonical } from '../core/ledger/canonical.ts';
import type { Content } from '../core/ledger/entry.ts';
import type { EstateCount, Place } from '../core/ledger/estate-count.ts';
import type { Address } from '../core/resource.ts';
import type { Intended, IntentDraft, OnTheWay, Reconcile } from '../ports/ledger.ts';
import { keepReservations, reserveApprovals, unapproved } from './approvals.ts';
import type { Context } from './context.ts';
import { type ChainWrite, scopeWrite } from './ledger-chain.ts';
import {
  actionKey,
  actionOf,
  fieldsOf,
  heldPlace,
  type IntentRecord,
  intentBody,
  keyText,
  placeOf,
} from './ledger-entries.ts';
import { keepPlaces, takePlaces } from './limit-places.ts';
import { takeCosts } from './scope-costs.ts';
import { inChunks } from './statements.ts';
import type { Database, Write } from './tables.ts';

/** See the port. About 60 ms for a thousand drafts. */
export function intend(
  context: Context,
  reconcile: Reconcile,
  drafts: readonly IntentDraft[],
): Promise<readonly Intended[]> {
  const takesPlaces = drafts.some(({ counts, raisesCostBy }) => counts || raisesCostBy);
  return scopeWrite(context, { reconcile, purpose: 'begin', takesPlaces }, async (write) => {
    const guardEpoch = areGuardsOver(reconcile, write.at) ? undefined : await heldGuardEpoch(write.trx, reconcile);
    const known = {
      open: await openIntents(write.trx, reconcile, drafts),
      applied: await appliedGenerations(write.trx, reconcile, drafts),
    };
    const approvals = await reserveApprovals(write.trx, reconcile, drafts);
    const wanted = unheld(drafts, guardEpoch)
      .filter((draft) => !approvals.refused.has(draft))
      .filter((draft) => isNew(reconcile, draft, known));
    const refusedByCost = await takeCosts(write, reconcile, wanted);
    const places = wanted.flatMap((draft) => (refusedByCost.has(draft) ? [] : (placeOf(reconcile, draft) ?? [])));
    const count = await takePlaces(write, reconcile, places);
    const judged = intending(reconcile, drafts, {
      ...{ ...known, count, refusedByCost, guardEpoch, at: write.at, nextId: randomUUID },
      unapproved: approvals.refused,
    });
    await save(write, reconcile, judged);
    await keepReservations(write.trx, reconcile, approvals.reserved, judged.answers);
    await write.append(judged.entries);
    return judged.answers;
  });
}

const addressesIn = (drafts: readonly IntentDraft[]): readonly string[] => [
  ...new Set(drafts.map(({ subject }) => subject.address)),
];

async function appliedGenerations(trx: Write, { estate, scope }: Reconcile, drafts: readonly IntentDraft[]) {
  const rows = await trx
    .selectFrom('applied')
    .select(['address', 'generation'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where(sql<boolean>`address = ANY(${addressesIn(drafts)}::text[])`)
    .execute();
  return new Map(rows.map(({ address, generation }) => [address, generation]));
}

async function openIntents(trx: Write, { estate, scope }: Reconcile, drafts: readonly IntentDraft[]) {
  const rows = await trx
    .selectFrom('intents')
    .select(['intent', 'attempt', 'verb', 'kind', 'address', 'id'])
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .where('open', '=', true)
    .where(sql<boolean>`address = ANY(${addressesIn(drafts)}::text[])`)
    .execute();
  return new Map(rows.map((row) => [keyText(actionOf(row)), row]));
}

async function save(write: ChainWrite, { estate, scope }: Reconcile, { intents, places }: Judged): Promise<void> {
  const rows = intents.map(({ action, guardEpoch: guard_epoch, ...record }) => ({
    ...record,
    ...action,
    ...{ estate, scope, guard_epoch },
  }));
  await inChunks(rows, (chunk) =>
    write.trx
      .insertInto('intents')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.column('intent').doUpdateSet(({ ref }) => ({
          attempt: ref('excluded.attempt'),
          at: ref('excluded.at'),
          generation: ref('excluded.generation'),
          fields: ref('excluded.fields'),
          details: ref('excluded.details'),
          guard_epoch: ref('excluded.guard_epoch'),
        })),
      )
      .execute(),
  );
  await keepPlaces(write, places);
}

/** The knowledge before drafts are judged. `open`: open intents, by `keyText` of their action. */
interface Standing extends Known {
  /** Has an answer for the place of every new draft. */
  readonly count: EstateCount;
  /** The drafts that the limit of the cost refuses, with the reasons. */
  readonly refusedByCost: ReadonlyMap<IntentDraft, string>;
  /** Undefined: people said something stricter since the reconcile was judged. */
  readonly guardEpoch: number | undefined;
  /** No approval lets them pass any more. */
  readonly unapproved: ReadonlySet<IntentDraft>;
  readonly at: number;
  readonly nextId: () => string;
}

interface Known {
  readonly open: ReadonlyMap<string, { readonly intent: string; readonly attempt: number }>;
  /** The generation that was applied or removed last, by address. */
  readonly applied: ReadonlyMap<Address, number>;
}

/** Answers in the order of the drafts, and what is to be written. An intent named twice stands once, as its last attempt. */
interface Judged {
  readonly answers: readonly Intended[];
  readonly entries: readonly Omit<Content, 'at'>[];
  readonly intents: readonly (IntentRecord & { readonly details: string; readonly guardEpoch: number | undefined })[];
  readonly places: readonly (Place & Pick<IntentRecord, 'intent' | 'generation' | 'at'>)[];
}

function intending(reconcile: Reconcile, drafts: readonly IntentDraft[], standing: Standing): Judged {
  const open = new Map(standing.open);
  const entries: Omit<Content, 'at'>[] = [];
  const intents = new Map<string, Judged['intents'][number]>();
  const places: Judged['places'][number][] = [];

  const judge = (draft: IntentDraft): Intended => {
    const action = actionKey(draft);
    const { guardEpoch } = standing;
    const forbidden = forbiddance(reconcile, draft, standing);
    if (forbidden !== undefined) return forbidden;
    const before = open.get(keyText(action));
    const place = before ? undefined : placeOf(reconcile, draft);
    const why = standing.refusedByCost.get(draft) ?? (place && standing.count.take(place));
    if (why !== undefined) return { ok: false, reason: 'limit', why };
    const intent = before?.intent ?? standing.nextId();
    const attempt = (before?.attempt ?? 0) + 1;
    const { generation } = reconcile.authority;
    const record = { intent, action, attempt, at: standing.at, generation, fields: fieldsOf(draft) };
    open.set(keyText(action), { intent, attempt });
    intents.set(intent, { ...record, guardEpoch, details: canonical(draft.details) });
    if (place) places.push({ ...heldPlace(place, intent), intent, generation, at: standing.at });
    entries.push({ type: 'intent', body: intentBody(reconcile, draft, record) });
    return { ok: true, intent, attempt };
  };
  return { answers: drafts.map(judge), entries, intents: [...intents.values()], places };
}

function forbiddance(
  reconcile: Reconcile,
  draft: IntentDraft,
  { guardEpoch, unapproved: without, applied }: Standing,
): Extract<Intended, { ok: false }> | undefined {
  if (guardEpoch === undefined && isGuarded(draft)) return overruled;
  if (without.has(draft)) return unapproved;
  return staleness(reconcile, draft.subject.address, applied.get(draft.subject.address));
}

/** True where an intent still takes a place in the limits: an open intent has its place. */
function isNew(reconcile: Reconcile, draft: IntentDraft, { open, applied }: Known): boolean {
  const { address } = draft.subject;
  return staleness(reconcile, address, applied.get(address)) === undefined && !open.has(keyText(actionKey(draft)));
}

/** The epoch has moved: people paused something, or another generation came; or a window closed. */
export const overruled: Extract<Intended, { ok: false }> = {
  ok: false,
  reason: 'guards',
  why: 'approvals, pauses, limits or change windows changed since this plan. Setpoint sent nothing; plan again.',
};

/** No lower generation is applied after a higher one. */
export function staleness(
  { authority: { generation } }: Reconcile,
  address: Address,
  applied: number | undefined,
): Extract<Intended, { ok: false }> | undefined {
  if (applied === undefined || applied <= generation) return undefined;
  const why = `generation ${applied} is already applied at ${address}, and this reconcile has generation ${generation}. Setpoint sent nothing; plan again with the newest specs.`;
  return { ok: false, reason: 'generation', why };
}

/** The estate's guard epoch: 0 before anybody said anything. One row by its key. */
export async function guardEpochOf(db: Database, estate: string): Promise<number> {
  const row = await db.selectFrom('guard_epochs').select('epoch').where('estate', '=', estate).executeTakeFirst();
  return row?.epoch ?? 0;
}

/**
 * The epoch that these intents are made under; undefined where people said something stricter since the reconcile was judged. Until
 * this transaction ends nobody raises it. A reconcile that names no epoch was judged by what it read under its lease.
 */
async function heldGuardEpoch(trx: Write, reconcile: Reconcile): Promise<number | undefined> {
  const epoch = await lockedEpoch(trx, reconcile.estate);
  const judged = reconcile.guardEpoch ?? (await leasedEpoch(trx, reconcile));
  return judged === epoch ? epoch : undefined;
}

/** A window or freeze has begun or ended since the reconcile was judged. `at`: by the store's clock. */
export const areGuardsOver = ({ guardUntil }: Reconcile, at: number): boolean =>
  guardUntil !== undefined && at >= guardUntil;

/** Makes the row where there is none: a missing row cannot be locked. */
async function lockedEpoch(trx: Write, estate: string): Promise<number> {
  const find = () =>
    trx.selectFrom('guard_epochs').select('epoch').where('estate', '=', estate).forShare().executeTakeFirst();
  const found = await find();
  if (found) return found.epoch;
  await trx
    .insertInto('guard_epochs')
    .values({ estate, epoch: sql<number>`0` })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await find())?.epoch ?? 0;
}

async function leasedEpoch(trx: Write, { estate, scope }: Reconcile): Promise<number> {
  const row = await trx
    .selectFrom('leases')
    .select('guard_epoch')
    .where('estate', '=', estate)
    .where('scope', '=', scope)
    .executeTakeFirst();
  return row?.guard_epoch ?? 0;
}

/** Forgetting sends nothing, so no word of people holds it. */
export const isGuarded = ({ verb }: IntentDraft): boolean => verb !== 'forget';

/** The drafts that are not held by a word that came since. */
const unheld = (drafts: readonly IntentDraft[], guardEpoch: number | undefined): readonly IntentDraft[] =>
  guardEpoch === undefined ? drafts.filter((draft) => !isGuarded(draft)) : drafts;

/** See the port. Intents from before there were epochs are older than any epoch. */
export async function onTheWay(db: Database, estate: string): Promise<readonly OnTheWay[]> {
  const rows = await db
    .selectFrom('intents')
    .select(['intent', 'scope', 'verb', 'kind', 'address', 'id'])
    .where('estate', '=', estate)
    .where('open', '=', true)
    .where('verb', 'not in', ['forget', 'tombstone'])
    .where(sql<boolean>`coalesce(guard_epoch, -1) < (SELECT epoch FROM setpoint.guard_epochs WHERE estate = ${estate})`)
    .orderBy('scope')
    .orderBy('address')
    .execute();
  return rows.map(({ intent, scope, ...row }) => {
    const { address, verb } = actionOf(row);
    return { intent, scope, address, verb };
  });
}
