import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import { answersWorld, machine } from './support/answers-world.ts';
import { approve, bringIn, inForce, labelled, offered, people, tierOf, waiting } from './support/change.ts';
import { applied, inForceByFolder } from './support/posted.ts';

describe('an approval over the API', () => {
  it('of what was shown lets a worker do that, in the name of who approved it', async () => {
    const world = await waiting();
    const offer = await offered(world, 'bob');
    assert.deepEqual(
      [offer.actions.map(({ address }) => address), offer.authors, offer.generation],
      [['memory/acme/north/instance/web-0'], { unknown: false }, 2],
    );
    const { status, body } = await approve(world, 'bob');
    assert.equal(status, 201);
    const [given] = await world.store.fleet.approvals.inForce(where);
    assert.deepEqual([given?.by, given?.digest], [{ person: 'bob', reason: 'seen' }, offer.digest]);
    assert.equal(JSON.parse(JSON.stringify(body)).approvals[0].person, 'bob');
    assert.match((await world.store.fleet.requests.pulse(where)).reason ?? '', /^bob approved: seen$/);
    await world.pass();
    assert.equal(tierOf(world), 'b');
  });

  it('says in the ledger where nobody knows who made it', async () => {
    const world = await inForce();
    await bringIn(world, labelled('b'), undefined);
    await world.pass();
    assert.deepEqual((await offered(world, 'ada')).authors, { unknown: true });
    assert.equal((await approve(world, 'ada')).status, 201);
    const [given] = await world.store.fleet.approvals.inForce(where);
    assert.deepEqual(given?.by, { person: 'ada', reason: 'seen', authorsUnknown: true });
    const notes: unknown[] = [];
    for await (const { body } of world.store.ledger.entries({ estate: 'acme' })) notes.push(body['note']);
    assert.match(JSON.stringify(notes.at(-1)), /"authorsUnknown":true/);
  });
});

describe('an approval of what somebody wrote by a forge’s noreply address', () => {
  const addresses = ['1+ada@users.noreply.github.com', '2-ada@Users.NoReply.GitLab.com', 'noreply@github.com'];
  for (const address of addresses)
    it(`says that nobody knows whose it is: ${address}`, async () => {
      const world = await inForce();
      await bringIn(world, labelled('b'), ['root@acme.example', address]);
      await world.pass();
      assert.deepEqual((await offered(world, 'ada')).authors, { unknown: true });
      assert.equal((await approve(world, 'ada')).status, 201);
      const [given] = await world.store.fleet.approvals.inForce(where);
      assert.equal(given?.by.authorsUnknown, true);
    });
});

describe('an approval of what was posted', () => {
  it('is given by somebody else, where both are known', async () => {
    const world = await inForceByFolder();
    await applied(world, 'bob', 'root');
    assert.deepEqual((await offered(world, 'ada')).authors, { unknown: false });
    assert.equal((await approve(world, 'ada')).status, 201);
  });

  it('by a credential that is nobody’s is refused, with what to do instead', async () => {
    const world = await inForceByFolder();
    await applied(world, 'ci', 'root');
    const { status, text } = await approve(world, 'ada');
    assert.equal(status, 403);
    assert.match(text, /generation 2.*not whether you did.*a token made --for a person.*setpoint approve/);
  });
});

describe('the reach of an approval over the API', () => {
  it('is what is shown: what moved has another digest, and is named', async () => {
    const world = await waiting();
    const { digest } = await offered(world, 'bob');
    await bringIn(world, labelled('c'), ['root@acme.example']);
    await world.pass();
    const { status, text } = await world.api.ask('bob', 'POST /v1/approvals', { body: { digest, reason: 'late' } });
    assert.equal(status, 409);
    assert.equal(JSON.parse(text).digest, (await offered(world, 'bob')).digest);
  });

  it('is nothing on half a look', async () => {
    const world = await waiting();
    world.cloud.faults.add({ on: 'ListNetworks', fault: { do: 'refuse', code: 'Denied' } });
    await world.pass();
    const { status, text } = await approve(world, 'bob');
    assert.equal(status, 409);
    assert.match(text, /half a look.*network was not listed/);
  });

  it('ends at the bounds of whoever asks', async () => {
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
    await world.pass();
    assert.equal((await approve(world, 'bob')).status, 201);
    await world.pass();
    await world.clock.advance(1_000);
    await bringIn(world, owned('b'), ['root@acme.example']);
    await world.pass();
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
    await world.pass();
    const tiers = world.cloud.inspect
      .live()
      .flatMap(({ type, record }) => (type === 'instance' ? [record.tags['tier']] : []));
    assert.deepEqual(tiers.toSorted(), ['a', 'b']);
  });
});
