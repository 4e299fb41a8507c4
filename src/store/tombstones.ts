import { sql } from 'kysely';
import type { Tombstone, TombstoneChanges } from '../core/grace.ts';
import type { Guards } from '../core/guards.ts';
import { type Address, type CloudId, documentOfReplica, type Kind, nameIn } from '../core/resource.ts';
import type { Effect, Reconcile } from '../ports/ledger.ts';
import type { Context } from './context.ts';
import { checkLease } from './leases.ts';
import { type ChainWrite, chainWrite } from './ledger-chain.ts';
import { noteBody } from './ledger-entries.ts';
import type { Settling } from './settled-changes.ts';
import { inChunks } from './statements.ts';
import type { Database, Write } from './tables.ts';

/** A tombstone that a settlement makes. */
export interface NewTombstone {
  readonly id: CloudId;
  readonly kind: Kind;
  readonly address: Address;
  readonly generation: number;
  readonly intent: string;
  readonly forMs: number;
  readonly byPerson: boolean;
}

export const tombstonesIn = (all: readonly Settling[]): readonly NewTombstone[] =>
  all.flatMap(({ settlement: { effects, intent }, record: { generation } }) =>
    effects
      .filter(isTombstone)
      .flatMap(({ subject: { kind, address, id }, forMs, by }): readonly NewTombstone[] =>
        id === undefined ? [] : [{ id, kind, address, generation, intent, forMs, byPerson: by === 'person' }],
      ),
  );

const isTombstone = (effect: Effect): effect is Extract<Effect, { readonly do: 'tombstone' }> =>
  effect.do === 'tombstone';

/** `changed`: ids that were written otherwise, released or ended: a tombstone of theirs is void. */
export async function saveTombstones(
  { trx, at }: Pick<ChainWrite, 'trx' | 'at'>,
  { estate, scope }: Reconcile,
  { made, changed }: { readonly made: readonly NewTombstone[]; readonly changed: readonly CloudId[] },
): Promise<void> {
  if (changed.length > 0)
    await trx
      .deleteFrom('tombstones')
      .where('estate', '=', estate)
      .where('scope', '=', scope)
      .where(sql<boolean>`id = ANY(${changed}::text[])`)
      .execute();
  const rows = made.map(({ forMs, byPerson, ...tombstone }) => ({
    ...{ estate, scope, ...tombstone },
    ...{ since: at, until: at + forMs, by_person: byPerson },
  }));
  await inChunks(rows, (chunk) =>
    trx
      .insertInto('tombstones')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.columns(['estate', 'scope', 'id']).doUpdateSet(({ ref }) => ({
          kind: ref('excluded.kind'),
          address: ref('excluded.address'),
          generation: ref('excluded.generation'),
          since: ref('excluded.since'),
          until: ref('excluded.until'),
          by_person: ref('excluded.by_person'),
          intent: ref('excluded.intent'),
        })),
      )
      .execute(),
  );
}

interface Scoped {
  readonly trx: Write | Database;
  readonly estate: string;
  readonly scope: string;
}

/** The tombstones of one scope. The store looks up generations that no reconcile of the scope saw: see `confirmedIn`. */
export async function readTombstones({ trx, estate, scope }: Scoped): Promise<ReadonlyMap<CloudId, Tombstone>> {
  const rows = await trx
    .selectFrom('tombstones')
    .leftJoin('approved_intents', 'approved_intents.intent', 'tombstones.intent')
    .leftJoin('withdrawn_approvals', (join) =>
      join
        .onRef('withdrawn_approvals.estate', '=', 'tombstones.estate')
        .onRef('withdrawn_approvals.seq', '=', 'approved_intents.seq'),
    )
    .select([
      ...(['tombstones.id', 'kind', 'address', 'generation', 'since', 'until', 'by_person'] as const),
      ...(['approved_intents.seq as seq', 'withdrawn_approvals.seq as withdrawn'] as const),
    ])
    .where('tombstones.estate', '=', estate)
    .where('tombstones.scope', '=', scope)
    .orderBy('tombstones.id')
    .orderBy('approved_intents.seq')
    .execute();
  const stones = [...Map.groupBy(rows, ({ id }) => id)].flatMap(
    ([id, all]): readonly (readonly [CloudId, Tombstone])[] => {
      const [first] = all;
      if (first === undefined) return [];
      const { address, generation, since, until, by_person } = first;
      const seqs = all.flatMap(({ seq }) => seq ?? []);
      const approval = { seqs, withdrawn: all.some(({ withdrawn }) => withdrawn !== null) };
      const kind = first.kind as Kind; // why: only `saveTombstones` writes the column
      const authority = authorityOf(by_person, seqs.length === 0 ? undefined : approval);
      return [[id, { kind, address, generation, since, until, ...authority }]];
    },
  );
  if (stones.length === 0) return new Map();
  const tombstones = new Map(stones);
  return confirmedIn(tombstones, await unseenGenerations({ trx, estate }, tombstones));
}

