import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Action, Batch } from '../../src/core/action.ts';
import { nobodyAround } from '../../src/core/order/neighbours.ts';
import { type Order, order } from '../../src/core/order/order.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { schedule } from '../../src/engine/execute.ts';
import type { Outcome } from '../../src/engine/ports.ts';
import { create, desired, observed, attributes as of, remove } from '../support/actions.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const nameOf = ({ address }: Action): string => address.split('/').at(-1) ?? '';
const failed: Outcome = { as: 'failed', failure: { kind: 'terminal', code: 'Denied', message: 'no' } };
const done = (action: Action): Outcome => ({
  as: 'done',
  ...('desired' in action
    ? { observed: observed(action.kind, `id of ${nameOf(action)}`, action.desired.attributes) }
    : {}),
});

interface Play {
  readonly fails?: readonly string[];
  readonly takesMs?: Readonly<Record<string, number>>;
  readonly verified?: (ids: readonly string[]) => readonly string[];
  readonly stopAfter?: string;
}

/** Starts and ends in the order they happened: `+web` `-web`, `verify id of new1`; then every outcome. */
async function play(actions: readonly Action[], { fails = [], takesMs = {}, verified, stopAfter }: Play = {}) {
  const clock = virtualClock();
  const log: string[] = [];
  const stop = new AbortController();
  const perform = async ({ actions: batch }: Batch): Promise<readonly Outcome[]> => {
    const names = batch.map(nameOf);
    log.push(`+${names.join(' ')}`);
    await clock.sleep(takesMs[names[0] ?? ''] ?? 10);
    log.push(`-${names.join(' ')}`);
    if (stopAfter !== undefined && names.includes(stopAfter)) stop.abort(new Error('shutdown'));
    return batch.map((action) => (fails.includes(nameOf(action)) ? failed : done(action)));
  };
  const verify = async (made: ReadonlySet<CloudId>): Promise<ReadonlySet<CloudId>> => {
    const ids = [...made].toSorted();
    log.push(`verify ${ids.map((id) => id.replace('id of ', '')).join(' ')}`);
    return new Set(verified ? verified(ids) : ids);
  };
  const limits = { 'firewall-rule/create': 100, 'firewall-rule/delete': 100 };
  const outcomes = await clock.run(() =>
    schedule({ order: order(actions, nobodyAround), limits, waits: stop.signal, perform, verify }),
  );
  return { log, outcomes: Object.fromEntries(actions.map((action, i) => [nameOf(action), outcomes[i]?.as])) };
}

const network = create(desired('network', 'core', of.network()));
const subnet = create(desired('subnet', 'core.app', of.subnet()));
const other = create(desired('subnet', 'core.data', of.subnet('core', '10.0.2.0/24')));
const group = create(desired('group', 'core.web', of.group()));
const machine = create(desired('instance', 'web-0', of.instance()));
const rule = (name: string, container = 'core.web'): Action =>
  create(desired('firewall-rule', name, of.rule(container)));
const oldRule = (name: string, container = 'core.web'): Action =>
  remove(name, observed('firewall-rule', `sgr-${name}`, of.rule(container)));

