import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../src/core/action.ts';
import { convergenceState } from '../../src/engine/converge.ts';
import { storeTimeOf } from '../../src/engine/execute.ts';
import type { Executed } from '../../src/engine/ports.ts';
import { create, desired, observed, attributes as of, remove, update } from '../support/actions.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const network = create(desired('network', 'core', of.network()));
const subnet = create(desired('subnet', 'core.app', of.subnet()));
const other = create(desired('network', 'lab', of.network()));
const relabel = (to: string): Action =>
  update(desired('network', 'core', of.network()), observed('network', 'net-1', of.network()), [
    { field: 'labels.tier', to },
  ]);
const rule = create(desired('firewall-rule', 'new', of.rule('core.web')));
const oldRule = remove('old', observed('firewall-rule', 'sgr-1', of.rule('core.web')));

const nothing: Executed = { settled: [], failed: [], findings: [], next: 'done', calls: { reads: 0, writes: 0 } };
const failing = (action: Action, expected: 'person' | 'next-reconcile'): Executed => {
  const { kind, verb, address } = action;
  const failure = { kind: 'terminal', code: 'Denied', message: 'no' } as const;
  return { ...nothing, failed: [{ kind, verb, address, failure, expected }] };
};
const settling = (action: Action): Executed => {
  const { kind, verb, address } = action;
  return { ...nothing, settled: [{ kind, verb, address }] };
};

const sorted = (one: ReturnType<typeof convergenceState>, actions: readonly Action[]) => {
  const { actions: todo, echoes, givenUp } = one.sort({ actions });
  const names = (of: readonly Action[]): string => of.map(({ address }) => address.split('/').at(-1)).join(' ');
  return { todo: names(todo), echoes: names(echoes), givenUp: names(givenUp) };
};

describe('memo', () => {
  it('knows nothing at first', () => {
    assert.deepEqual(sorted(convergenceState(virtualClock()), [network, subnet]), {
      todo: 'core core.app',
      echoes: '',
      givenUp: '',
    });
  });

  it('what a person must mend is not sent again, nor what rests on it', () => {
    const one = convergenceState(virtualClock());
    one.learn([network, subnet, other], failing(network, 'person'));
    assert.deepEqual(sorted(one, [network, subnet, other]), { todo: 'lab', echoes: '', givenUp: 'core core.app' });
  });

  it('what may go well the next time is', () => {
    const one = convergenceState(virtualClock());
    one.learn([network], failing(network, 'next-reconcile'));
    assert.equal(sorted(one, [network]).todo, 'core');
  });

  it('a removal that is refused again and again, for a while, is given up; a change is not', async () => {
    for (const [action, after] of [
      [oldRule, { todo: '', echoes: '', givenUp: 'old' }],
      [network, { todo: 'core', echoes: '', givenUp: '' }],
    ] as const) {
      const clock = virtualClock();
      const one = convergenceState(clock);
      const clash = () => {
        const { kind, verb, address } = action;
        const failure = { kind: 'conflict', code: 'InUse', message: 'x' } as const;
        one.learn([action], { ...nothing, failed: [{ kind, verb, address, failure, expected: 'next-reconcile' }] });
      };
      for (let i = 0; i < 5; i++) clash();
      assert.equal(sorted(one, [action]).givenUp, '', 'a while has not gone by');
      await clock.run(() => clock.sleep(20_000, new AbortController().signal));
      clash();
      assert.deepEqual(sorted(one, [action]), after);
    }
  });

  it('what the limits refused waits for an approval', () => {
    const one = convergenceState(virtualClock());
    const { kind, address, verb } = oldRule;
    const finding = { type: 'withheld', kind, address, action: verb, code: 'limit', why: 'full', scope: 's' } as const;
    one.learn([oldRule], { ...nothing, findings: [finding] });
    assert.equal(sorted(one, [oldRule]).givenUp, 'old');
  });

  it('what a newer generation has overtaken is not tried again', () => {
    const one = convergenceState(virtualClock());
    const { kind, address, verb } = oldRule;
    const finding = { type: 'withheld', kind, address, action: verb, code: 'stale', why: 'newer', scope: 's' } as const;
    one.learn([oldRule], { ...nothing, findings: [finding] });
    assert.equal(sorted(one, [oldRule]).givenUp, 'old');
  });

  it('an atom stays where the new one is given up', () => {
    const one = convergenceState(virtualClock());
    one.learn([rule, oldRule], failing(rule, 'person'));
    assert.deepEqual(sorted(one, [rule, oldRule]), { todo: '', echoes: '', givenUp: 'new old' });
  });

  it('what was done a moment ago is an echo of a listing that lags, for a minute', async () => {
    const clock = virtualClock();
    const one = convergenceState(clock);
    one.learn([relabel('a')], settling(relabel('a')));
    assert.equal(sorted(one, [relabel('a')]).echoes, 'core');
    assert.equal(sorted(one, [relabel('b')]).todo, 'core', 'another change is no echo');
    await clock.advance(60_000);
    assert.equal(sorted(one, [relabel('a')]).todo, 'core');
  });
});

describe('the moment by the store’s clock', () => {
  for (const aheadMs of [-200_000, 0, 200_000])
    it(`is known to a worker whose clock is ahead by ${aheadMs} ms`, () => {
      let store = 1_000_000;
      const clock = { now: () => store + aheadMs };
      const readFrom = clock.now();
      store += 400;
      const knowledge = { readAt: store };
      store += 700; // why: the answer of the store takes its time
      const { storeTime } = storeTimeOf({ knowledge, readFrom }, clock);
      store += 5_000;
      const { earliest = Number.NaN, latest = Number.NaN } = storeTime?.() ?? {};
      assert.ok(earliest <= store && store <= latest, `${earliest} <= ${store} <= ${latest}`);
      assert.deepEqual([store - earliest, latest - store], [700, 400]);
    });

  it('is not known without a store', () => {
    assert.deepEqual(storeTimeOf({ knowledge: {} }, { now: () => 1 }), {});
  });
});