/** Generations between the tombstones and the newest one. None, where each reconcile saw the generation before. */
async function unseenGenerations(
  { trx, estate }: Pick<Scoped, 'trx' | 'estate'>,
  tombstones: ReadonlyMap<CloudId, Tombstone>,
): Promise<readonly UnseenGeneration[]> {
  const all = [...tombstones.values()];
  const documents = all.map(documentOf);
  return trx
    .selectFrom('generations')
    .select([
      'number',
      // why: of large estates the guards are megabytes, and few documents matter here
      sql<readonly Address[]>`ARRAY(
        SELECT named FROM (
          SELECT json_object_keys(guards -> 'modes') AS named
          UNION SELECT json_array_elements_text(coalesce(guards -> 'renamed', '[]'))
        ) AS names WHERE named LIKE '%/network/%' OR named = ANY(${documents}::text[]))`.as('documents'),
    ])
    .where('estate', '=', estate)
    .where('number', '>', Math.min(...all.map(({ generation }) => generation)))
    .where('number', '<', ({ selectFrom }) =>
      selectFrom('generations')
        .select(({ fn }) => fn.max('number').as('newest'))
        .where('estate', '=', estate),
    )
    .orderBy('number')
    .execute();
}

export const authorityOf = (
  byPerson: boolean,
  approval: Tombstone['approval'] | undefined,
): Pick<Tombstone, 'authority' | 'approval'> => {
  // why: where it needed several people, a withdrawal of one of them holds it, whoever let it begin
  if (byPerson) return { authority: 'person', ...(approval === undefined ? {} : { approval }) };
  return approval === undefined ? { authority: 'mode' } : { authority: 'approval', approval };
};

/** A generation that is not the newest. `documents`: those that it names, also by a former name; of others than networks only some. */
interface UnseenGeneration {
  readonly number: number;
  readonly documents: readonly Address[];
}

/** The documents that a generation names, also by a former name. */
export const documentsNamed = ({ modes, renamed = [] }: Pick<Guards, 'modes' | 'renamed'>): readonly Address[] => [
  ...Object.keys(modes),
  ...renamed,
];

/**
 * With the newest generation but one that is known not to want each: one that did not name its document, and that follows one that is
 * known. `unseen`: by their number.
 */
export function confirmedIn(
  tombstones: ReadonlyMap<CloudId, Tombstone>,
  unseen: readonly UnseenGeneration[],
): ReadonlyMap<CloudId, Tombstone> {
  if (unseen.length === 0) return tombstones;
  const named = unseen.map(({ number, documents }) => ({
    number,
    documents: new Set(documents),
    networks: new Set(documents.flatMap((one) => /\/network\/(.*)$/.exec(one)?.[1] ?? [])),
  }));
  return new Map(
    [...tombstones].map(([id, tombstone]) => {
      let { generation } = tombstone;
      for (const { number, documents, networks } of named) {
        if (number !== generation + 1) continue;
        const mayWant = documents.has(documentOf(tombstone)) || networks.has(networkOf(tombstone) ?? '');
        if (!mayWant) generation = number;
      }
      return [id, { ...tombstone, generation }];
    }),
  );
}

const documentOf = ({ kind, address }: Tombstone): Address =>
  kind === 'instance' ? documentOfReplica(address) : address;

/** Where its network stands it may have been wanted: a group is wanted also where its name alone is used. */
const networkOf = ({ kind, address }: Tombstone): string | undefined =>
  kind === 'instance' ? undefined : nameIn(address, kind).split('.')[0];

/** See the port. */
export async function changeTombstones(
  context: Context,
  reconcile: Reconcile,
  { kept, ended }: TombstoneChanges,
): Promise<void> {
  const { estate, scope, authority } = reconcile;
  await chainWrite(context, estate, async ({ trx, append }) => {
    await checkLease(trx, reconcile, 'begin');
    const newest = await trx
      .selectFrom('generations')
      .select(({ fn }) => fn.max('number').as('number'))
      .where('estate', '=', estate)
      .executeTakeFirst();
    if (newest?.number !== authority.generation) return;
    const those = (ids: readonly CloudId[]) =>
      sql<boolean>`estate = ${estate} AND scope = ${scope} AND id = ANY(${ids}::text[])`;
    if (kept.length > 0)
      await trx.updateTable('tombstones').set({ generation: authority.generation }).where(those(kept)).execute();
    if (ended.length === 0) return;
    const rows = await trx.deleteFrom('tombstones').where(those(ended)).returning(['id', 'kind', 'address']).execute();
    if (rows.length > 0)
      await append(rows.map((row) => ({ type: 'note', body: noteBody(estate, endedNote(reconcile, row)) })));
  });
}

/** The ledger's note of a removal that was taken back, or of an object that is gone. */
export const endedNote = (
  { scope, authority: { generation } }: Reconcile,
  { id, kind, address }: { readonly id: CloudId; readonly kind: string; readonly address: Address },
) => ({ endGrace: { scope, kind, address, id, generation } });
