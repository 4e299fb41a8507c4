import assert from 'node:assert/strict';
import type { PauseDraft } from '../../../src/core/pause.ts';
import { type ApprovalDraft, mostRefusals } from '../../../src/ports/fleet-state.ts';
import { unapproved } from '../../../src/store/approvals.ts';
import {
  addressOf,
  apply,
  claimOf,
  closure,
  deletion,
  denied,
  draftOf,
  guardsOf,
  launch,
  scope,
  settlementOf,
  unanswered,
  workerOf,
} from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const by = { person: 'kim', reason: 'checked "it"\u0000' };
const hour = 3_600_000;
const notSent = { kind: 'conflict', code: 'NotSent', message: 'a pause came first' } as const;

/** Laws of decisions: each one is a note in the ledger. */
export const peopleLaws: Laws = {
  'a pause holds until it is ended or runs out, and others see it': async (bench) => {
    const { store, other, estate, now } = bench;
    const draft = pauseOf(bench, { reason: 'fire "drill"\u0000' });
    const all = await store.fleet.pauses.begin(estate, draft);
    assert.deepEqual(all, { ...draft, id: all.id, at: all.at });
    const web = await store.fleet.pauses.begin(
      estate,
      pauseOf(bench, { what: 'rollout', of: { by: 'owner', name: 'team-web' } }),
    );
    assert.ok(web.id > all.id);
    await store.fleet.pauses.begin(estate, pauseOf(bench, { until: now() - 1 }));
    await store.fleet.pauses.begin(`${estate}-2`, pauseOf(bench));
    assert.deepEqual(await other.fleet.pauses.active(estate), [all, web]);
  },

  'ending a pause ends all that hold exactly the same still': async (bench) => {
    const { store, other, estate, now } = bench;
    const of = { by: 'address', name: addressOf('core') } as const;
    const begin = (rest: Partial<PauseDraft>) => store.fleet.pauses.begin(estate, pauseOf(bench, rest));
    const one = await begin({ of });
    const stays = [
      await begin({ of, what: 'healing' }),
      await begin({ of: { by: 'target', name: of.name } }),
      await begin({ of: { by: 'address', name: addressOf('edge') } }),
    ];
    const two = await begin({ of, person: 'lee' });
    await begin({ of, until: now() - 1 });
    assert.deepEqual(await other.fleet.pauses.end(estate, { what: 'all', of }, by), [one, two]);
    assert.deepEqual(await other.fleet.pauses.end(estate, { what: 'all', of }, by), []);
    assert.deepEqual(await store.fleet.pauses.active(estate), stays);
    const [resumed, ...more] = (await notesOf(bench)).flatMap((note) => ('resume' in note ? [note['resume']] : []));
    assert.deepEqual([resumed, more], [{ what: 'all', of, pauses: [one.id, two.id], ...by }, []]);
  },

  'an incident is a pause of its own: others end without it, and it without others': async (bench) => {
    const { store, other, estate } = bench;
    const everything = { what: 'all', of: { by: 'estate' } } as const;
    const named = { ...everything, incident: 'outage' };
    const begin = (rest: Partial<PauseDraft>) => store.fleet.pauses.begin(estate, pauseOf(bench, rest));
    const plain = await begin({});
    const outage = await begin({ incident: 'outage', letsNarrow: true });
    const breach = await begin({ incident: 'breach' });
    assert.deepEqual(await other.fleet.pauses.active(estate), [plain, outage, breach]);
    assert.deepEqual([outage.incident, outage.letsNarrow, breach.letsNarrow], ['outage', true, undefined]);
    assert.deepEqual(await other.fleet.pauses.end(estate, named, by), [outage]);
    assert.deepEqual(await other.fleet.pauses.end(estate, everything, by), [plain]);
    assert.deepEqual(await other.fleet.pauses.active(estate), [breach]);
    const { at: _, ...noted } = outage;
    const notes = await notesOf(bench);
    assert.deepEqual(notes[1], { pause: noted });
    assert.deepEqual(notes[3], { resume: { ...named, pauses: [outage.id], ...by } });
  },

  'a pause and its end are notes in the ledger': async (bench) => {
    const { store, estate } = bench;
    const { at: _, ...pause } = await store.fleet.pauses.begin(estate, pauseOf(bench));
    await store.fleet.pauses.end(estate, pause, by);
    const ended = { what: 'all', of: { by: 'estate' }, pauses: [pause.id], ...by };
    assert.deepEqual(await notesOf(bench), [{ pause }, { resume: ended }]);
  },

  'an approval holds for the newest generation, until its end, where it was given': async (bench) => {
    const { store, other, estate, now } = bench;
    const where = { estate, scope };
    await store.generations.accept(estate, 'r1', guardsOf({ deletes: 5, replaces: 5 }));
    const given = await store.fleet.approvals.give(approvalOf(bench));
    assert.deepEqual(given, { ...approvalOf(bench), until: given.until, seq: 1, ...nothingRan });
    await store.fleet.approvals.give(approvalOf(bench, { until: now() - 1 }));
    await store.fleet.approvals.give(approvalOf(bench, { generation: 2 }));
    await store.fleet.approvals.give(approvalOf(bench, { scope: 'aws/1/us-east-1' }));
    assert.deepEqual(await other.fleet.approvals.active(where), [given]);
    assert.deepEqual(
      (await other.fleet.approvals.given(estate)).map(({ scope, until }) => [scope, until > now()]),
      [
        [scope, true],
        [scope, false],
        ['aws/1/us-east-1', true],
      ],
    );
    await store.generations.accept(estate, 'r2', guardsOf({ deletes: 5, replaces: 5 }));
    assert.deepEqual(
      (await other.fleet.approvals.active(where)).map(({ generation }) => generation),
      [2],
    );
  },

  'an approval lets each of its actions pass until it went well, retries included, and is spent then': async (
    bench,
  ) => {
    const { store, other, estate } = bench;
    const where = { estate, scope };
    await store.generations.accept(estate, 'abc', guardsOf({ deletes: 5, replaces: 5 }));
    const given = await store.fleet.approvals.give(approvalOf(bench, { actions: ['one', 'two'] }));
    const worker = await workerOf(store, estate);
    const one = draftOf('create', 'a', { approval: { digest: 'one', halves: [] } });
    const left = async () => (await other.fleet.approvals.active(where)).map(({ actions }) => actions);
    assert.deepEqual(await apply(worker, draftOf('create', 'x', { approval: { digest: 'three', halves: [] } })), {
      ok: false,
      reason: 'approval',
      why: unapproved.why,
    });
    await apply(worker, one, { outcome: { ok: false, failure: notSent } });
    await apply(worker, one, denied);
    const [open] = await store.ledger.intend(worker.reconcile, [one]);
    await store.ledger.settle(worker.reconcile, [settlementOf(open, unanswered)]);
    assert.equal((await store.ledger.intend(worker.reconcile, [one]))[0]?.ok, true, 'a retry shares the reservation');
    assert.deepEqual(await left(), [given.actions]);
    await store.ledger.settle(worker.reconcile, [settlementOf(open)]);
    assert.deepEqual(await left(), [['two']]);
    assert.equal((await apply(worker, one)).ok, false, 'it is spent');
    const two = draftOf('delete', 'b', { approval: { digest: 'two', halves: ['made', 'ended'] } });
    await apply(worker, two);
    assert.deepEqual(await left(), [['two', 'made', 'ended']], 'one half of a replacement is done');
    await apply(worker, draftOf('create', 'b', { approval: { digest: 'made', halves: [] } }));
    assert.deepEqual(await left(), [], 'and now the other');
    const again = await store.fleet.approvals.give(approvalOf(bench, { actions: ['one'] }));
    assert.equal((await apply(worker, one)).ok, true, 'a later approval of the same');
    assert.deepEqual(await left(), []);
    assert.deepEqual(
      (await other.fleet.approvals.given(estate)).map(({ seq, actions }) => [seq, actions]),
      [
        [given.seq, ['one', 'two']],
        [again.seq, ['one']],
      ],
    );
  },

  'an approval of a change of groups permits what is left once a machine has joined the new ones': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guardsOf({ deletes: 5, replaces: 5 }));
    await store.fleet.approvals.give(approvalOf(bench, { actions: ['move'] }));
    const left = async () => (await other.fleet.approvals.active({ estate, scope })).flatMap(({ actions }) => actions);
    const worker = await workerOf(store, estate);
    await apply(worker, draftOf('update', 'a', { approval: { digest: 'move', halves: ['rest'], joining: true } }));
    assert.deepEqual(await left(), ['move', 'rest']);
    await apply(worker, draftOf('update', 'a', { approval: { digest: 'rest', halves: [] } }));
    assert.deepEqual(await left(), [], 'it has left the others');
    await store.fleet.approvals.give(approvalOf(bench, { actions: ['move'] }));
    await apply(worker, draftOf('update', 'a', { approval: { digest: 'move', halves: [] } }));
    assert.deepEqual(await left(), [], 'the cloud let it join and leave in one call alone');
  },

  'all approvals of an action are spent with it, one that came while its call was on its way too': async (bench) => {
    const { store, other, estate } = bench;
    const where = { estate, scope };
    await store.generations.accept(estate, 'abc', guardsOf({ deletes: 5, replaces: 5 }));
    const first = await store.fleet.approvals.give(approvalOf(bench, { actions: ['one', 'two'] }));
    const second = await store.fleet.approvals.give(approvalOf(bench, { actions: ['one', 'three'] }));
    const left = async () => (await other.fleet.approvals.active(where)).map(({ actions }) => actions);
    const worker = await workerOf(store, estate);
    const one = (needs: readonly number[]) =>
      draftOf('create', 'a', { approval: { digest: 'one', halves: [], needs } });
    assert.equal((await apply(worker, one([first.seq, second.seq, 99]))).ok, false, 'one that it needs is gone');
    const needed = one([first.seq, second.seq]);
    const [sent] = await store.ledger.intend(worker.reconcile, [needed]);
    assert.equal(sent?.ok, true);
    await store.fleet.approvals.give(approvalOf(bench, { actions: ['one', 'four'] }));
    await store.ledger.settle(worker.reconcile, [settlementOf(sent)]);
    assert.deepEqual(await left(), [['two'], ['three'], ['four']]);
    await store.fleet.approvals.give(approvalOf(bench, { actions: ['two'], scope: 'aws/1/us-east-1' }));
    assert.deepEqual(
      (await other.fleet.approvals.activeIn(estate)).map(({ actions }) => actions),
      [['two'], ['three'], ['four'], ['two']],
    );
  },

  'an approver is kept with the names and roles that they proved, and the note has no names': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guardsOf({ deletes: 5, replaces: 5 }));
    const approver = { names: ['kim@acme.example', 'credential 7'], roles: { security: ['a1'] } };
    const given = await store.fleet.approvals.give(approvalOf(bench, { approver }));
    assert.deepEqual(await other.fleet.approvals.activeIn(estate), [given]);
    const { approval } = (await notesOf(bench)).at(-1) ?? {};
    assert.ok(typeof approval === 'object' && approval !== null && 'approver' in approval);
    assert.deepEqual(approval.approver, { roles: ['security'] });
  },

  'an approval that is withdrawn lets nothing pass from then on, with a note, and once': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guardsOf({ deletes: 5, replaces: 5 }));
    const given = await store.fleet.approvals.give(approvalOf(bench, { actions: ['one'] }));
    const epoch = await store.ledger.guardEpoch(estate);
    const withdrawn = await other.fleet.approvals.withdraw(estate, given.seq, by);
    assert.deepEqual([withdrawn?.seq, await store.ledger.guardEpoch(estate)], [given.seq, epoch + 1]);
    assert.equal(await other.fleet.approvals.withdraw(estate, given.seq, by), undefined);
    assert.deepEqual(await store.fleet.approvals.active({ estate, scope }), []);
    const worker = await workerOf(store, estate);
    const draft = draftOf('create', 'a', { approval: { digest: 'one', halves: [] } });
    assert.equal((await apply(worker, draft)).ok, false);
    assert.deepEqual((await notesOf(bench)).at(-1), { withdrawApproval: { approval: given.seq, scope, ...by } });
  },

  'a refusal is a note, is read for as long as its generation is the newest, and forbids nothing': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'r1', guardsOf({ deletes: 5, replaces: 5 }));
    const epoch = await store.ledger.guardEpoch(estate);
    const asked = new Set(['a1', 'a2', 'a3']);
    const word = { estate, generation: 1, digest: 'd1', by };
    const parts = [
      { scope, actions: ['a1', 'a2'] },
      { scope: 'aws/1/us-east-1', actions: ['a3'] },
    ];
    const made = await store.fleet.approvals.refuse({ ...word, parts });
    assert.deepEqual(
      made?.map(({ seq: _seq, at: _at, ...one }) => one),
      parts.map((part) => ({ ...word, ...part })),
    );
    await store.generations.accept(`${estate}-2`, 'r1', guardsOf({ deletes: 5, replaces: 5 }));
    await store.fleet.approvals.refuse({ ...word, estate: `${estate}-2`, parts });
    assert.deepEqual(await other.fleet.approvals.refused(estate, asked), { refusals: made, truncated: false });
    assert.equal(await store.ledger.guardEpoch(estate), epoch);
    assert.deepEqual(await notesOf(bench), [
      { refuseApproval: { ...parts[0], generation: 1, digest: 'd1', ...by } },
      { refuseApproval: { ...parts[1], generation: 1, digest: 'd1', ...by } },
    ]);
    const given = await store.fleet.approvals.give(approvalOf(bench));
    assert.deepEqual(await other.fleet.approvals.activeIn(estate), [given]);
    await store.generations.accept(estate, 'r2', guardsOf({ deletes: 5, replaces: 5 }));
    assert.deepEqual(await other.fleet.approvals.refused(estate, asked), { refusals: [], truncated: false });
  },

  'a refusal of a generation that is not the newest records nothing': async (bench) => {
    const { store, other, estate } = bench;
    const refuse = (generation: number) =>
      store.fleet.approvals.refuse({
        ...{ estate, generation, digest: 'd1', by },
        parts: [{ scope, actions: ['a1'] }],
      });
    assert.equal(await refuse(1), undefined);
    await store.generations.accept(estate, 'r1', guardsOf({ deletes: 5, replaces: 5 }));
    await store.generations.accept(estate, 'r2', guardsOf({ deletes: 5, replaces: 5 }));
    assert.deepEqual([await refuse(1), await refuse(3)], [undefined, undefined]);
    assert.deepEqual(await notesOf(bench), []);
    assert.deepEqual((await other.fleet.approvals.refused(estate, new Set(['a1']))).refusals, []);
  },

  'each person’s newest refusal of an action is read, whatever others refuse': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'r1', guardsOf({ deletes: 5, replaces: 5 }));
    const refuse = async (person: string, ...actions: readonly string[]) => {
      const word = { estate, generation: 1, digest: 'd1', by: { person, reason: 'a "no"\u0000' } };
      return (await store.fleet.approvals.refuse({ ...word, parts: [{ scope, actions }] }))?.[0];
    };
    const ann = await refuse('ann "a"', 'a', 'b');
    await refuse('bob', 'a');
    await refuse('bob', 'b');
    const bob = await refuse('bob', 'a', 'b');
    const later = await refuse('ann "a"', 'a', 'c');
    await refuse('ann "b"', 'c');
    const found = async (...actions: readonly string[]) =>
      (await other.fleet.approvals.refused(estate, new Set(actions))).refusals;
    assert.deepEqual(await found('a', 'b'), [ann, bob, later]);
    assert.deepEqual(await found('a'), [bob, later]);
    assert.equal((await found('c')).length, 2);
    assert.deepEqual(await found('d'), []);
  },

  'so many refusals are read at once, the newest, and it is said that there are more': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'r1', guardsOf({ deletes: 5, replaces: 5 }));
    const all = Array.from({ length: mostRefusals + 1 }, (_, at) => `a${at}`);
    const parts = all.map((action) => ({ scope, actions: [action] }));
    await store.fleet.approvals.refuse({ estate, generation: 1, digest: 'd1', by, parts });
    const { refusals, truncated } = await other.fleet.approvals.refused(estate, new Set(all));
    assert.deepEqual([refusals.length, refusals[0]?.actions, truncated], [mostRefusals, ['a1'], true]);
    const fewer = await other.fleet.approvals.refused(estate, new Set(all.slice(1)));
    assert.deepEqual([fewer.refusals.length, fewer.truncated], [mostRefusals, false]);
  },

  'an address counts what came to stand there, whoever made it': async (bench) => {
    const { store, estate } = bench;
    await store.generations.accept(estate, 'abc', guardsOf({ deletes: 5, replaces: 5 }));
    const worker = await workerOf(store, estate);
    const counted = async (name: string) =>
      (await store.inventory.knowledge(estate, scope)).incarnations?.get(addressOf(name));
    const numbers = [await counted('a')];
    await apply(worker, draftOf('create', 'a'), { effects: [claimOf('a')] });
    await apply(worker, draftOf('update', 'a'), { effects: [claimOf('a')] });
    numbers.push(await counted('a'));
    await apply(worker, deletion('a'), { effects: [{ do: 'release', id: 'vpc-a' }] });
    numbers.push(await counted('a'));
    await apply(worker, draftOf('create', 'a'), { effects: [claimOf('a')] });
    numbers.push(await counted('a'));
    await apply(worker, draftOf('update', 'a'), { effects: [claimOf('b', 'vpc-a')] });
    assert.deepEqual([...numbers, await counted('a'), await counted('b')], [undefined, 1, 1, 2, 2, 1]);
  },

  'nothing is approved of a generation that nobody accepted': async (bench) => {
    await bench.store.fleet.approvals.give(approvalOf(bench));
    assert.deepEqual(await bench.store.fleet.approvals.active({ estate: bench.estate, scope }), []);
  },

  'an approval knows what had been deleted and replaced before it': async (bench) => {
    const { store, other, estate } = bench;
    await store.generations.accept(estate, 'abc', guardsOf({ deletes: 5, replaces: 5 }));
    const worker = await workerOf(store, estate);
    const ran = async () => (await other.fleet.approvals.give(approvalOf(bench))).ran;
    await apply(worker, deletion('a'));
    await store.ledger.intend(worker.reconcile, [deletion('b')]);
    assert.equal(await ran(), 2);
    assert.deepEqual(
      (await store.fleet.approvals.active(worker.reconcile)).map((one) => one.ran),
      [2],
    );
    const healing = ['c', 'd', 'e'].map((name) => deletion(name, 'healing'));
    await store.ledger.intend(worker.reconcile, healing);
    assert.equal(await ran(), 3);
    await store.ledger.intend(worker.reconcile, [launch('web-0'), launch('web-1'), closure('sgr-1')]);
    const given = await other.fleet.approvals.give(approvalOf(bench, { creates: 4, closures: 2 }));
    assert.deepEqual(given.ranBeside, { creates: 2, closures: 1 });
    assert.deepEqual((await store.fleet.approvals.active(worker.reconcile)).at(-1), given);
  },

  'an approval is a note in the ledger, and names its number': async (bench) => {
    const { store, estate } = bench;
    await store.ledger.note(estate, { n: 1 });
    const {
      seq,
      ran: _,
      ranBeside: ___,
      estate: __,
      ...approval
    } = await store.fleet.approvals.give(approvalOf(bench));
    assert.equal(seq, 2);
    assert.deepEqual(await notesOf(bench), [{ n: 1 }, { approval }]);
  },

  'a rollout that stopped waits until a person resumes it, with a note': async (bench) => {
    const { store, other, estate } = bench;
    const where = { estate, scope };
    const stop = (document: string, generation: number, why = 'no answer "at all"\u0000') =>
      store.fleet.rollouts.stop(where, { document, generation, why });
    await stop('web', 2);
    await stop('db', 2);
    await stop('app', 3);
    await stop('app', 2, 'older');
    await stop('web', 2, 'newer');
    const one = { document: 'app', generation: 3, why: 'no answer "at all"\u0000' };
    const two = { document: 'db', generation: 2, why: 'no answer "at all"\u0000' };
    const three = { document: 'web', generation: 2, why: 'newer' };
    assert.deepEqual(await other.fleet.rollouts.stopped(where), [one, two, three]);
    assert.deepEqual(await other.fleet.rollouts.stopped({ estate, scope: 'aws/1/us-east-1' }), []);
    await other.fleet.rollouts.resume(where, by, 'db');
    await other.fleet.rollouts.resume(where, by, 'db');
    assert.deepEqual(await store.fleet.rollouts.stopped(where), [one, three]);
    await other.fleet.rollouts.resume(where, by);
    assert.deepEqual(await store.fleet.rollouts.stopped(where), []);
    assert.deepEqual(await notesOf(bench), [
      { resumeRollout: { scope, documents: ['db'], ...by } },
      { resumeRollout: { scope, documents: ['app', 'web'], ...by } },
    ]);
  },

  'a scope that a person lets out of quarantine is a note in the ledger, once': async (bench) => {
    const { store, other, estate } = bench;
    const where = { estate, scope };
    const why = 'it "threw"\u0000';
    await store.fleet.quarantine.put(where, why, 1);
    await store.fleet.quarantine.release(where);
    assert.deepEqual(await notesOf(bench), [], 'a newer generation let it out');
    await store.fleet.quarantine.put(where, why, 1);
    await other.fleet.quarantine.release(where, by);
    await other.fleet.quarantine.release(where, by);
    assert.deepEqual(await store.fleet.quarantine.list(estate), []);
    assert.deepEqual(await notesOf(bench), [{ resumeQuarantined: { scope, why, ...by } }]);
  },

  'words of two people at once make one chain': async (bench) => {
    const { store, other, estate } = bench;
    const given = await Promise.all([
      store.fleet.pauses.begin(estate, pauseOf(bench)),
      other.fleet.pauses.begin(estate, pauseOf(bench)),
      store.fleet.approvals.give(approvalOf(bench)),
      other.fleet.approvals.give(approvalOf(bench)),
    ]);
    const [a, b, c, d] = given;
    assert.notEqual(a.id, b.id);
    assert.notEqual(c.seq, d.seq);
    assert.equal((await notesOf(bench)).length, 4);
  },
};

const pauseOf = ({ now }: Bench, rest: Partial<PauseDraft> = {}): PauseDraft => ({
  what: 'all',
  of: { by: 'estate' },
  reason: 'maintenance',
  person: 'ops',
  until: now() + hour,
  ...rest,
});

const nothingRan = { ran: 0, ranBeside: { creates: 0, closures: 0 } };

const approvalOf = ({ estate, now }: Bench, rest: Partial<ApprovalDraft> = {}): ApprovalDraft => ({
  estate,
  scope,
  generation: 1,
  digest: 'd1',
  actions: ['a1', 'a2'],
  destroys: 1,
  by,
  until: now() + hour,
  ...rest,
});

async function notesOf({ other, estate }: Bench): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const notes: Readonly<Record<string, unknown>>[] = [];
  for await (const { type, body } of other.ledger.entries({ estate })) {
    const { note } = body;
    if (type === 'note' && typeof note === 'object' && note !== null) notes.push({ ...note });
  }
  return notes;
}
