import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planInput } from '../../bench/plan-100k/input.ts';
import { plan } from '../../src/core/plan/plan.ts';

describe('bench: plan-100k', () => {
  it('its specs are right by every check, and a hundred resources a network', () => {
    const { desired } = planInput(10).wanted;
    assert.ok(desired.length >= 1000, `${desired.length}`);
    assert.equal(new Set(desired.map(({ kind }) => kind)).size, 5);
    assert.equal(desired.filter(({ kind }) => kind === 'instance').length, 500);
  });

  it('of a hundred resources some are gone, some differ, and nothing is blocked', () => {
    const { actions, findings } = plan(planInput(10));
    const verbs = new Set(actions.map(({ verb }) => verb));
    assert.ok(verbs.has('create') && verbs.has('update'), [...verbs].join());
    assert.ok(actions.length >= 20 && actions.length <= 100, `${actions.length}`);
    assert.deepEqual([...new Set(findings.map(({ type }) => type))], ['unmanaged']);
  });
});
