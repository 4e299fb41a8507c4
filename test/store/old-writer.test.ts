import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Reconcile } from '../../src/ports/ledger.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { addressOf, guardsOf, scope, type Worker, workerOf } from './fixtures.ts';
import { ownStore } from './own-store.ts';
import { application } from './owner.ts';

/** A program of the version before guard epochs, in the words that it wrote to the database: it knows none of its columns. */
const { folder, store } = await ownStore(virtualClock());
const old = async <T>(question: string, values: readonly unknown[]): Promise<readonly T[]> => {
  const client = await application(folder);
  try {
    return (await client.query(question, [...values])).rows;
  } finally {
    await client.end();
  }
};

const oldIntent = (estate: string, name: string) =>
  old(
    `INSERT INTO setpoint.intents (intent, estate, scope, verb, kind, address, id, attempt, at, generation, fields, details)
     VALUES (gen_random_uuid(), $1, $2, 'create', 'network', $3, '', 1, 0, 1, '', '{}')`,
    [estate, scope, addressOf(name)],
  );

const oldPause = (estate: string) =>
  old(
    `INSERT INTO setpoint.pauses (estate, what, held_by, subject, reason, person, at, until)
     VALUES ($1, 'all', 'estate', '', '"an incident"', 'kim', 0, 99999999999999)`,
    [estate],
  );

const overruled = /people changed what may be done in .* since this was planned: plan again/;

async function begunBy(estate: string): Promise<Worker> {
  await store.generations.accept(estate, 'abc', guardsOf({ deletes: 5, replaces: 5 }));
  return workerOf(store, estate);
}

const begun = async (estate: string): Promise<Reconcile> => (await begunBy(estate)).reconcile;

describe('a program of the version before, beside this one', () => {
  it('intends as it did while nobody says anything', async () => {
    await begun('calm');
    await oldIntent('calm', 'a');
  });

  it('writes no intent past a pause that came after it took its lease', async () => {
    const { lease } = await begunBy('held');
    await oldIntent('held', 'a');
    await store.fleet.pauses.begin('held', {
      what: 'all',
      of: { by: 'estate' },
      reason: 'an incident',
      person: 'kim',
      until: Date.now() + 3_600_000,
    });
    await assert.rejects(oldIntent('held', 'b'), overruled);
    await lease.release();
    await workerOf(store, 'held');
    await oldIntent('held', 'b');
  });

  it('writes no intent past a generation that came after it took its lease', async () => {
    await begun('newer');
    await store.generations.accept('newer', 'def', guardsOf({ deletes: 5, replaces: 5 }));
    await assert.rejects(oldIntent('newer', 'a'), overruled);
  });

  it('finds nothing that an approval lets pass, whoever gave it, and gives what this one finds', async () => {
    const reconcile = await begun('approved');
    const by = { person: 'kim', reason: 'looked at' };
    const until = Date.now() + 3_600_000;
    const draft = { estate: 'approved', scope, generation: 1, digest: 'd', actions: ['one'], destroys: 0, by, until };
    await store.fleet.approvals.give(draft);
    const body = JSON.stringify({
      actions: ['two'],
      by: { ...by, reason: 'a NUL: \u0000' },
      destroys: 0,
      digest: 'd',
      ran: 0,
    });
    await old(
      'INSERT INTO setpoint.approvals (estate, seq, scope, generation, until, body) VALUES ($1, 99, $2, 1, $3, $4)',
      ['approved', scope, until, body],
    );
    const read = await old<{ body: { actions: readonly string[] } }>(
      "SELECT body FROM setpoint.approvals WHERE estate = 'approved'",
      [],
    );
    assert.deepEqual(
      read.map((row) => row.body.actions),
      [[], []],
    );
    const found = await store.fleet.approvals.active(reconcile);
    assert.deepEqual(
      found.map(({ actions }) => actions),
      [['one'], ['two']],
    );
  });

  it('holds this one by a pause of its own', async () => {
    const reconcile = await begun('both');
    const guardEpoch = await store.ledger.guardEpoch('both');
    await oldPause('both');
    const draft = { verb: 'create', subject: { kind: 'network', address: addressOf('a') }, details: {} } as const;
    const [answer] = await store.ledger.intend({ ...reconcile, guardEpoch }, [draft]);
    assert.deepEqual([answer?.ok, answer?.ok === false && answer.reason], [false, 'guards']);
  });
});
