import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answersOf } from '../../src/bootstrap/http-server.ts';
import type { Bounds, Grant } from '../../src/core/access/grant.ts';
import { proposalBot } from '../../src/core/access/person.ts';
import type { Caller } from '../../src/http/api/route.ts';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import {
  type AnswersWorld,
  activeWorld,
  activeWorldByFolder,
  answersWorld,
  applied,
  approve,
  bringIn,
  labelled,
  machine,
  offered,
  people,
  tierOf,
  waiting,
} from './support/answers-world.ts';

describe('an approval over the API', () => {
  it('of the shown actions lets a worker carry them out, in the name of the approver', async () => {
    const world = await waiting();
    const offer = await offered(world, 'bob');
    assert.deepEqual(
      [offer.actions.map(({ address }) => address), offer.authors, offer.generation],
      [['memory/acme/north/instance/web-0'], { unknown: false }, 2],
    );
    const { status, body } = await approve(world, 'bob');
    assert.equal(status, 201);
    const [given] = await world.store.fleet.approvals.active(where);
    assert.deepEqual([given?.by, given?.digest], [{ person: 'bob', reason: 'seen' }, offer.digest]);
    assert.equal(JSON.parse(JSON.stringify(body)).approvals[0].actor, 'bob');
    assert.match((await world.store.fleet.requests.pendingState(where)).reason ?? '', /^bob approved: seen$/);
    await world.reconcile();
    assert.equal(tierOf(world), 'b');
  });

  it('shows the effect on traffic to approvers of all of the estate, and to nobody else', async () => {
    const world = await activeWorld({
      net: callerOf('approver', { grants: [{ role: 'approver', targets: ['here'] }] }),
    });
    await bringIn(world, [...labelled('a'), rule('ssh', { ports: [22] })], ['root@acme.example']);
    await world.reconcile();
    assert.match(
      JSON.stringify(Reflect.get(await offered(world, 'bob'), 'effect')),
      /"services":\[\{"protocol":"tcp","ports":"22"\}\]/,
    );
    const theirs = await offered(world, 'net');
    assert.deepEqual([theirs.actions.length, 'effect' in theirs], [1, false]);
  });

  it('computes that once for all who see the same, until something changes', async () => {
    const world = await activeWorld();
    const bring = (port: number) =>
      bringIn(world, [...labelled('a'), rule('ssh', { ports: [port] })], ['root@acme.example']);
    await bring(22);
    await world.reconcile();
    const { approvals } = answersOf(world.context);
    const effectFor = async (person: string, seen: readonly Bounds[] = [{}], address?: string) => {
      const by = { person, caller: person, names: [person] };
      const asked = { estate: 'acme', seen, by, ...(address === undefined ? {} : { address }) };
      return (await approvals.offer(asked)).effect;
    };
    const first = await effectFor('bob');
    assert.equal(first?.opens.length, 1);
    assert.equal(await effectFor('bob'), first);
    assert.equal(await effectFor('ada'), first);
    assert.deepEqual((await effectFor('ada', [{}], 'web-0'))?.opens, []);
    assert.equal(await effectFor('ada', [{ owners: ['team-web'] }]), undefined);
    assert.equal(await effectFor('ada'), first);
    await world.clock.advance(60_000);
    await world.reconcile();
    const observed = await effectFor('bob');
    assert.deepEqual(observed, first);
    assert.notEqual(observed, first, 'another observation may have other machines');
    await bring(23);
    assert.notDeepEqual(await effectFor('bob'), first);
  });

  it('says in the ledger where nobody knows who made it', async () => {
    const world = await activeWorld();
    await bringIn(world, labelled('b'), undefined);
    await world.reconcile();
    assert.deepEqual((await offered(world, 'ada')).authors, { unknown: true });
    assert.equal((await approve(world, 'ada')).status, 201);
    const [given] = await world.store.fleet.approvals.active(where);
    assert.deepEqual(given?.by, { person: 'ada', reason: 'seen', authorsUnknown: true });
    const notes: unknown[] = [];
    for await (const { body } of world.store.ledger.entries({ estate: 'acme' })) notes.push(body['note']);
    assert.match(JSON.stringify(notes.at(-1)), /"authorsUnknown":true/);
  });
});

