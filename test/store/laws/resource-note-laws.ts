import assert from 'node:assert/strict';
import type { Row, Status } from '../../../src/core/inventory/row.ts';
import { OtherAssignment } from '../../../src/ports/fleet-state.ts';
import type { KeptLook } from '../../../src/ports/inventory-rows.ts';
import { addressOf, gapOf, rowOf, scope } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const address = addressOf('core');

const draftOf = ({ estate }: Bench, person = 'ann', rest: { readonly reason?: string } = {}) => ({
  ...{ estate, scope, address, person },
  ...rest,
});

const assignees = async ({ other, estate }: Bench, addresses: readonly string[] = [address]) =>
  (await other.fleet.resourceNotes.list(estate, addresses)).assignments.map(({ person }) => person);

/** Each with its address, if it has one. */
async function notesOf({ other, estate }: Bench): Promise<readonly unknown[]> {
  const notes: unknown[] = [];
  for await (const { type, body } of other.ledger.entries({ estate, address })) notes.push([type, body['note']]);
  return notes;
}

/** Someone takes the network on, and then an observation finds these rows. Returns who has it afterwards. */
async function observed(
  bench: Bench,
  rows: readonly Row[],
  { afterMs = 60_000, ...rest }: Partial<KeptLook> & { readonly afterMs?: number } = {},
): Promise<readonly string[]> {
  const { store, estate } = bench;
  const { at } = (await store.fleet.resourceNotes.assign(draftOf(bench))).assignment;
  const where = { estate, scope };
  await store.rows.keep(where, { at: at + afterMs, rows, gaps: [], ...rest });
  return assignees(bench);
}

const rowIn = (status: Status, name = 'core'): Row => rowOf(name, { status });

const gap = gapOf('firewall-rule');

/** Laws of assignments and comments. */
export const resourceNoteLaws: Laws = {
  'a resource has one assignee, and the ledger has each of them under its address': async (bench) => {
    const { store, other, estate } = bench;
    const { assignment: first, ...none } = await store.fleet.resourceNotes.assign(
      draftOf(bench, 'ann', { reason: 'mine' }),
    );
    assert.deepEqual(none, {});
    const { assignment: second, replaced } = await other.fleet.resourceNotes.assign(draftOf(bench, 'bob'));
    assert.deepEqual(replaced, first);
    assert.deepEqual(await store.fleet.resourceNotes.list(estate, [address, 'another']), {
      assignments: [{ ...draftOf(bench, 'bob'), seq: second.seq, at: second.at }],
      comments: [],
    });
    const ended = await store.fleet.resourceNotes.endAssignment(draftOf(bench, 'eve', { reason: 'over' }));
    assert.deepEqual(ended, second);
    assert.equal(await store.fleet.resourceNotes.endAssignment(draftOf(bench, 'eve')), undefined);
    assert.deepEqual(await assignees(bench), []);
    const of = { by: 'address', name: address };
    assert.deepEqual(await notesOf(bench), [
      ['note', { assign: { of, person: 'ann', reason: 'mine' } }],
      ['note', { assign: { of, person: 'bob', replaces: 'ann' } }],
      ['note', { endAssignment: { of, person: 'eve', reason: 'over', assignee: 'bob' } }],
    ]);
    assert.ok(first.seq < second.seq);
    assert.deepEqual(await other.fleet.resourceNotes.list(`${estate}-2`, [address]), { assignments: [], comments: [] });
  },

  'an assignment is neither replaced nor ended by one who saw another': async (bench) => {
    const { store, estate } = bench;
    const { assign, endAssignment } = store.fleet.resourceNotes;
    const { assignment } = await assign(draftOf(bench), 'none');
    for (const expected of [
      'none',
      { person: 'ann', at: assignment.at - 1 },
      { person: 'eve', at: assignment.at },
    ] as const)
      for (const word of [assign, endAssignment])
        await assert.rejects(word(draftOf(bench, 'bob'), expected), (error) => {
          assert.ok(error instanceof OtherAssignment);
          assert.deepEqual(error.standing, assignment);
          return true;
        });
    assert.equal((await notesOf(bench)).length, 1);
    assert.deepEqual(await assignees(bench), ['ann']);
    assert.deepEqual((await assign(draftOf(bench, 'bob'), assignment)).replaced, assignment);
    assert.deepEqual((await store.fleet.resourceNotes.list(estate, [address])).assignments.length, 1);
  },

  'the newest five comments of each resource are kept, and all of them in the ledger': async (bench) => {
    const { store, other, estate } = bench;
    const edge = addressOf('edge');
    await store.fleet.resourceNotes.comment({ ...draftOf(bench), address: edge, text: 'elsewhere' });
    for (const text of ['1', '2', '3', '4', '5', 'a "sixth"'])
      await store.fleet.resourceNotes.comment({ ...draftOf(bench), text });
    await store.fleet.resourceNotes.assign(draftOf(bench));
    const { comments } = await other.fleet.resourceNotes.list(estate, [address, edge]);
    assert.deepEqual(
      comments.map(({ text, person }) => [text, person]),
      ['a "sixth"', '5', '4', '3', '2', 'elsewhere'].map((text) => [text, 'ann']),
    );
    assert.equal((await notesOf(bench)).length, 7);
    assert.deepEqual(await assignees(bench), ['ann']);
  },

  'an assignment ends where a complete observation finds the resource in sync': async (bench) => {
    assert.deepEqual(await observed(bench, [rowIn('InSync')]), []);
    assert.equal((await notesOf(bench)).length, 1, 'nobody said so');
  },

  'an assignment ends where nothing is left at the address': async (bench) => {
    assert.deepEqual(await observed(bench, [rowIn('Drifted', 'edge')]), []);
  },

  'an assignment stays while anything at the address is not in sync': async (bench) => {
    const other = { ...rowIn('Orphan'), key: `${address} orphan` };
    assert.deepEqual(await observed(bench, [rowIn('InSync'), other]), ['ann']);
  },

  'an assignment stays after an observation with a gap, in whichever kind': async (bench) => {
    assert.deepEqual(await observed(bench, [rowIn('InSync')], { gaps: [gap] }), ['ann']);
    assert.deepEqual(await observed(bench, [], { gaps: [gap] }), ['ann']);
  },

  'an assignment stays where the specs leave its scope': async (bench) => {
    await observed(bench, [rowIn('Drifted')]);
    assert.deepEqual(await observed(bench, [rowIn('InSync')], { left: true }), ['ann']);
  },

  'an assignment stays after an observation that began before it, and after one of another scope': async (bench) => {
    const { store, estate } = bench;
    assert.deepEqual(await observed(bench, [rowIn('InSync')], { afterMs: -60_000 }), ['ann']);
    const { at } = (await store.fleet.resourceNotes.assign(draftOf(bench))).assignment;
    const elsewhere = { estate, scope: 'aws/1/us-east-1' };
    await store.rows.keep(elsewhere, { at: at + 60_000, rows: [], gaps: [] });
    assert.deepEqual(await assignees(bench), ['ann']);
  },
};
