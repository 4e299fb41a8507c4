import assert from 'node:assert/strict';
import { parseTokenText } from '../../../src/core/access/token-text.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { TokenDraft } from '../../../src/ports/tokens.ts';
import { sha256 } from '../../../src/store/signing.ts';
import { guardsOf } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

/** Laws of tokens: the same for all estates of a store. */
export const tokenLaws: Laws = {
  'of many who ask for the first token one makes it, and nobody does where there was one': async (bench) => {
    const { store, other } = bench;
    const asked = [store, other, store, other].map(({ tokens }) => tokens.makeFirst(draftOf(bench)));
    const [made, ...more] = (await Promise.all(asked)).filter((one) => one !== undefined);
    assert.ok(made !== undefined && more.length === 0, 'one');
    await other.tokens.revoke(made.token.id, 'kim');
    assert.equal(await store.tokens.makeFirst(draftOf(bench)), undefined);
  },

  'a token is told once, and of its secret a hash is kept': async (bench) => {
    const { store, other } = bench;
    const draft = draftOf(bench, { for: 'ann@acme.example' });
    const { token, text } = await store.tokens.make(draft);
    const { id, secret } = parseTokenText(text) ?? {};
    assert.equal(id, token.id);
    assert.deepEqual(token, { ...draft, id, at: token.at });
    assert.deepEqual(await other.tokens.find([token.id, 'ffffffffffffffff']), [
      { ...token, hash: sha256(secret ?? '') },
    ]);
    assert.deepEqual(await other.tokens.find([]), []);
    const all = JSON.stringify([await other.tokens.list({ most: 100 }), await notesOf(bench)]);
    assert.ok(!all.includes(secret ?? '') && !all.includes(sha256(secret ?? '')));
  },

  'no two tokens are alike': async (bench) => {
    const made = await Promise.all(Array.from({ length: 20 }, () => bench.store.tokens.make(draftOf(bench))));
    assert.equal(new Set(made.map(({ token }) => token.id)).size, 20);
    assert.equal(new Set(made.map(({ text }) => text.slice(-43))).size, 20);
  },

  'a revoked token is so at once for others, and stays as it was revoked first': async (bench) => {
    const { store, other } = bench;
    const { token } = await store.tokens.make(draftOf(bench));
    const revoked = await store.tokens.revoke(token.id, 'kim');
    assert.deepEqual(revoked, { ...token, revoked: { at: revoked?.revoked?.at, person: 'kim' } });
    assert.deepEqual((await other.tokens.find([token.id]))[0]?.revoked, revoked?.revoked);
    assert.deepEqual(await other.tokens.revoke(token.id, 'lee'), revoked);
    assert.equal(await store.tokens.revoke('ffffffffffffffff', 'kim'), undefined);
  },

  'tokens are listed newest first, page by page': async (bench) => {
    const { store, other } = bench;
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await store.tokens.make(draftOf(bench))).token.id);
    const page = async (most: number, before?: string) =>
      (await other.tokens.list({ most, ...(before === undefined ? {} : { before }) })).map(({ id }) => id);
    assert.deepEqual(await page(3), ids);
    assert.deepEqual(await page(2), ids.slice(0, 2));
    assert.deepEqual(await page(1, ids[0]), ids.slice(1, 2));
    assert.deepEqual(await page(1, ids[1]), ids.slice(2));
    assert.deepEqual(await page(1, 'ffffffffffffffff'), []);
  },

  'that a token was used is kept': async (bench) => {
    const { store, other } = bench;
    const { token } = await store.tokens.make(draftOf(bench));
    assert.equal((await other.tokens.find([token.id]))[0]?.usedAt, undefined);
    await store.tokens.used(token.id);
    assert.equal(typeof (await other.tokens.find([token.id]))[0]?.usedAt, 'number');
  },

  'making and revoking are notes in the ledgers that the token reaches, and in no other': async (bench) => {
    const { store, estate } = bench;
    await begin(store, estate);
    await begin(store, `${estate}-b`);
    const made = async (grants: TokenDraft['grants']) => (await store.tokens.make(draftOf(bench, { grants }))).token;
    const ours = await made([{ role: 'viewer', estates: [estate, `${estate}-not-yet`] }]);
    const theirs = await made([{ role: 'viewer', estates: [`${estate}-b`] }]);
    const all = await made([
      { role: 'viewer', estates: [`${estate}-b`] },
      { role: 'approver', owners: ['team-web'] },
    ]);
    await store.tokens.revoke(ours.id, 'lee');
    await store.tokens.revoke(ours.id, 'lee');
    const noted = ({ id, name, grants, expiresAt }: typeof ours) => ({
      makeToken: { id, name, grants, expiresAt, person: 'kim' },
    });
    assert.deepEqual(await notesOf(bench), [
      noted(ours),
      noted(all),
      { revokeToken: { id: ours.id, name: 'ci', person: 'lee' } },
    ]);
    assert.deepEqual(await notesOf({ store, estate: `${estate}-b` }), [noted(theirs), noted(all)]);
    assert.ok(!(await store.estates.list()).includes(`${estate}-not-yet`));
  },

  'many who make tokens for many estates at once do not wait for each other for ever': async (bench) => {
    const { store, other, estate } = bench;
    const estates = ['x', 'y', 'z'].map((name) => `${estate}-${name}`);
    for (const name of estates) await begin(store, name);
    const grants = [{ role: 'viewer', estates }] as const;
    const making = Array.from({ length: 12 }, (_, index) =>
      (index % 2 ? store : other).tokens.make(draftOf(bench, { grants })),
    );
    const made = await Promise.all(making);
    await Promise.all(made.map(({ token }, index) => (index % 2 ? other : store).tokens.revoke(token.id, 'kim')));
    for (const name of estates) assert.equal((await notesOf({ store, estate: name })).length, 24);
  },
};

const draftOf = ({ now }: Pick<Bench, 'now'>, rest: Partial<TokenDraft> = {}): TokenDraft => ({
  name: 'ci',
  grants: [{ role: 'viewer', estates: ['acme'] }],
  expiresAt: now() + 3_600_000,
  maker: { person: 'kim', identities: ['kim@acme.example'] },
  ...rest,
});

const begin = (store: Store, estate: string) =>
  store.generations.accept(estate, 'r1', guardsOf({ deletes: 5, replaces: 5 }));

async function notesOf({ store, estate }: Pick<Bench, 'store' | 'estate'>) {
  const notes: Readonly<Record<string, unknown>>[] = [];
  for await (const { type, body } of store.ledger.entries({ estate }))
    if (type === 'note') notes.push(body['note'] as Readonly<Record<string, unknown>>); // why: so noteBody writes it
  return notes;
}
