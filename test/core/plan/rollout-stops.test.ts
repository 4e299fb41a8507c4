import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput, Wanted } from '../../../src/core/plan/plan-input.ts';
import { type Failed, isSameRollout, rolloutsToStop } from '../../../src/core/plan/rollout-stops.ts';
import { at, scope, vpc, want } from './fixture.ts';
import { machines, standing, web } from './rollouts.ts';

const failure = (verb: Failed['verb'], name: string): Failed => ({
  verb,
  address: at('instance', name),
  message: 'no such image',
});
const two: PlanInput = machines({ replicas: 4, there: standing(0, 3, 'old'), rollout: [2, 'rest'] });
const ofTarget = ({ wanted, ...given }: PlanInput): PlanInput => {
  const documents = new Map([...wanted.documents].map(([address, { rollout: _, ...said }]) => [address, said]));
  return { ...given, wanted: { ...wanted, documents, rollout: [2, 'rest'] } };
};

const rows: readonly { name: string; given: PlanInput; failed: readonly Failed[]; want: readonly unknown[] }[] = [
  { name: 'nothing failed: nothing stops', given: two, failed: [], want: [] },
  {
    name: 'one failed: its rollout stops, and it is said why',
    given: two,
    failed: [failure('replace', 'web-1')],
    want: [{ document: web, why: 'replace instance web-1 failed: no such image' }],
  },
  {
    name: 'several failed: it stops once, with the first named',
    given: two,
    failed: [failure('replace', 'web-0'), failure('replace', 'web-1')],
    want: [{ document: web, why: 'replace instance web-0 failed (and 1 more): no such image' }],
  },
  {
    name: 'what failed was no action of this plan: nothing stops',
    given: two,
    failed: [failure('delete', 'web-1'), failure('replace', 'web-3')],
    want: [],
  },
  {
    name: 'healing failed: nothing stops',
    given: machines({ replicas: 2, there: standing(0, 1, 'new', { relabelled: true }), rollout: [1, 'rest'] }),
    failed: [failure('update', 'web-0')],
    want: [],
  },
  {
    name: 'what goes out without waves failed: nothing stops',
    given: machines({ replicas: 2, there: [], rollout: ['rest'] }),
    failed: [failure('create', 'web-0')],
    want: [],
  },
  {
    name: 'the rollout of a target failed: it stops for the scope',
    given: ofTarget(two),
    failed: [failure('replace', 'web-0')],
    want: [{ document: scope, why: 'replace instance web-0 failed: no such image' }],
  },
];

describe('rollouts that stop', () => {
  for (const { name, given, failed, want: expected } of rows)
    it(name, () =>
      assert.deepEqual(rolloutsToStop(plan(given).actions, failed, { wanted: given.wanted, scope }), expected),
    );
});

describe('a rollout that stopped under an earlier generation', () => {
  const then = machines({ replicas: 4, there: [] }).wanted;
  const stopped = { document: web, why: '' };
  const alsoLab: Wanted = { ...then, desired: [...then.desired, want('network', 'lab', vpc())] };
  const otherwise: Wanted = {
    ...then,
    desired: then.desired.map((one) =>
      'machine' in one.attributes ? { ...one, attributes: { ...one.attributes, labels: { tier: 'x' } } } : one,
    ),
  };
  const fewer = machines({ replicas: 3, there: [] }).wanted;
  const { desired, ...others } = then;
  const gone: Wanted = { ...others, desired: desired.filter(({ kind }) => kind !== 'instance'), documents: new Map() };

  it('stays stopped while its document asks for the same, whatever else changes', () => {
    assert.ok(isSameRollout(stopped, then, { ...then, desired: then.desired.toReversed() }));
    assert.ok(isSameRollout(stopped, then, alsoLab));
  });
  it('is another one once its document asks for something else', () => {
    assert.ok(!isSameRollout(stopped, then, otherwise));
    assert.ok(!isSameRollout(stopped, then, fewer));
    assert.ok(!isSameRollout(stopped, then, gone));
  });
  it('of a target is another one with any change in the scope', () => {
    assert.ok(isSameRollout({ document: scope, why: '' }, then, then));
    assert.ok(!isSameRollout({ document: scope, why: '' }, then, alsoLab));
  });
});
