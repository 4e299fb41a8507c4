import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Grant } from '../../src/core/access/grant.ts';
import { callerOf } from '../http/api/support/api-world.ts';
import { where } from '../support/fleet-world.ts';
import type { AnswersWorld } from './support/answers-world.ts';
import { approve, bringIn, inForce, labelled, tierOf } from './support/change.ts';

const withGrants = (id: string, ...grants: readonly Grant[]) =>
  callerOf('approver', { id, person: id, grants: grants.map((grant) => ({ estates: ['acme'], ...grant })) });

const callers = {
  web: withGrants('web', { role: 'approver', owners: ['team-web'] }),
  webSeesAll: withGrants('seer', { role: 'approver', owners: ['team-web'] }, { role: 'viewer' }),
  here: withGrants('here', { role: 'approver', targets: ['here'] }),
  operator: withGrants('operator', { role: 'operator' }),
  elsewhere: withGrants('elsewhere', { role: 'approver', estates: ['other'] }),
};

/** A label of a machine waits; bob let it pass, and no pass ran since. */
async function approved(): Promise<AnswersWorld & { readonly seq: number }> {
  const world = await inForce(callers);
  await bringIn(world, labelled('b'), ['root@acme.example']);
  await world.pass();
  assert.equal((await approve(world, 'bob')).status, 201);
  const [approval] = await world.store.fleet.approvals.inForce(where);
  return { ...world, seq: approval?.seq ?? -1 };
}

const withdraw = ({ api, seq }: Awaited<ReturnType<typeof approved>>, who: string, more: object = {}) =>
  api.ask(who, 'POST /v1/approvals/withdraw', { body: { seq, reason: 'the image is broken', ...more } });

/** Who asks, and the answer. */
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
      assert.equal((await world.store.fleet.approvals.inForce(where)).length, status === 200 ? 0 : 1);
      await world.pass();
      assert.equal(tierOf(world), status === 200 ? 'a' : 'b');
    });

  it('asks for a pass, names the approval, and counts the calls that are still on the way', async () => {
    const world = await approved();
    const { text } = await withdraw(world, 'bob');
    const { estate, approval, onTheWay } = JSON.parse(text);
    assert.deepEqual([estate, approval.seq, approval.person, onTheWay], ['acme', world.seq, 'bob', 0]);
    assert.match((await world.store.fleet.requests.pulse(where)).reason ?? '', /^bob withdrew an approval: the image/);
  });

  it('is refused for what is no approval, or no longer one', async () => {
    const world = await approved();
    assert.equal((await withdraw(world, 'bob', { seq: world.seq + 1000 })).status, 404);
    assert.equal((await withdraw(world, 'bob', { reason: ' ' })).status, 400);
    assert.equal((await withdraw(world, 'bob')).status, 200);
    assert.equal((await withdraw(world, 'bob')).status, 404);
  });
});
