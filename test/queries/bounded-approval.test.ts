import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { type AnswersWorld, answersWorld, machine } from './support/answers-world.ts';
import { approve, bringIn, offered, people } from './support/change.ts';

const of = (owners: readonly string[] | undefined) =>
  callerOf('approver', {
    identities: ['w@acme.example'],
    grants: [
      { role: 'approver', estates: ['acme'], ...(owners === undefined ? {} : { owners }) },
      { role: 'viewer', estates: ['acme'] },
    ],
  });

const callers = { ...people, web: of(['team-web']), db: of(['team-db']), both: of(['team-web', 'team-db']) };

const owned = (owner: string | undefined, tier: string) => [
  network({ internet: false }),
  rule('https'),
  machine('web', {}, { ...(owner === undefined ? {} : { owner }), labels: { tier } }),
];

/** In force as the first owner's, and a change waits that takes it over to the second. */
async function takenOver(first: string | undefined, second: string | undefined): Promise<AnswersWorld> {
  const world = answersWorld(callers);
  await bringIn(world, owned(first, 'a'), ['root@acme.example']);
  await world.pass();
  assert.equal((await approve(world, 'bob')).status, 201);
  await world.pass();
  await world.clock.advance(1_000);
  await bringIn(world, owned(second, 'b'), ['root@acme.example']);
  await world.pass();
  return world;
}

describe('an offer to who is bounded to an owner', () => {
  it('counts what goes without them, and tells what was approved, of nobody else', async () => {
    const world = answersWorld(callers);
    await bringIn(world, owned('team-db', 'a'), ['root@acme.example']);
    await world.pass();
    assert.equal((await approve(world, 'bob')).status, 201);
    const told = async (who: string) => {
      const { text } = await world.api.ask(who, 'GET /v1/approvals');
      const { free, approvals } = JSON.parse(text);
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
