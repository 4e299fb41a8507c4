import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Grant } from '../../src/core/access/grant.ts';
import { callerOf } from '../http/api/support/api-world.ts';
import { inForce } from './support/change.ts';

const north: Grant = { role: 'planner', estates: ['acme'], targets: ['north'] };

describe('a kept plan', () => {
  const cases: readonly (readonly [what: string, made: readonly Grant[], now: readonly Grant[], isSeen: boolean])[] = [
    ['of all, by who is bounded now', [{ role: 'planner', estates: ['acme'] }], [north], false],
    [
      'of all, in every estate, by who is bounded to this one',
      [{ role: 'planner' }],
      [{ role: 'viewer', estates: ['acme'] }],
      true,
    ],
    ['of a target, by who sees more now', [north], [{ ...north, targets: ['south', 'north'] }], true],
    ['of a target, by who sees it as before', [north], [north], true],
    ['of a target, by who sees only an owner there', [north], [{ ...north, owners: ['team-web'] }], false],
    ['of a target, by who sees only another', [north], [{ ...north, targets: ['south'] }], false],
  ];
  for (const [what, made, now, isSeen] of cases)
    it(`${what}, is ${isSeen ? 'seen' : 'not seen'}`, async () => {
      const world = await inForce({
        before: callerOf('planner', { id: 'ann', grants: made }),
        after: callerOf('planner', { id: 'ann', grants: now }),
      });
      const { status, text } = await world.api.ask('before', 'POST /v1/plans', {
        body: { estate: 'acme', inForce: true },
      });
      assert.equal(status, 201, text);
      const { id } = JSON.parse(text);
      assert.equal((await world.api.ask('before', `GET /v1/plans/${id}`)).status, 200);
      assert.equal((await world.api.ask('after', `GET /v1/plans/${id}`)).status, isSeen ? 200 : 404);
      const listed = await world.api.ask('after', 'GET /v1/plans?estate=acme');
      assert.deepEqual(JSON.parse(listed.text).items.length, isSeen ? 1 : 0, listed.text);
    });
});
