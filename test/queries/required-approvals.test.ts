import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller } from '../../src/http/api/route.ts';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, where } from '../support/fleet-world.ts';
import { type AnswersWorld, answersWorld, approve, machine } from './support/answers-world.ts';

const address = 'memory/acme/north/instance/web-0';

/** An approver with these names, and this role in approvals. */
const approver = (id: string, identities: readonly string[], approvalRoles?: readonly string[]): Caller => ({
  ...callerOf('approver', { id, person: id, identities }),
  grants: [{ role: 'approver', estates: ['acme'], ...(approvalRoles && { approvalRoles }) }],
});

const callers: Readonly<Record<string, Caller>> = {
  bob: approver('bob', ['bob@acme.example']),
  cid: approver('cid', ['cid@acme.example']),
  bobAgain: approver('token-2', ['BOB@acme.example ']),
  bobTagged: approver('token-3', ['bob+ops@acme.example']),
  bobAndCid: approver('token-4', ['bob@acme.example', 'cid@acme.example']),
  forge: approver('forge', ['12+bob@users.noreply.github.com']),
  ci: approver('ci', []),
  oid: approver('oid', ['https://login.example#7']),
  oid2: approver('oid2', ['https://login.example#8']),
  dan: approver('dan', ['dan@acme.example'], ['dba']),
  eve: approver('eve', ['eve@acme.example'], ['dba', 'security']),
};

const ground = [network({ internet: false }), rule('https')];
const web = (tier: string, spec: Readonly<Record<string, unknown>> = {}) => machine('web', spec, { labels: { tier } });

const policy = (spec: object) => ({
  kind: 'Policy',
  metadata: { name: 'careful', owner: 'team-sec' },
  spec: { kinds: ['instance'], mode: 'enforce', ...spec },
});
const asks = (approvers: object, requireApproval = "action.verb != 'create'") =>
  policy({ rules: [{ name: 'two', requireApproval, approvers, message: 'Ask in #ops.' }] });

const laterMs = 700_000;
const author = ['ann@acme.example'];

async function bring(world: AnswersWorld, documents: readonly object[], estate: object = {}): Promise<void> {
  const after = (await world.store.generations.current('acme'))?.number ?? 0;
  await world.accept(documents, estate);
  const { revision } = (await world.store.generations.current('acme')) ?? assert.fail();
  await world.store.authors.record({ estate: 'acme', revision, after }, { names: author, more: false });
}

/** Everything done that the first documents say, and the next generation brought in and looked at. */
async function after(
  first: readonly object[],
  then: readonly object[],
  { estate = {}, next = estate }: { readonly estate?: object; readonly next?: object } = {},
): Promise<AnswersWorld> {
  const world = answersWorld(callers);
  await bring(world, first, estate);
  await world.reconcile();
  assert.equal(await world.store.fleet.rollouts.standing(where), 1);
  await world.clock.advance(laterMs);
  await bring(world, then, next);
  await world.reconcile();
  return world;
}

async function reconcile(world: FleetWorld): Promise<readonly string[]> {
  await world.clock.advance(laterMs);
  return (await world.reconcile()).writes;
}

const machinesOf = ({ cloud }: FleetWorld) => cloud.inspect.live().filter(({ type }) => type === 'instance');
const tierOf = (world: FleetWorld): unknown => machinesOf(world)[0]?.record.tags['tier'];

const offeredTo = async (world: AnswersWorld, who: string) =>
  JSON.parse((await world.api.ask(who, 'GET /v1/approvals')).text);

async function approves(world: AnswersWorld, ...people: readonly string[]): Promise<void> {
  for (const who of people) {
    const { status, text } = await approve(world, who);
    assert.equal(status, 201, text);
  }
}

const relabelled = (approvers: object) =>
  after([...ground, web('a'), asks(approvers)], [...ground, web('b'), asks(approvers)]);

