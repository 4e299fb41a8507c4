import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heldAtDeath, type LeaseRow, processOf, takenOverAt } from '../../chaos/takeover.ts';

const held: LeaseRow = { holder: 'worker@here (process 42, 0a1b2c3d)', epoch: 7, since: 1_000, runs: true };

describe('the judge of takeovers', () => {
  it('names the process that holds a lease, and nobody where it was given back or ran out', () => {
    assert.equal(processOf(held), 42);
    assert.equal(processOf({ ...held, holder: '' }), undefined);
    assert.equal(processOf({ ...held, runs: false }), undefined);
    assert.equal(processOf(undefined), undefined);
  });

  it('counts a kill only where the killed process died with the lease', () => {
    assert.ok(heldAtDeath(held, held));
    assert.ok(!heldAtDeath(held, { ...held, holder: '', runs: false }), 'given back');
    assert.ok(!heldAtDeath(held, { ...held, runs: false }), 'run out');
    assert.ok(!heldAtDeath(held, { ...held, epoch: 8 }), 'taken anew by the same process');
    assert.ok(!heldAtDeath(held, { ...held, holder: 'worker@here (process 43, 0a1b2c3d)', epoch: 8 }));
    assert.ok(!heldAtDeath(held, undefined), 'the database was away');
  });

  it('takes the first write after the next one took the lease, not what the killed one had sent', () => {
    const next = { ...held, holder: 'worker@here (process 43, 0a1b2c3d)', epoch: 8, since: 12_000 };
    assert.equal(takenOverAt(held, next, [2_000, 2_150, 12_400, 12_500]), 12_400);
    assert.equal(takenOverAt(held, next, [2_000, 2_150]), undefined);
    assert.equal(takenOverAt(held, held, [2_000, 2_150]), undefined);
    assert.equal(takenOverAt(held, { ...held, holder: '', runs: false }, [2_150]), undefined);
  });
});
