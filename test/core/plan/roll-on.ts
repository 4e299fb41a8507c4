import assert from 'node:assert/strict';
import type { Action, ScopePlan } from '../../../src/core/action.ts';
import type { Desired } from '../../../src/core/desired.ts';
import type { Applied, Knowledge, Settled } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput, Wanted } from '../../../src/core/plan/plan-input.ts';
import type { Address } from '../../../src/core/resource.ts';
import { input, looked, mark, settle } from './fixture.ts';

/** A scope that does at once, and wholly, whatever is planned. An object's id is its address. */
export interface Scope {
  readonly there: ReadonlyMap<Address, Observed>;
  readonly applied: ReadonlyMap<Address, Applied>;
}

export const emptyScope: Scope = { there: new Map(), applied: new Map() };

/** A scope in which all of this stands, as applied. */
export const holding = (desired: readonly Desired[]): Scope => ({
  there: new Map(desired.map((one) => [one.address, seen(one)])),
  applied: new Map(desired.map((one) => [one.address, appliedAs(one)])),
});

const appliedAs = ({ attributes, documents }: Desired): Applied => ({
  attributes,
  generation: 1,
  documents: documents.map(({ address }) => address),
});

function seen({ kind, address, name, attributes }: Desired): Observed {
  const container = 'group' in attributes ? attributes.group : undefined;
  const signs = container === undefined ? { mark: mark(address) } : { container };
  return { kind, id: address, name, attributes, signs, condition: { state: 'ready' } };
}

export function planOf(wanted: Wanted, { there, applied }: Scope): ScopePlan {
  const observation = looked([...there.values()]);
  const settled = new Map<string, Settled>(
    [...there.values()].map(({ id, kind }) => [
      id,
      settle(kind, id, { deletionPolicy: kind === 'firewall-rule' ? 'delete' : 'retain' }),
    ]),
  );
  const knowledge: Knowledge = { estate: 'acme', store: 's1', settled, pending: [], applied, unstuck: new Map() };
  const given: PlanInput = { ...input([], observation, { knowledge }), wanted };
  return plan(given);
}

export function carryOut(actions: readonly Action[], scope: Scope): Scope {
  const there = new Map(scope.there);
  const applied = new Map(scope.applied);
  for (const action of actions) {
    if (action.verb === 'delete') {
      there.delete(action.address);
      applied.delete(action.address);
    } else if (action.verb !== 'forget') {
      there.set(action.address, seen(action.desired));
      applied.set(action.address, appliedAs(action.desired));
    }
  }
  return { there, applied };
}

export interface Pass {
  readonly before: Scope;
  readonly plan: ScopePlan;
}

/** Pass after pass until one has nothing to do; what is left undone then is in the last of them. */
export function rollOn(wanted: Wanted, from: Scope, most = 200): readonly Pass[] {
  const passes: Pass[] = [];
  for (let before = from; passes.length < most; ) {
    const made = planOf(wanted, before);
    passes.push({ before, plan: made });
    if (made.actions.length === 0) return passes;
    before = carryOut(made.actions, before);
  }
  return assert.fail(`not done after ${most} passes`);
}