describe('a change that a policy asks approvals for', () => {
  it('waits for enough approvers, and names the missing ones', async () => {
    const world = await relabelled({ people: 2 });
    assert.equal(tierOf(world), 'a');
    const offer = await offeredTo(world, 'bob');
    assert.deepEqual(
      offer.required.map(({ address: at, people, approvals }: typeof offer) => [at, people, approvals]),
      [[address, 2, []]],
    );
    const first = JSON.parse((await approve(world, 'bob')).text);
    assert.deepEqual([first.missing[0].approvals[0].actor, first.missing[0].people], ['bob', 2]);
    await reconcile(world);
    assert.equal(tierOf(world), 'a', 'one is not enough');
    const { findings } = JSON.parse((await world.api.ask('cid', 'POST /v1/plans', { body: { active: true } })).text);
    assert.match(
      findings.find(({ code }: { code: string }) => code === 'approvals').reason,
      /the rule two of the policy careful asks for approval \(Ask in #ops\.\): it needs approvals of 2 people\. 1 of 2 so far: bob until .*; another person must approve it/,
    );
    assert.equal((await offeredTo(world, 'cid')).required[0].approvals[0].actor, 'bob');
    const second = JSON.parse((await approve(world, 'cid')).text);
    assert.deepEqual(second.missing, []);
    await reconcile(world);
    assert.equal(tierOf(world), 'b');
  });

  const counted: readonly (readonly [string, readonly string[], object, boolean])[] = [
    ['two people', ['bob', 'cid'], { people: 2 }, true],
    ['one person twice', ['bob', 'bob'], { people: 2 }, false],
    ['another token of the same person, in other letters', ['bob', 'bobAgain'], { people: 2 }, false],
    ['the same person by an address with a tag', ['bob', 'bobTagged'], { people: 2 }, false],
    ['a token with the names of both, and one of them', ['bobAndCid', 'cid'], { people: 2 }, false],
    ['two, after a token with the names of both', ['bobAndCid', 'bob', 'cid'], { people: 2 }, false],
    ['two people without an address', ['oid', 'oid2'], { people: 2 }, true],
    ['a person with and one without an address, who may be the same', ['bob', 'oid'], { people: 2 }, false],
    ['nobody of the role', ['bob', 'cid'], { people: 1, role: 'dba' }, false],
    ['one of the role', ['dan'], { people: 1, role: 'dba' }, true],
    ['one of the role, and another', ['dan', 'bob'], { people: 2, role: 'dba' }, false],
    ['two of the role', ['dan', 'eve'], { people: 2, role: 'dba' }, true],
    ['one of another role too', ['eve'], { people: 1, role: 'security' }, true],
  ];
  for (const [name, people, approvers, passes] of counted)
    it(`${passes ? 'passes' : 'waits'} by ${name}`, async () => {
      const world = answersWorld(callers);
      await world.accept([...ground, web('a'), asks(approvers)]);
      await world.reconcile();
      await world.clock.advance(laterMs);
      await world.accept([...ground, web('b'), asks(approvers)]);
      await world.reconcile();
      await approves(world, ...people);
      await reconcile(world);
      assert.equal(tierOf(world), passes ? 'b' : 'a');
    });

  for (const who of ['forge', 'ci'])
    it(`does not count ${who}, who may be anybody`, async () => {
      const world = answersWorld(callers);
      await world.accept([...ground, web('a'), asks({ people: 1 })]);
      await world.reconcile();
      await world.clock.advance(laterMs);
      await world.accept([...ground, web('b'), asks({ people: 1 })]);
      await world.reconcile();
      await approves(world, who);
      await reconcile(world);
      assert.equal(tierOf(world), 'a');
      await approves(world, 'bob');
      await reconcile(world);
      assert.equal(tierOf(world), 'b');
    });

  it('does not count an approval on the store, and says so', async () => {
    const world = await relabelled({ people: 1 });
    const { digest, required } = await offeredTo(world, 'bob');
    const word = { estate: 'acme', scope: where.scope, generation: 2, digest, destroys: 0 };
    const by = { person: 'bob', reason: 'mine' };
    const until = world.clock.now() + 86_400_000;
    await world.store.fleet.approvals.give({ ...word, actions: [required[0].digest], by, until });
    await reconcile(world);
    assert.equal(tierOf(world), 'a');
    const { findings } = JSON.parse((await world.api.ask('cid', 'POST /v1/plans', { body: { active: true } })).text);
    assert.match(JSON.stringify(findings), /The approval by bob on the store does not count/);
  });
});

describe('approvals that a policy asks for', () => {
  it('waits where one of two withdraws, also while the call is about to be sent', async () => {
    for (const inFlight of [false, true]) {
      const world = await relabelled({ people: 2 });
      await approves(world, 'bob', 'cid');
      const [one] = await world.store.fleet.approvals.active(where);
      const by = { person: 'bob', reason: 'no' };
      const withdraw = () => world.store.fleet.approvals.withdraw('acme', one?.seq ?? 0, by);
      if (!inFlight) await withdraw();
      else before(world, 'observation', withdraw);
      await reconcile(world);
      assert.equal(tierOf(world), 'a', String(inFlight));
      await approves(world, 'bob');
      await reconcile(world);
      assert.equal(tierOf(world), 'b');
    }
  });

  it('waits where the approval of one of two has run out', async () => {
    const world = await relabelled({ people: 2 });
    assert.equal((await approve(world, 'bob', { expiresInSeconds: 60 })).status, 201);
    await world.clock.advance(61_000);
    await approves(world, 'cid');
    await reconcile(world);
    assert.equal(tierOf(world), 'a');
  });

  it('is done once: the same drift again needs both people again', async () => {
    const world = await relabelled({ people: 2 });
    await approves(world, 'bob', 'cid');
    await reconcile(world);
    assert.equal(tierOf(world), 'b');
    for (let n = 0; n < 2; n++) {
      world.meddle('a');
      await reconcile(world);
      assert.equal(tierOf(world), 'a');
    }
    await approves(world, 'bob', 'cid');
    await reconcile(world);
    assert.equal(tierOf(world), 'b');
  });

  it('waits in the next generation, whose policy no longer asks; approvals of the former one are void', async () => {
    const world = await relabelled({ people: 2 });
    await approves(world, 'bob', 'cid');
    await bring(world, [...ground, web('b')]);
    await reconcile(world);
    assert.equal(tierOf(world), 'a');
    assert.equal((await offeredTo(world, 'bob')).required[0].people, 2);
  });

  it('goes on with everything else, and is approved together with what its mode withholds', async () => {
    const first = [...ground, web('a'), asks({ people: 2 })];
    const world = await after(first, [
      network({ internet: false }, { labels: { tier: 'n' } }),
      rule('https'),
      web('b'),
      asks({ people: 2 }),
    ]);
    const tagged = () => world.cloud.inspect.live().find(({ type }) => type === 'network')?.record.tags['tier'];
    assert.deepEqual([tagged(), tierOf(world)], ['n', 'a']);
    const plan = { mode: 'plan' };
    const held = await after(first, [...ground, web('b'), asks({ people: 2 })], { next: plan });
    await approves(held, 'bob');
    await reconcile(held);
    assert.equal(tierOf(held), 'a');
    await approves(held, 'cid');
    await reconcile(held);
    assert.equal(tierOf(held), 'b');
  });

  it('waits for a pause, a window and a limit as well, with any approval', async () => {
    const world = await relabelled({ people: 2 });
    const held = { what: 'all', of: { by: 'estate' } } as const;
    const by = { person: 'zoe', reason: 'stop' };
    await world.store.fleet.pauses.begin('acme', { ...held, ...by, until: world.clock.now() + 86_400_000 });
    await approves(world, 'bob', 'cid');
    await reconcile(world);
    assert.equal(tierOf(world), 'a');
    await world.store.fleet.pauses.end('acme', held, by);
    await reconcile(world);
    assert.equal(tierOf(world), 'b');
  });
});

const sale = { name: 'sale', from: '2025-12-31T00:00', to: '2026-03-01T00:00', reason: 'the sale' };

describe('an approval that is withdrawn while its call is about to be sent', () => {
  it('sends nothing where one of two withdraws between the intent and its call', async () => {
    const world = await relabelled({ people: 2 });
    await approves(world, 'bob', 'cid');
    const [one] = await world.store.fleet.approvals.active(where);
    const { intend } = world.store.ledger;
    let intents = 0;
    Object.assign(world.store.ledger, {
      intend: async (...given: Parameters<typeof intend>) => {
        const answers = await intend(...given);
        intents += 1;
        if (intents === 1)
          await world.store.fleet.approvals.withdraw('acme', one?.seq ?? 0, { person: 'bob', reason: 'no' });
        return answers;
      },
    });
    await reconcile(world);
    assert.ok(intents > 0);
    assert.equal(tierOf(world), 'a');
  });
});

describe('an approval by break-glass', () => {
  const frozen = () => after([...ground, web('a')], [...ground, web('b')], { next: { mode: 'plan', freezes: [sale] } });
  const approving = async (world: AnswersWorld, who: string, breakGlass: boolean) => {
    const { digest, actions } = JSON.parse(
      (await world.api.ask(who, `GET /v1/approvals?breakGlass=${breakGlass}`)).text,
    );
    const body = { digest, reason: 'incident 4711', breakGlass };
    const { status, text } = await world.api.ask(who, 'POST /v1/approvals', { body });
    assert.equal(status, 201, text);
    return actions.length;
  };

  it('passes a freeze for its own actions, with an entry of its own in the ledger', async () => {
    const world = await frozen();
    assert.equal(await approving(world, 'bob', false), 1);
    await reconcile(world);
    assert.equal(tierOf(world), 'a', 'an approval alone passes none');
    assert.equal(await approving(world, 'cid', true), 1);
    await reconcile(world);
    assert.equal(tierOf(world), 'b');
    const notes: unknown[] = [];
    for await (const { body } of world.store.ledger.entries({ estate: 'acme' })) notes.push(body['note']);
    const said = JSON.stringify(notes.find((note) => JSON.stringify(note)?.includes('breakGlass":{')));
    assert.match(said, /"changes":1,.*frozen by sale: the sale.*"person":"cid",.*"reason":"incident 4711"/);
    world.meddle('z');
    await reconcile(world);
    assert.equal(tierOf(world), 'z', 'it was spent');
  });

  it('passes no pause, and no missing approval', async () => {
    const world = await after([...ground, web('a'), asks({ people: 2 })], [...ground, web('b'), asks({ people: 2 })], {
      next: { freezes: [sale] },
    });
    await approving(world, 'bob', true);
    await reconcile(world);
    assert.equal(tierOf(world), 'a');
    await approving(world, 'cid', false);
    await reconcile(world);
    assert.equal(tierOf(world), 'b', 'one of two said so');
  });
});

/** A machine that was under `protect`, and is not any more: applied, in the second generation. */
async function lifted(estate: object = {}): Promise<AnswersWorld> {
  const world = await after([...ground, web('a', { protect: true, ...toDelete })], [...ground, web('a', toDelete)], {
    estate,
  });
  assert.equal(await world.store.fleet.rollouts.standing(where), 2);
  return world;
}

const toDelete = { deletionPolicy: 'delete' };

const renamed = machine('api', toDelete, { was: ['web'], labels: { tier: 'a' } });

/** The ways to end the machine, each as the next generations. */
const ends: readonly (readonly [string, ...(readonly (readonly object[])[])])[] = [
  ['its document removed', ground],
  ['no replica', [...ground, web('a', { replicas: 0, ...toDelete })]],
  ['another image', [...ground, web('a', { image: 'img-2', ...toDelete })]],
  ['a new name, and then its document removed', [...ground, renamed], ground],
];

describe('an object whose protection was lifted', () => {
  for (const [name, ...generations] of ends)
    it(`needs two people to end, by ${name}`, async () => {
      const world = await lifted();
      const [before] = machinesOf(world);
      const stands = () => machinesOf(world).some(({ id }) => id === before?.id);
      for (const documents of generations) {
        await bring(world, documents);
        await reconcile(world);
      }
      await approves(world, 'bob');
      await reconcile(world);
      assert.ok(stands(), 'one is not enough');
      await approves(world, 'cid');
      for (let n = 0; n < 8; n++) await reconcile(world);
      assert.ok(!stands());
    });

  it('needs two people who both name it, where no spec asked for its end', async () => {
    const world = await lifted();
    const [before] = machinesOf(world);
    const stands = () => machinesOf(world).some(({ id }) => id === before?.id);
    await bring(world, [...ground, { ...renamed, spec: { ...renamed.spec, image: 'img-2' } }]);
    await reconcile(world);
    for (const [n, who] of ['bob', 'cid'].entries()) {
      assert.equal((await approve(world, who)).status, 201);
      const { text } = await world.api.ask(who, 'GET /v1/approvals?address=instance/api-0');
      const { digest } = JSON.parse(text);
      const body = { digest, reason: 'its data is saved', address: 'instance/api-0' };
      assert.equal((await world.api.ask(who, 'POST /v1/approvals', { body })).status, 201);
      for (let again = 0; again < 8; again++) await reconcile(world);
      assert.equal(stands(), n === 0);
    }
  });

  it('needs them where the protecting generation was never applied', async () => {
    const world = await after([...ground, web('a', toDelete)], [...ground, web('a', { protect: true, ...toDelete })]);
    const [before] = machinesOf(world);
    await bring(world, [...ground, web('b', toDelete)]);
    await bring(world, ground);
    await reconcile(world);
    await bring(world, [...ground, machine('other')]);
    await reconcile(world);
    assert.ok(machinesOf(world).some(({ id }) => id === before?.id));
  });

  it('is updated by nobody’s approval, and a machine that took its place is free', async () => {
    const world = await lifted();
    await bring(world, [...ground, web('b', toDelete)]);
    await reconcile(world);
    assert.equal(tierOf(world), 'b');
    await bring(world, [...ground, web('b', { image: 'img-2', ...toDelete })]);
    await reconcile(world);
    await approves(world, 'bob', 'cid');
    for (let n = 0; n < 8; n++) await reconcile(world);
    const [next] = machinesOf(world);
    await bring(world, ground);
    for (let n = 0; n < 8; n++) await reconcile(world);
    assert.ok(!machinesOf(world).some(({ id }) => id === next?.id), 'it was never protected');
  });
});

/** Does this just before a worker plans the second time. */
function before(world: AnswersWorld, _: 'observation', say: () => Promise<unknown>): void {
  const { record } = world.store.inventory;
  let said = false;
  Object.assign(world.store.inventory, {
    record: async (...given: Parameters<typeof record>) => {
      if (!said) {
        said = true;
        await say();
      }
      return record(...given);
    },
  });
}