describe('an approval of all that is shown', () => {
  it('is none of a stop that loses a disk, though other drift of that machine is shown', async () => {
    const world = await activeWorld();
    const { outside, inspect } = world.cloud;
    const [id = ''] = inspect.live().flatMap((one) => (one.type === 'instance' ? [one.id] : []));
    const ids = [id];
    const later = () => world.clock.run(() => world.clock.sleep(60_000));
    await later();
    outside.do('StopInstances', { ids });
    await later();
    outside.do('ResizeInstance', { id, size: 'large.local' });
    outside.do('StartInstances', { ids });
    outside.do('TagObjects', { ids, tags: { tier: 'by hand' } });
    await later();
    await world.reconcile();
    const shown = await offered(world, 'bob');
    assert.deepEqual(
      shown.actions.map((action) => Reflect.get(action, 'effect')),
      ['in-place'],
    );
    assert.equal((await approve(world, 'bob')).status, 201);
    assert.deepEqual((await world.reconcile()).writes, ['TagObjects']);
  });
});

describe('an approval by the bot of proposals', () => {
  it('is refused, also of what others wrote', async () => {
    const bot = (name: string): Caller =>
      callerOf('admin', {
        id: 'token-11',
        person: name,
        identities: [proposalBot.email.toUpperCase(), 'bot@acme.example'],
      });
    const named = { bot: bot(proposalBot.email), renamed: bot('carl@acme.example') };
    const world = await activeWorld(named);
    await bringIn(world, labelled('b'), ['root@acme.example']);
    await world.reconcile();
    for (const who of Object.keys(named)) {
      assert.match(JSON.stringify((await offered(world, who)).authors), /proposes changes and approves none/);
      assert.equal((await approve(world, who)).status, 403);
    }
    assert.equal((await approve(world, 'bob')).status, 201);
  });
});

describe('an approval of what somebody wrote by a forge’s noreply address', () => {
  const addresses = ['1+ada@users.noreply.github.com', '2-ada@Users.NoReply.GitLab.com', 'noreply@github.com'];
  for (const address of addresses)
    it(`says that nobody knows whose it is: ${address}`, async () => {
      const world = await activeWorld();
      await bringIn(world, labelled('b'), ['root@acme.example', address]);
      await world.reconcile();
      assert.deepEqual((await offered(world, 'ada')).authors, { unknown: true });
      assert.equal((await approve(world, 'ada')).status, 201);
      const [given] = await world.store.fleet.approvals.active(where);
      assert.equal(given?.by.authorsUnknown, true);
    });
});

describe('an approval of what was posted', () => {
  it('is given by somebody else, where both are known', async () => {
    const world = await activeWorldByFolder();
    await applied(world, 'bob', 'root');
    assert.deepEqual((await offered(world, 'ada')).authors, { unknown: false });
    assert.equal((await approve(world, 'ada')).status, 201);
  });

  it('by a credential that is nobody’s is refused, with what to do instead', async () => {
    const world = await activeWorldByFolder();
    await applied(world, 'ci', 'root');
    const { status, text } = await approve(world, 'ada');
    assert.equal(status, 403);
    assert.match(text, /generation 2.*It may be you.*a token of a person: setpoint token make --for.*setpoint approve/);
  });
});

