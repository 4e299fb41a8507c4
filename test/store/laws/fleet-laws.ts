import assert from 'node:assert/strict';
import { guardsOf, scope } from '../fixtures.ts';
import type { Bench, Laws } from './bench.ts';

const guards = guardsOf({ deletes: 5, replaces: 5 });
const elsewhere = 'aws/1/us-east-1';

/** Laws of the state that workers share. */
export const fleetLaws: Laws = {
  'a tree that one process kept, another reads, and the first one kept stays': async ({ store, other, estate }) => {
    const tree = {
      specs: [{ path: 'a/net.yaml', text: 'kind: "Network"\u0000\ud800 \u{1f512}\n' }],
      userData: [{ path: 'web.sh', base64: 'AAEC' }],
    };
    await store.fleet.specSnapshots.keep(estate, 'r1', tree);
    await other.fleet.specSnapshots.keep(estate, 'r1', { specs: [], userData: [] });
    assert.deepEqual(await other.fleet.specSnapshots.read(estate, 'r1'), tree);
    assert.equal(await store.fleet.specSnapshots.read(estate, 'r2'), undefined);
    assert.equal(await store.fleet.specSnapshots.read(`${estate}-2`, 'r1'), undefined);
  },

  'a pendingState is the newest request that nobody answered, and the newest generation': async ({
    store,
    other,
    estate,
  }) => {
    const where = { estate, scope };
    assert.deepEqual(await store.fleet.requests.pendingState(where), { request: 0, generation: 0 });
    await store.fleet.requests.ask(where, 'specs changed');
    await other.fleet.requests.ask(where, 'a "person"\u0000');
    await store.generations.accept(estate, 'r1', guards);
    await store.generations.accept(estate, 'r2', guards);
    assert.deepEqual(await store.fleet.requests.pendingState(where), {
      request: 2,
      reason: 'a "person"\u0000',
      generation: 2,
    });
    assert.deepEqual(await store.fleet.requests.pendingState({ estate, scope: elsewhere }), {
      request: 0,
      generation: 2,
    });
    assert.deepEqual(await store.fleet.requests.pendingState({ estate: `${estate}-2`, scope }), {
      request: 0,
      generation: 0,
    });
  },

  'an answer takes the wishes up to the one that was seen, and no later one': async ({ store, other, estate }) => {
    const where = { estate, scope };
    const pendingState = async () => (await store.fleet.requests.pendingState(where)).request;
    await store.fleet.requests.ask(where, 'one');
    await store.fleet.requests.ask(where, 'two');
    await other.fleet.requests.answered(where, 1);
    assert.equal(await pendingState(), 2);
    await other.fleet.requests.answered(where, 2);
    assert.deepEqual(await store.fleet.requests.pendingState(where), { request: 0, generation: 0 });
    await other.fleet.requests.answered(where, 1);
    await other.fleet.requests.answered(where, 99);
    await store.fleet.requests.ask(where, 'three');
    assert.equal(await pendingState(), 3);
  },

  'wishes of many processes at once are all counted': async ({ store, other, estate }) => {
    const where = { estate, scope };
    const asking = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).fleet.requests.ask(where, `${i}`));
    await Promise.all(asking);
    assert.equal((await store.fleet.requests.pendingState(where)).request, 20);
  },

  'where a request waits for an answer is known, over all estates': async ({ store, other, estate }) => {
    const [here, there] = [scope, elsewhere].map((one) => ({ estate, scope: one }));
    assert.ok(here && there);
    const own = async () => (await store.fleet.requests.unanswered()).filter((one) => one.estate === estate);
    await store.fleet.requests.ask(here, 'one');
    await other.fleet.requests.ask(there, 'one');
    assert.deepEqual(
      await own(),
      [here, there].sort((a, b) => (a.scope < b.scope ? -1 : 1)),
    );
    await other.fleet.requests.answered(here, 1);
    assert.deepEqual(await own(), [there]);
  },

  'what stands in a scope only ever rises': async ({ store, other, estate }) => {
    const where = { estate, scope };
    assert.equal(await store.fleet.rollouts.standing(where), 0);
    await store.fleet.rollouts.stand(where, 3);
    await other.fleet.rollouts.stand(where, 2);
    assert.equal(await other.fleet.rollouts.any(), true);
    assert.equal(await other.fleet.rollouts.standing(where), 3);
    await other.fleet.rollouts.stand(where, 4);
    assert.equal(await store.fleet.rollouts.standing(where), 4);
    assert.equal(await store.fleet.rollouts.standing({ estate, scope: elsewhere }), 0);
  },

  'what stands but for graces is known apart, with what was in one until everything stands': async (bench) => {
    const { store, other, estate } = bench;
    const where = { estate, scope };
    const { rollouts } = store.fleet;
    const butGraces = () => other.fleet.rollouts.standingButGraces(where);
    assert.deepEqual(await butGraces(), { generation: 0, inGrace: [] });
    await rollouts.stand(where, 2, ['a/b/c/instance/web-1']);
    assert.deepEqual(await butGraces(), { generation: 2, inGrace: ['a/b/c/instance/web-1'] });
    assert.equal(await rollouts.standing(where), 0);
    await rollouts.stand(where, 4, ['a/b/c/instance/web-0', 'a/b/c/instance/web-1']);
    await rollouts.stand(where, 3, ['a/b/c/instance/web-2']);
    const all = [0, 1, 2].map((n) => `a/b/c/instance/web-${n}`);
    assert.deepEqual(await butGraces(), { generation: 4, inGrace: all });
    assert.equal(await rollouts.standing(where), 0);
    await rollouts.stand(where, 5);
    assert.deepEqual(await butGraces(), { generation: 5, inGrace: [] });
    assert.equal(await rollouts.standing(where), 5);
  },

  'what a cloud refused waits by the clock of the store, and is let go by its address or all at once': async (
    bench,
  ) => {
    const { store, other, estate } = bench;
    const where = { estate, scope };
    const refused = { address: 'b', digest: 'd1', generation: 2, failures: 1, said: '"in use" (InUse).\u0000' };
    await store.fleet.backoffs.put(where, refused, 60_000);
    await store.fleet.backoffs.put(where, { ...refused, address: 'a' }, 0);
    await store.fleet.backoffs.put({ estate, scope: elsewhere }, refused, 60_000);
    await bench.later(1);
    const listed = async () => (await other.fleet.backoffs.list(where)).map(({ until: _, ...one }) => one);
    assert.deepEqual(await listed(), [
      { ...refused, address: 'a', waits: false },
      { ...refused, waits: true },
    ]);
    await other.fleet.backoffs.put(where, { ...refused, digest: 'd2', failures: 2 }, 60_000);
    await other.fleet.backoffs.clear(where, 'a');
    assert.deepEqual(await listed(), [{ ...refused, digest: 'd2', failures: 2, waits: true }]);
    await store.fleet.backoffs.clear(where);
    assert.deepEqual(await listed(), []);
    assert.equal((await store.fleet.backoffs.list({ estate, scope: elsewhere })).length, 1);
  },

  'healed drift is kept in a row, by the clock of the store, and told where it is to be': async (bench) => {
    const { store, other, estate } = bench;
    const where = { estate, scope };
    const from = await other.events.newest();
    const writer = { actor: 'arn:"x"\u0000', action: 'CreateTags' };
    const of = {
      address: 'b',
      field: 'labels.a.b',
      from: '"x\u0000"',
      to: '"y"',
      targets: ['prod'],
      owner: 'team-web',
    };
    const draft = { ...of, times: 1, waitMs: 0, closes: false, isTold: false };
    await store.fleet.fights.keep(where, [draft, { ...draft, address: 'a', field: 'rule', closes: true, writer }]);
    await store.fleet.fights.keep({ estate, scope: elsewhere }, [draft]);
    const [first] = (await other.fleet.fights.list(where)).filter(({ address }) => address === 'b');
    assert.ok(first && first.since === first.at && !first.waits && first.until === first.at);
    const known = async () => [...((await other.inventory.knowledge(estate, scope)).healed?.keys() ?? [])].sort();
    assert.deepEqual(await known(), ['a rule'], 'a field that was healed once is in no fight');
    await bench.later(1000);
    await other.fleet.fights.keep(where, [{ ...draft, times: 2, waitMs: 60_000, isTold: true, writer }]);
    const listed = await store.fleet.fights.list(where);
    assert.deepEqual(
      listed.map(({ address, field, times, closes, waits, writer: by }) => [address, field, times, closes, waits, by]),
      [
        ['a', 'rule', 1, true, false, writer],
        ['b', 'labels.a.b', 2, false, true, writer],
      ],
    );
    const second = listed[1];
    assert.deepEqual([second?.since, (second?.at ?? 0) > first.at], [first.since, true]);
    assert.equal(second?.until, (second?.at ?? 0) + 60_000);
    assert.equal((await store.fleet.fights.list({ estate })).length, 3);
    assert.deepEqual(await known(), ['a rule', 'b labels.a.b']);
    assert.ok(
      (await store.fleet.fights.counts()).some(({ cloud, closes, count }) => cloud === 'aws' && !closes && count > 0),
    );
    const { events } = await other.events.after(from, 10);
    assert.deepEqual(
      events
        .filter((one) => one.estate === estate)
        .map(({ type, targets, owner, about }) => ({ type, targets, owner, about })),
      [
        {
          ...{ type: 'fight', targets: ['prod'], owner: 'team-web' },
          about: {
            ...{
              scope,
              address: 'b',
              field: 'labels.a.b',
              times: 2,
              severity: 'warning',
              from: '"x\u0000"',
              to: '"y"',
            },
            writer,
          },
        },
      ],
    );
  },

  'a scope in quarantine is listed until a person or a newer generation releases it': async (bench) => {
    const { store, other, estate, now } = bench;
    const where = { estate, scope };
    await store.generations.accept(estate, 'r1', guards);
    const before = now();
    await store.fleet.quarantine.put(where, 'it "threw"\u0000', 1);
    const [put, ...more] = await listed(bench);
    assert.equal(more.length, 0);
    assert.ok(put && put.since >= before - 1 && put.since <= now() + 1, `since ${put?.since}`);
    assert.deepEqual(put, { estate, scope, why: 'it "threw"\u0000', since: put.since, generation: 1 });
    assert.ok((await other.fleet.quarantine.list()).some((one) => one.estate === estate));
    await bench.later(1000);
    await other.fleet.quarantine.put(where, 'again', 1);
    assert.deepEqual(await listed(bench), [{ ...put, why: 'again' }]);
    await store.generations.accept(estate, 'r2', guards);
    assert.deepEqual(await listed(bench), []);
    await store.fleet.quarantine.put(where, 'still', 2);
    await store.fleet.quarantine.put({ estate, scope: elsewhere }, 'too', 2);
    assert.deepEqual(
      (await listed(bench)).map((one) => one.scope),
      [elsewhere, scope],
    );
    await other.fleet.quarantine.release(where);
    assert.deepEqual(
      (await listed(bench)).map(({ why }) => why),
      ['too'],
    );
  },
};

const listed = ({ other, estate }: Bench) => other.fleet.quarantine.list(estate);
