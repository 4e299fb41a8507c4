import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { reachableEstates } from '../core/access/grant.ts';
import { tokenText } from '../core/access/token-text.ts';
import { type Head, headOf, peopleChain } from '../core/ledger/chain.ts';
import type { Content } from '../core/ledger/entry.ts';
import type { KeptToken, MadeToken, Token, TokenDraft, Tokens } from '../ports/tokens.ts';
import type { Context } from './context.ts';
import { appendTo, lockChain, untilFree } from './ledger-chain.ts';
import { makeTokenNote, noteBody, revokeTokenNote } from './ledger-entries.ts';
import { sha256 } from './signing.ts';
import { storableText } from './statements.ts';
import type { Tables, Write } from './tables.ts';

export const postgresTokens = (context: Context): Tokens => ({
  make: (draft) => making(context, (write) => insert(write, draft)),
  makeFirst: (draft) =>
    making(context, async (write) => {
      const before = await write.trx.selectFrom('tokens').select('id').limit(1).executeTakeFirst();
      return before === undefined ? insert(write, draft) : undefined;
    }),
  find: async (ids) => {
    if (ids.length === 0) return [];
    const named = context.db.selectFrom('tokens').selectAll().where('id', 'in', ids.map(storableText));
    return (await named.execute()).map(keptOf);
  },
  list: async ({ most, before }) => {
    const newest = context.db.selectFrom('tokens').selectAll().orderBy('number', 'desc').limit(most);
    if (before === undefined) return (await newest.execute()).map(tokenOf);
    const number = context.db.selectFrom('tokens').select('number').where('id', '=', storableText(before));
    return (await newest.where('number', '<', number).execute()).map(tokenOf);
  },
  revoke: (id, person) => chainWrites(context, (write) => revoke(write, id, person)),
  used: async (id) => {
    await context.db.updateTable('tokens').set({ used_at: context.clock.now() }).where('id', '=', id).execute();
  },
});

/** Any number will do, as long as it is always the same. */
const advisoryLock = 7_383_769;

/** One at a time, in all processes: who makes the first one sees any other. */
const making = <T>(context: Context, work: (write: ChainWrites) => Promise<T>): Promise<T> =>
  chainWrites(context, async (write) => {
    await sql`SELECT pg_advisory_xact_lock(${advisoryLock})`.execute(write.trx);
    return work(write);
  });

/** The constant part. */
type Body = Pick<TokenDraft, 'name' | 'grants' | 'maker' | 'for'>;

async function insert(write: ChainWrites, { expiresAt, ...body }: TokenDraft): Promise<MadeToken> {
  const { trx, at } = write;
  const { id, hash, text } = mintToken();
  const said: Body = body;
  await trx
    .insertInto('tokens')
    .values({ id, hash, body: JSON.stringify(said), at, expires_at: expiresAt })
    .execute();
  const token: Token = { ...body, id, at, expiresAt };
  await noteGrants(write, token, makeTokenNote(token));
  return { token, text };
}

async function revoke(write: ChainWrites, id: string, person: string): Promise<Token | undefined> {
  const { trx, at } = write;
  const row = await trx.selectFrom('tokens').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (row === undefined) return undefined;
  const token = tokenOf(row);
  if (token.revoked) return token;
  const revoked = { at, person };
  await trx
    .updateTable('tokens')
    .set({ revoked: JSON.stringify(revoked) })
    .where('id', '=', id)
    .execute();
  await noteGrants(write, token, revokeTokenNote(token, person));
  return { ...token, revoked };
}

/** A note to every estate that the token reaches. */
async function noteGrants(
  write: ChainWrites,
  { grants }: Token,
  note: Readonly<Record<string, unknown>>,
): Promise<void> {
  const estates = await write.trx.selectFrom('estates').select('name').execute();
  const names = reachableEstates(
    grants,
    estates.map(({ name }) => name),
  );
  await write.append(names, (estate) => ({ type: 'note', body: noteBody(estate, note) }));
}

type Row = Selectable<Tables['tokens']>;

function tokenOf({ id, body, at, expires_at: expiresAt, revoked, used_at: usedAt }: Row): Token {
  const said = body as Body; // why: only `insert` writes the column
  return {
    ...said,
    id,
    at,
    expiresAt,
    ...(revoked === null ? {} : { revoked: revoked as NonNullable<Token['revoked']> }), // why: only `revoke` writes the column
    ...(usedAt === null ? {} : { usedAt }),
  };
}

const keptOf = (row: Row): KeptToken => ({ ...tokenOf(row), hash: row.hash });

/** A transaction that writes one note into each of several estates. */
interface ChainWrites {
  readonly trx: Write;
  /** When it began, ms since the epoch. */
  readonly at: number;
  /** At most once. Estates are locked in the order of their names, so that two who lock the same never wait for each other. */
  append(estates: readonly string[], contentOf: (estate: string) => Omit<Content, 'at'>): Promise<void>;
}

/** For what concerns several estates, or none. What is of one: `chainWrite`. */
const chainWrites = <T>(context: Context, work: (write: ChainWrites) => Promise<T>): Promise<T> =>
  context.queue.run([peopleChain], async () => {
    const { result, heads } = await untilFree(() => attempt(context, work));
    for (const [estate, head] of heads) await context.onWritten(estate, head);
    return result;
  });

/** `heads`: of the chains that were written to, by estate. */
interface Attempt<T> {
  readonly result: T;
  readonly heads: ReadonlyMap<string, Head>;
}

function attempt<T>(context: Context, work: (write: ChainWrites) => Promise<T>): Promise<Attempt<T>> {
  const heads = new Map<string, Head>();
  return context.writing.transaction().execute(async (trx) => {
    const { at } = await trx.selectNoFrom(context.storeNow().as('at')).executeTakeFirstOrThrow();
    const result = await work({
      trx,
      at,
      append: async (estates, contentOf) => {
        for (const estate of estates.toSorted()) {
          const chain = await lockChain(trx, context, { estate, chain: peopleChain });
          const last = await appendTo(trx, estate, chain, [{ ...contentOf(estate), at: Math.max(at, chain.at) }]);
          if (last) heads.set(estate, headOf(last));
        }
      },
    });
    return { result, heads };
  });
}

/** `text` leaves the process once; of the secret in it only `hash` is kept. A secret of 256 random bits needs no slow hash. */
interface Minted {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

export function mintToken(): Minted {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { id, text: tokenText(id, secret), hash: sha256(secret) };
}
