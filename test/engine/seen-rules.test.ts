import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Action } from '../../src/core/action.ts';
import type { Order } from '../../src/core/order/order.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Outcome } from '../../src/engine/ports.ts';
import { schedule } from '../../src/engine/schedule.ts';
import { create, desired, observed, attributes as of, remove } from '../support/actions.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** New rules, and old ones of which each waits for some of the new. */
interface Plan {
  /** How long each creation takes, in ms. */
  readonly takes: readonly number[];
  /** By old rule: positions of the new ones that carry its traffic. */
  readonly waits: readonly (readonly number[])[];
  /** New rules that no listing shows. */
  readonly hidden: ReadonlySet<number>;
}

const plans: fc.Arbitrary<Plan> = fc.integer({ min: 2, max: 5 }).chain((news) =>
  fc.record({
    takes: fc.array(fc.constantFrom(1, 10, 500), { minLength: news, maxLength: news }),
    waits: fc.array(fc.subarray([...Array(news).keys()], { minLength: 1 }), { minLength: 1, maxLength: 4 }),
    hidden: fc.subarray([...Array(news).keys()]).map((all) => new Set(all)),
  }),
);

const newRule = (at: number): Action => create(desired('firewall-rule', `new${at}`, of.rule('core.web')));
const oldRule = (at: number): Action =>
  remove(`old${at}`, observed('firewall-rule', `sgr-old${at}`, of.rule('core.web')));

function orderOf({ takes, waits }: Plan): Order {
  const steps = takes.length + waits.length;
  return {
    steps: [
      ...takes.map((_, at) => ({ action: newRule(at), needs: [], follows: [] })),
      ...waits.map((_, at) => ({ action: oldRule(at), needs: [steps + at], follows: [] })),
    ],
    gates: waits.map((needs) => ({ seen: true, needs, follows: [] })),
  };
}

/** The old rules that went, each with the new ones that the cloud had shown by then. */
async function gone(plan: Plan): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const clock = virtualClock();
  const shown = new Set<string>();
  const went = new Map<number, ReadonlySet<string>>();
  let looks = 0;
  const perform = async ({ actions }: { readonly actions: readonly Action[] }): Promise<readonly Outcome[]> => {
    for (const action of actions) {
      const [, old] = /old(\d+)$/.exec(action.address) ?? [];
      if (old !== undefined) went.set(Number(old), new Set(shown));
      const [, made] = /new(\d+)$/.exec(action.address) ?? [];
      if (made !== undefined) await clock.sleep(plan.takes[Number(made)] ?? 0);
    }
    return actions.map((action) => ({
      as: 'done',
      ...('desired' in action ? { observed: observed('firewall-rule', action.address, of.rule('core.web')) } : {}),
    }));
  };
  const verify = async (ids: ReadonlySet<CloudId>): Promise<ReadonlySet<CloudId>> => {
    assert.ok(++looks <= 50, 'it looks for ever for what the cloud does not show');
    await clock.sleep(5);
    const seen = [...ids].filter((id) => !plan.hidden.has(Number(/\d+$/.exec(id)?.[0])));
    for (const id of seen) shown.add(id.replace(/^.*new/, ''));
    return new Set(seen);
  };
  const { signal: waits } = new AbortController();
  const limits = { 'firewall-rule/create': 1, 'firewall-rule/delete': 1 };
  await clock.run(() => schedule({ order: orderOf(plan), limits, waits, perform, verify }));
  return went;
}

it('an old rule goes exactly when the cloud has shown every new one that it waits for, never after some of them', () =>
  fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const went = await gone(plan);
      for (const [at, needs] of plan.waits.entries()) {
        const shownThen = went.get(at);
        const mayGo = needs.every((made) => !plan.hidden.has(made));
        assert.equal(shownThen !== undefined, mayGo, `old${at}`);
        for (const made of shownThen === undefined ? [] : needs) assert.ok(shownThen?.has(`${made}`), `old${at}`);
      }
    }),
    { numRuns: 300, seed: 1 },
  ));
