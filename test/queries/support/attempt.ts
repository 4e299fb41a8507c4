import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../http/api/support/api-world.ts';
import { where } from '../../support/fleet-world.ts';
import { type AnswersWorld, tierOf, waiting } from './answers-world.ts';

/** Ways to get a change of ada's approved by ada, each tried in a world of its own. */
export interface Attempt {
  readonly way: string;
  readonly from?: () => Promise<AnswersWorld>;
  readonly status: number;
  try(world: AnswersWorld): Promise<Answer>;
}

/** Each answered so, with nothing of hers approved, and nothing of it done. */
export function refusedAttempts(attempts: readonly Attempt[]): void {
  for (const { way, from = waiting, status, try: attempt } of attempts)
    it(`is not approved ${way}`, async () => {
      const world = await from();
      const answer = await attempt(world);
      assert.equal(answer.status, status, answer.text);
      const given = await world.store.fleet.approvals.active(where);
      const hers = given.filter(({ by }) => by.person !== 'bob');
      assert.deepEqual(hers, []);
      if (given.length > 0) return;
      await world.reconcile();
      assert.equal(tierOf(world), 'a', 'nothing of it was done');
    });
}