describe('schedule', () => {
  it('starts what may start, and what waits for it as soon as that has ended', async () => {
    const { log } = await play([network, subnet, other, group, machine], { takesMs: { 'core.data': 1000 } });
    assert.deepEqual(log.slice(0, 2), ['+core', '-core']);
    assert.ok(log.indexOf('+web-0') < log.indexOf('-core.data'), 'a slow branch holds up no other');
    assert.ok(log.indexOf('+web-0') > log.indexOf('-core.app') && log.indexOf('+web-0') > log.indexOf('-core.web'));
  });

  it('when one fails, what rests on it is withheld and all else goes on', async () => {
    const { outcomes } = await play([network, subnet, other, group, machine], { fails: ['core.web'] });
    assert.deepEqual(outcomes, {
      core: 'done',
      'core.app': 'done',
      'core.data': 'done',
      'core.web': 'failed',
      'web-0': 'withheld',
    });
  });

  it('takes a rule away only after a look that found its own successor', async () => {
    const { log, outcomes } = await play([
      rule('new1'),
      rule('new2', 'core.db'),
      oldRule('old1'),
      oldRule('old2', 'core.db'),
    ]);
    for (const [made, gone] of [
      ['new1', '+old1'],
      ['new2', '+old2'],
    ] as const) {
      const looked = log.findIndex((line) => line.startsWith('verify') && line.includes(made));
      const left = log.findIndex((line) => line.includes(gone.slice(1)) && line.startsWith('+'));
      assert.ok(log.indexOf(`-${made}`) < looked && looked < left, log.join('; '));
    }
    assert.deepEqual(outcomes, { new1: 'done', new2: 'done', old1: 'done', old2: 'done' });
  });

  it('a slow creation holds up those alone that it succeeds', async () => {
    const { log } = await play([rule('new1'), rule('new2', 'core.db'), oldRule('old1'), oldRule('old2', 'core.db')], {
      takesMs: { new2: 30_000 },
    });
    assert.ok(log.indexOf('-old1') < log.indexOf('-new2'), log.join('; '));
  });

  it('looks a few times for many successors that come one by one, and never for one alone while many come', async () => {
    const groups = Array.from({ length: 64 }, (_, i) => `core.g${i}`);
    const takesMs = Object.fromEntries(groups.map((_, i) => [`new${i}`, 10 + i]));
    const { log, outcomes } = await play(
      groups.flatMap((group, i) => [rule(`new${i}`, group), oldRule(`old${i}`, group)]),
      { takesMs },
    );
    assert.ok(Object.values(outcomes).every((as) => as === 'done'));
    const looks = log.filter((line) => line.startsWith('verify')).length;
    assert.ok(looks <= 16, `${looks} looks`);
  });

  it('a rule whose successor was not seen stays; another goes', async () => {
    const { outcomes } = await play(
      [rule('new1'), rule('new2', 'core.db'), oldRule('old1'), oldRule('old2', 'core.db')],
      {
        verified: () => ['id of new2'],
      },
    );
    assert.deepEqual(outcomes, { new1: 'done', new2: 'done', old1: 'withheld', old2: 'done' });
  });

  it('a rule without a successor waits for nobody', async () => {
    const { log } = await play([oldRule('old1'), rule('new2', 'core.db')]);
    assert.deepEqual(log.slice(0, 2).toSorted(), ['+new2', '+old1']);
    assert.ok(!log.some((line) => line.startsWith('verify')));
  });
});

describe('schedule, at its edges', () => {
  it('after a stop nothing more starts, and what runs is awaited', async () => {
    const { log, outcomes } = await play([network, subnet, group], { stopAfter: 'core' });
    assert.deepEqual(log, ['+core', '-core']);
    assert.deepEqual(outcomes, { core: 'done', 'core.app': 'unsent', 'core.web': 'unsent' });
  });

  it('at most sixteen of a kind at once, and they hold back no other kind', async () => {
    const groups = Array.from({ length: 40 }, (_, i) => create(desired('group', `core.g${i}`, of.group())));
    const { log } = await play([...groups, create(desired('subnet', 'core.app', of.subnet()))]);
    const first = log.findIndex((line) => line.startsWith('-'));
    assert.deepEqual([first, log.slice(0, first).includes('+core.app')], [17, true]);
  });

  it('when one crashes, the others land before the crash is passed on', async () => {
    const clock = virtualClock();
    let landed = 0;
    const running = clock.run(() =>
      schedule({
        order: order([subnet, other], nobodyAround),
        limits: {},
        waits: new AbortController().signal,
        perform: async ({ actions }) => {
          if (actions[0] === subnet) throw new Error('the store is gone');
          await clock.sleep(50);
          landed += 1;
          return [done(other)];
        },
        verify: async () => new Set(),
      }),
    );
    await assert.rejects(running, /the store is gone/);
    assert.equal(landed, 1);
  });
});

/** New rules, and old ones of which each waits for some of the new. */
interface Plan {
  /** The duration of each creation, in ms. */
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
const seenOldRule = (at: number): Action =>
  remove(`old${at}`, observed('firewall-rule', `sgr-old${at}`, of.rule('core.web')));

function orderOf({ takes, waits }: Plan): Order {
  const steps = takes.length + waits.length;
  return {
    steps: [
      ...takes.map((_, at) => ({ action: newRule(at), needs: [], follows: [] })),
      ...waits.map((_, at) => ({ action: seenOldRule(at), needs: [steps + at], follows: [] })),
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
