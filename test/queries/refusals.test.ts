import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Approval, Refusal } from '../../src/ports/fleet-state.ts';
import { standingRefusals } from '../../src/queries/refusals.ts';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import {
  type AnswersWorld,
  answersWorld,
  approve,
  bringIn,
  labelled,
  machine,
  offered,
  people,
  tierOf,
  waiting,
} from './support/answers-world.ts';

const refusal = (seq: number, person: string, actions: readonly string[]): Refusal => ({
  ...{ ...where, seq, generation: 2, digest: 'd', actions, at: seq },
  by: { person, reason: 'no' },
});

type Said = Pick<Approval, 'seq' | 'actions' | 'by'>;

const approval = (seq: number, person: string, ...actions: readonly string[]): Said => ({
  ...{ seq, actions },
  by: { person, reason: 'yes' },
});

describe('refusals that stand', () => {
  const rows: readonly {
    readonly name: string;
    readonly refused: readonly Refusal[];
    readonly active?: readonly Said[];
    /** Expired. */
    readonly given?: readonly Said[];
    readonly unmet?: readonly string[];
    readonly want: readonly (readonly [seq: number, ...actions: string[]])[];
  }[] = [
    {
      name: 'with those of their actions that are pending',
      refused: [refusal(1, 'ann', ['a', 'gone'])],
      want: [[1, 'a']],
    },
    { name: 'not where none of their actions is pending', refused: [refusal(1, 'ann', ['gone'])], want: [] },
    {
      name: 'not for an action that somebody approved later',
      refused: [refusal(1, 'ann', ['a', 'b'])],
      active: [approval(2, 'bob', 'a')],
      want: [[1, 'b']],
    },
    {
      name: 'for an action that needs further approvals, after one of them',
      refused: [refusal(1, 'ann', ['a', 'b'])],
      active: [approval(2, 'bob', 'a', 'b')],
      unmet: ['a'],
      want: [[1, 'a']],
    },
    {
      name: 'after an approval of another person that expired',
      refused: [refusal(1, 'ann', ['a'])],
      given: [approval(2, 'bob', 'a')],
      want: [[1, 'a']],
    },
    {
      name: 'not for an action that the same person approved later',
      refused: [refusal(1, 'ann', ['a', 'b']), refusal(2, 'bob', ['a'])],
      given: [approval(3, 'ann', 'a')],
      unmet: ['a'],
      want: [
        [1, 'b'],
        [2, 'a'],
      ],
    },
    {
      name: 'after an earlier approval of the same person',
      refused: [refusal(3, 'ann', ['a'])],
      given: [approval(2, 'ann', 'a')],
      want: [[3, 'a']],
    },
    {
      name: 'after an earlier approval of the same action',
      refused: [refusal(3, 'ann', ['a'])],
      active: [approval(2, 'bob', 'a')],
      want: [[3, 'a']],
    },
    {
      name: 'each of another person, and the newest of one',
      refused: [refusal(1, 'ann', ['a', 'b']), refusal(2, 'bob', ['a']), refusal(3, 'ann', ['a'])],
      want: [
        [1, 'b'],
        [2, 'a'],
        [3, 'a'],
      ],
    },
  ];
  for (const { name, refused, active = [], given = [], unmet = [], want } of rows)
    it(name, () => {
      const said = { active, given: [...active, ...given] };
      const required = unmet.map((digest) => ({ digest }));
      const standing = standingRefusals(refused, said, { actions: new Set(['a', 'b']), required });
      assert.deepEqual(
        standing.map(({ seq, actions }) => [seq, ...actions]),
        want,
      );
    });
});

const refuse = async (world: AnswersWorld, who: string, more: object = {}) => {
  const { digest } = await offered(world, who);
  return world.api.ask(who, 'POST /v1/approvals/refuse', { body: { digest, reason: 'not scanned', ...more } });
};

interface Shown {
  readonly seq?: number;
  readonly digest?: string;
  readonly actor: string;
  readonly reason?: string;
  readonly generation: number;
  readonly actions: readonly string[];
}

async function shown(world: AnswersWorld, who: string): Promise<readonly Shown[]> {
  const { text, status } = await world.api.ask(who, 'GET /v1/approvals');
  assert.equal(status, 200, text);
  return JSON.parse(text).refusals;
}