describe('the reach of an approval over the API', () => {
  it('is of the shown actions: a moved action has another digest, and is named', async () => {
    const world = await waiting();
    const { digest } = await offered(world, 'bob');
    await bringIn(world, labelled('c'), ['root@acme.example']);
    await world.reconcile();
    const { status, text } = await world.api.ask('bob', 'POST /v1/approvals', { body: { digest, reason: 'late' } });
    assert.equal(status, 409);
    assert.equal(JSON.parse(text).digest, (await offered(world, 'bob')).digest);
  });

  it('is nothing on half a look', async () => {
    const world = await waiting();
    world.cloud.faults.add({ on: 'ListNetworks', fault: { do: 'refuse', code: 'Denied' } });
    await world.reconcile();
    const { status, text } = await approve(world, 'bob');
    assert.equal(status, 409);
    assert.match(text, /incomplete observation.*network was not listed/);
  });

  it('ends at the bounds of the caller', async () => {
    const owned = (tier: string) => [
      network({ internet: false }),
      rule('https'),
      machine('web', {}, { owner: 'team-web', labels: { tier } }),
      machine('db', {}, { owner: 'team-db', labels: { tier } }),
    ];
    const world = answersWorld({
      ...people,
      web: callerOf('approver', {
        identities: ['w@acme.example'],
        grants: [
          { role: 'approver', estates: ['acme'], owners: ['team-web'] },
          { role: 'viewer', estates: ['acme'] },
        ],
      }),
    });
    await bringIn(world, owned('a'), ['root@acme.example']);
    await world.reconcile();
    assert.equal((await approve(world, 'bob')).status, 201);
    await world.reconcile();
    await world.clock.advance(1_000);
    await bringIn(world, owned('b'), ['root@acme.example']);
    await world.reconcile();
    const theirs = await offered(world, 'web');
    assert.deepEqual(
      theirs.actions.map(({ address }) => address),
      ['memory/acme/north/instance/web-0'],
    );
    const all = await offered(world, 'bob');
    assert.equal(all.actions.length, 2);
    const wide = await world.api.ask('web', 'POST /v1/approvals', { body: { digest: all.digest, reason: 'more' } });
    assert.equal(wide.status, 409);
    assert.equal((await approve(world, 'web')).status, 201);
    await world.reconcile();
    const tiers = world.cloud.inspect
      .live()
      .flatMap(({ type, record }) => (type === 'instance' ? [record.tags['tier']] : []));
    assert.deepEqual(tiers.toSorted(), ['a', 'b']);
  });
});

const withGrants = (id: string, ...grants: readonly Grant[]) =>
  callerOf('approver', { id, person: id, grants: grants.map((grant) => ({ estates: ['acme'], ...grant })) });

const withdrawnCallers = {
  web: withGrants('web', { role: 'approver', owners: ['team-web'] }),
  webSeesAll: withGrants('seer', { role: 'approver', owners: ['team-web'] }, { role: 'viewer' }),
  here: withGrants('here', { role: 'approver', targets: ['here'] }),
  operator: withGrants('operator', { role: 'operator' }),
  elsewhere: withGrants('elsewhere', { role: 'approver', estates: ['other'] }),
};

/** A label of a machine waits; bob let it pass, and no reconcile ran since. */
async function approved(): Promise<AnswersWorld & { readonly seq: number }> {
  const world = await activeWorld(withdrawnCallers);
  await bringIn(world, labelled('b'), ['root@acme.example']);
  await world.reconcile();
  assert.equal((await approve(world, 'bob')).status, 201);
  const [approval] = await world.store.fleet.approvals.active(where);
  return { ...world, seq: approval?.seq ?? -1 };
}

const withdraw = ({ api, seq }: Awaited<ReturnType<typeof approved>>, who: string, more: object = {}) =>
  api.ask(who, 'POST /v1/approvals/withdraw', { body: { seq, reason: 'the image is broken', ...more } });

/** The caller, and the answer. */
const askers: readonly (readonly [who: string, status: number])[] = [
  ['bob', 200],
  ['ada', 200],
  ['here', 200],
  ['web', 404],
  ['webSeesAll', 403],
  ['operator', 403],
  ['elsewhere', 404],
];

