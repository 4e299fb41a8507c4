import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import type pg from 'pg';
import { type Bounds, covers, type Subject } from '../../src/core/access/grant.ts';
import type { Store } from '../../src/ports/store.ts';
import { connect } from '../../src/store/connection.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Database } from '../../src/store/tables.ts';
import { withinBounds } from '../../src/store/visibility.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const folder = await temporaryFolder();
let store: Store;
let db: Database;
before(async () => {
  let work: pg.ClientConfig = {};
  const onServer = async (server: { readonly work: { readonly config: pg.ClientConfig } }) => {
    work = server.work.config;
  };
  store = await openStore({ folder, clock: virtualClock(), create: true, onServer });
  db = connect({ config: work }, 10_000);
});
after(async () => {
  await db.destroy();
  await store.close();
  await removeFolder(folder);
});

const name = fc.constantFrom('', "a' OR true --", '\u{1f512}');
const names = fc.array(name, { maxLength: 4 });
const bounds: fc.Arbitrary<Bounds> = fc.record({ estates: names, targets: names, owners: names }, { requiredKeys: [] });
const subject: fc.Arbitrary<Subject> = fc.record(
  { estate: name, targets: names, owner: name },
  { requiredKeys: ['estate'] },
);

test('SQL and function agree who may see what, on any bounds and subject', async () => {
  const seen = { within: 0, outside: 0 };
  const cases = fc.sample(fc.tuple(fc.array(bounds, { maxLength: 3 }), subject), { numRuns: 1500, seed: 6 });
  for (const [all, one] of cases) {
    const { rows } = await sql<{ found: number }>`
      SELECT count(*) AS found
      FROM (SELECT ${one.estate}::text AS estate, ${one.targets ?? null}::text[] AS targets, ${one.owner ?? null}::text AS owner)
      WHERE ${withinBounds(all)}`.execute(db);
    const want = all.some((each) => covers(each, one));
    seen[want ? 'within' : 'outside'] += 1;
    assert.equal(rows[0]?.found, want ? 1 : 0, JSON.stringify([all, one]));
  }
  assert.ok(seen.within > 200 && seen.outside > 200, JSON.stringify(seen));
});

test('a table without targets or owners is within no bounds on them', async () => {
  const table: readonly (readonly [Bounds, number])[] = [
    [{}, 1],
    [{ estates: ['a'] }, 1],
    [{ estates: ['b'] }, 0],
    [{ targets: ['a'] }, 0],
    [{ owners: [''] }, 0],
  ];
  for (const [one, want] of table) {
    const condition = withinBounds([one], { estate: 'estate' });
    const { rows } = await sql<{ found: number }>`
      SELECT count(*) AS found FROM (SELECT 'a' AS estate) WHERE ${condition}`.execute(db);
    assert.equal(rows[0]?.found, want, JSON.stringify(one));
  }
});