describe('a refusal over the API', () => {
  it('of the shown actions is a note in the ledger, forbids nothing, and others see it', async () => {
    const world = await waiting();
    const { status, text } = await refuse(world, 'bob');
    assert.equal(status, 201, text);
    const { refusals, generation } = JSON.parse(text);
    assert.deepEqual([generation, refusals.length, refusals[0].actor, refusals[0].scope], [2, 1, 'bob', where.scope]);
    assert.deepEqual(await shown(world, 'root'), refusals);
    assert.deepEqual(await shown(world, 'operator'), refusals, 'also who may only read');
    const notes: unknown[] = [];
    for await (const { body } of world.store.ledger.entries({ estate: 'acme' })) notes.push(body['note']);
    assert.match(JSON.stringify(notes.at(-1)), /"refuseApproval".*"person":"bob","reason":"not scanned"/);
    await world.reconcile();
    assert.equal(tierOf(world), 'a');
    assert.equal((await offered(world, 'bob')).actions.length, 1, 'it is pending still');
  });

  it('shows no more once somebody approved the action', async () => {
    const world = await waiting();
    assert.equal((await refuse(world, 'bob')).status, 201);
    assert.equal((await approve(world, 'root')).status, 403, 'an author');
    assert.equal((await shown(world, 'bob')).length, 1);
    assert.equal((await approve(world, 'bob')).status, 201);
    assert.deepEqual(await shown(world, 'bob'), []);
    await world.reconcile();
    assert.equal(tierOf(world), 'b');
  });

  it('shows again once that approval expired', async () => {
    const world = await waiting();
    assert.equal((await refuse(world, 'root')).status, 201);
    const { digest } = await offered(world, 'bob');
    const given = await world.api.ask('bob', 'POST /v1/approvals', {
      body: { digest, reason: 'seen', expiresInSeconds: 60 },
    });
    assert.equal(given.status, 201, given.text);
    assert.deepEqual(await shown(world, 'bob'), []);
    await world.clock.advance(61_000);
    assert.deepEqual(
      (await shown(world, 'bob')).map(({ actor }) => actor),
      ['root'],
    );
  });

  it('records nothing once other specs are active', async () => {
    const world = await waiting();
    const { digest } = await offered(world, 'bob');
    const { refuse: record } = world.store.fleet.approvals;
    const late = {
      refuse: async (draft: Parameters<typeof record>[0]) => {
        await bringIn(world, labelled('c'), ['root@acme.example']);
        return record(draft);
      },
    };
    Object.assign(world.store.fleet.approvals, late);
    const { status, text } = await world.api.ask('bob', 'POST /v1/approvals/refuse', {
      body: { digest, reason: 'not scanned' },
    });
    assert.equal(status, 409, text);
    const notes: unknown[] = [];
    for await (const { body } of world.store.ledger.entries({ estate: 'acme' })) notes.push(body['note']);
    assert.doesNotMatch(JSON.stringify(notes), /refuseApproval/);
  });

  it('ends with its generation', async () => {
    const world = await waiting();
    assert.equal((await refuse(world, 'bob')).status, 201);
    await bringIn(world, labelled('c'), ['root@acme.example']);
    await bringIn(world, labelled('b'), ['root@acme.example']);
    await world.reconcile();
    assert.equal((await offered(world, 'bob')).actions.length, 1);
    assert.deepEqual(await shown(world, 'bob'), []);
  });

  it('is possible for an author, and after a listing that failed', async () => {
    const world = await waiting();
    assert.equal((await refuse(world, 'ada')).status, 201);
    world.cloud.faults.add({ on: 'ListNetworks', fault: { do: 'refuse', code: 'Denied' } });
    await world.reconcile();
    assert.equal((await refuse(world, 'bob')).status, 201);
  });

  it('is refused for another digest, without a reason, and without the permission', async () => {
    const world = await waiting();
    const { digest } = await offered(world, 'bob');
    const other = await refuse(world, 'bob', { digest: 'a'.repeat(64) });
    assert.deepEqual([other.status, JSON.parse(other.text).digest], [409, digest]);
    assert.equal((await refuse(world, 'bob', { reason: ' ' })).status, 400);
    assert.equal((await refuse(world, 'operator')).status, 403);
    assert.deepEqual(await shown(world, 'bob'), []);
  });
});

describe('a refusal of one who is limited to owners', () => {
  it('covers only the actions of its person, and others see it of theirs alone', async () => {
    const owner = (name: string) =>
      callerOf('approver', {
        id: name,
        person: name,
        grants: [
          { role: 'approver', estates: ['acme'], owners: [name] },
          { role: 'viewer', estates: ['acme'] },
        ],
      });
    const world = answersWorld({ ...people, web: owner('team-web'), db: owner('team-db') });
    const owned = (tier: string) => [
      network({ internet: false }),
      rule('https'),
      machine('web', {}, { owner: 'team-web', labels: { tier } }),
      machine('db', {}, { owner: 'team-db', labels: { tier } }),
    ];
    await bringIn(world, owned('a'), ['root@acme.example']);
    await world.reconcile();
    assert.equal((await approve(world, 'bob')).status, 201);
    await world.reconcile();
    await world.clock.advance(1_000);
    await bringIn(world, owned('b'), ['root@acme.example']);
    await world.reconcile();
    assert.equal((await refuse(world, 'web')).status, 201);
    const seen = async () => {
      const all = { bob: await shown(world, 'bob'), web: await shown(world, 'web'), db: await shown(world, 'db') };
      return Object.entries(all).map(([who, of]) => [
        who,
        ...of.map(({ actor, actions }) => `${actor} ${actions.length}`),
      ]);
    };
    assert.deepEqual(await seen(), [['bob', 'team-web 1'], ['web', 'team-web 1'], ['db']]);
    assert.equal((await refuse(world, 'bob')).status, 201);
    assert.deepEqual(await seen(), [
      ['bob', 'team-web 1', 'bob 2'],
      ['web', 'team-web 1', 'bob 1'],
      ['db', 'bob 1'],
    ]);
    const told = async (who: string) =>
      (await shown(world, who)).map(({ seq, digest, reason }) => [typeof seq, typeof digest, reason]);
    assert.deepEqual(
      [await told('bob'), await told('web'), await told('db')],
      [
        [
          ['number', 'string', 'not scanned'],
          ['number', 'string', 'not scanned'],
        ],
        [
          ['undefined', 'undefined', 'not scanned'],
          ['undefined', 'undefined', undefined],
        ],
        [['undefined', 'undefined', undefined]],
      ],
    );
  });
});