describe('an approval withdrawn over the API', () => {
  for (const [who, status] of askers)
    it(`${who} withdraws it: ${status}`, async () => {
      const world = await approved();
      const { status: got, text } = await withdraw(world, who);
      assert.equal(got, status, text);
      assert.equal((await world.store.fleet.approvals.active(where)).length, status === 200 ? 0 : 1);
      await world.reconcile();
      assert.equal(tierOf(world), status === 200 ? 'a' : 'b');
    });

  it('asks for a reconcile, names the approval, and counts the calls that are still on the way', async () => {
    const world = await approved();
    const { text } = await withdraw(world, 'bob');
    const { estate, approval, inFlight } = JSON.parse(text);
    assert.deepEqual([estate, approval.seq, approval.actor, inFlight], ['acme', world.seq, 'bob', 0]);
    assert.match(
      (await world.store.fleet.requests.pendingState(where)).reason ?? '',
      /^bob withdrew an approval: the image/,
    );
  });

  it('is refused for what is no approval, or no longer one', async () => {
    const world = await approved();
    assert.equal((await withdraw(world, 'bob', { seq: world.seq + 1000 })).status, 404);
    assert.equal((await withdraw(world, 'bob', { reason: ' ' })).status, 400);
    assert.equal((await withdraw(world, 'bob')).status, 200);
    assert.equal((await withdraw(world, 'bob')).status, 404);
  });
});

const of = (owners: readonly string[] | undefined) =>
  callerOf('approver', {
    identities: ['w@acme.example'],
    grants: [
      { role: 'approver', estates: ['acme'], ...(owners === undefined ? {} : { owners }) },
      { role: 'viewer', estates: ['acme'] },
    ],
  });

const boundedCallers = { ...people, web: of(['team-web']), db: of(['team-db']), both: of(['team-web', 'team-db']) };

const owned = (owner: string | undefined, tier: string) => [
  network({ internet: false }),
  rule('https'),
  machine('web', {}, { ...(owner === undefined ? {} : { owner }), labels: { tier } }),
];

/** In force as the first owner's, and a change waits that takes it over to the second. */
async function takenOver(first: string | undefined, second: string | undefined): Promise<AnswersWorld> {
  const world = answersWorld(boundedCallers);
  await bringIn(world, owned(first, 'a'), ['root@acme.example']);
  await world.reconcile();
  assert.equal((await approve(world, 'bob')).status, 201);
  await world.reconcile();
  await world.clock.advance(1_000);
  await bringIn(world, owned(second, 'b'), ['root@acme.example']);
  await world.reconcile();
  return world;
}

describe('an offer to who is bounded to an owner', () => {
  it('counts what goes without them, and tells what was approved, of nobody else', async () => {
    const world = answersWorld(boundedCallers);
    await bringIn(world, owned('team-db', 'a'), ['root@acme.example']);
    await world.reconcile();
    assert.equal((await approve(world, 'bob')).status, 201);
    const told = async (who: string) => {
      const { text } = await world.api.ask(who, 'GET /v1/approvals');
      const { unapproved: free, approvals } = JSON.parse(text);
      return [free > 0, approvals.length];
    };
    assert.deepEqual(await told('bob'), [true, 1]);
    assert.deepEqual(await told('web'), [false, 0]);
    assert.deepEqual(await told('db'), [true, 0]);
  });
});

describe('a change that takes a machine over from its owner', () => {
  const cases: readonly (readonly [first: string | undefined, second: string | undefined, by: readonly string[]])[] = [
    ['team-db', 'team-web', ['both']],
    ['team-db', undefined, []],
    [undefined, 'team-web', []],
    ['team-web', 'team-web', ['web', 'both']],
  ];
  for (const [first, second, by] of cases)
    it(`from ${first} to ${second} is approved by ${by.join(' or ') || 'nobody'} of those bounded to owners`, async () => {
      const world = await takenOver(first, second);
      const may: string[] = [];
      for (const who of ['web', 'db', 'both']) if ((await offered(world, who)).actions.length > 0) may.push(who);
      assert.deepEqual(may, by);
      assert.equal((await offered(world, 'bob')).actions.length, 1);
    });
});
