import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action, ScopePlan } from '../../../src/core/action.ts';
import { actionDigest, type Hash } from '../../../src/core/digest.ts';
import type { Birth, Knowledge, PendingIntent } from '../../../src/core/knowledge.ts';
import { noCount, stricterLimits } from '../../../src/core/limits.ts';
import { type CostBounds, costBounds, costCount, countedCost } from '../../../src/core/plan/cost-limit.ts';
import { planEstate } from '../../../src/core/plan/estate.ts';
import { approvedBy, pauseHold } from '../../../src/core/plan/holds.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import type { InstanceAttributes } from '../../../src/core/resource.ts';
import { at, ground, input, know, looked, ours, settle, summary, want, wantedGround } from './fixture.ts';

/** A small machine with its disk costs 74 a month, a large one 147, a stopped one 1. */
const prices = {
  currency: 'USD',
  prices: [
    { provider: 'aws', size: 'small', perHour: 0.1 },
    { provider: 'aws', size: 'large', perHour: 0.2 },
    { provider: 'aws', diskType: 'gp3', perGbMonth: 0.1 },
    { provider: 'aws', publicIp: true, perHour: 0.01 },
  ],
} as const;

const subnet = at('subnet', 'core.app');
const machine = (size: string, more: Partial<InstanceAttributes> = {}): InstanceAttributes => ({
  placement: { subnet, publicIp: false },
  machine: { image: 'img', size, power: 'running' },
  disk: { size: 10, type: 'gp3' },
  labels: {},
  ...more,
});
const stopped = (size: string) => machine(size, { machine: { image: 'img', size, power: 'stopped' } });

interface Machines {
  readonly want?: readonly InstanceAttributes[];
  readonly there?: readonly (InstanceAttributes | undefined)[];
  /** As applied last; default: as they stand. */
  readonly applied?: readonly InstanceAttributes[];
  readonly knowledge?: Partial<Knowledge>;
  readonly gaps?: boolean;
  readonly readAt?: number;
}

const named = (n: number): string => `web-${n}`;

/** Machines of one document in a network; a hole in `there` is a machine that this store settled and nobody sees. */
function scopeWith({ want: wanted = [], there = [], applied, knowledge, gaps = false, readAt }: Machines): PlanInput {
  const placed = (one: InstanceAttributes) => ({ ...one, placement: { ...one.placement, subnet: 'subnet-1' } });
  const seen = there.flatMap((one, n) =>
    one === undefined ? [] : [ours('instance', named(n), `i-${n}`, placed(one))],
  );
  const resources = [...ground, ...seen];
  const settled = new Map([
    ...know(resources).settled,
    ...there.map((_, n) => [`i-${n}`, settle('instance', at('instance', named(n)))] as const),
  ]);
  const last = (applied ?? there).flatMap((one, n) =>
    one === undefined ? [] : [[at('instance', named(n)), { attributes: one, generation: 1 }] as const],
  );
  const pending = there.flatMap((one, n) => (one === undefined && !gaps ? [`i-${n}`] : []));
  const gap = { kind: 'instance', code: 'failed', reason: 'no' } as const;
  const observation = looked(resources, { pending, gaps: gaps ? [gap] : [] });
  const known = know(resources, { settled, applied: new Map(last), ...(readAt === undefined ? {} : { readAt }) });
  const desired = wanted.map((one, n) => want('instance', named(n), one));
  return input([...wantedGround, ...desired], observation, { knowledge: { ...known, ...knowledge } });
}

const plansOf = (
  scopes: readonly PlanInput[],
  monthly: number,
  more: Partial<CostBounds> & { readonly allowCost?: number } = {},
): readonly ScopePlan[] => {
  const { allowCost, ...cost } = more;
  return planEstate(scopes, {
    limits: { deletes: 99, replaces: 99 },
    spent: { generation: noCount, healing: noCount },
    owned: 0,
    cost: { ...costBounds({ monthly, currency: 'USD' }, prices), ...cost },
    ...(allowCost === undefined ? {} : { allowCost }),
  });
};

const whysOf = (plans: readonly ScopePlan[]): readonly string[] =>
  plans.flatMap(({ findings }) => findings.flatMap((found) => (found.type === 'withheld' ? [found.why] : [])));

const two = [machine('small'), machine('small')];
const unknown = machine('t3.xyz');

const cases: ReadonlyArray<{
  readonly name: string;
  readonly given: readonly PlanInput[];
  readonly most: number;
  readonly more?: Parameters<typeof plansOf>[2];
  readonly want: readonly string[];
}> = [
  {
    name: 'up to the limit machines are launched',
    given: [scopeWith({ want: two })],
    most: 148,
    want: ['create instance/web-0', 'create instance/web-1'],
  },
  {
    name: 'over it none of them is, and the rest goes on',
    given: [
      scopeWith({
        want: [...two, machine('small', { labels: { tier: 'new' } })],
        there: [machine('small', { labels: { tier: 'old' } })],
      }),
    ],
    most: 147.99,
    want: ['update instance/web-0', 'withheld instance/web-1: limit', 'withheld instance/web-2: limit'],
  },
  {
    name: 'all scopes count together',
    given: [
      scopeWith({ want: [machine('small')] }),
      scopeWith({ there: [machine('large')], want: [machine('large')] }),
    ],
    most: 220,
    want: ['withheld instance/web-0: limit'],
  },
  {
    name: 'scopes that are not planned here count with what they would raise',
    given: [scopeWith({ want: [machine('small')] })],
    most: 200,
    more: { scopes: [{ scope: 'aws/1/eu-2', currency: 'USD', monthly: 100, plannedIncrease: 30, unpriced: [] }] },
    want: ['withheld instance/web-0: limit'],
  },
  {
    name: 'a resize up is held, one down is not',
    given: [
      scopeWith({
        there: [machine('small'), machine('large')],
        want: [machine('large'), machine('small')],
      }),
    ],
    most: 220,
    want: ['update instance/web-1', 'withheld instance/web-0: limit'],
  },
  {
    name: 'savings of the plan make room',
    given: [scopeWith({ there: [machine('small'), machine('large')], want: [machine('large'), machine('small')] })],
    most: 221,
    want: ['update instance/web-0', 'update instance/web-1'],
  },
  {
    name: 'power on is held, power off is not',
    given: [scopeWith({ there: [stopped('small'), machine('large')], want: [machine('small'), machine('large')] })],
    most: 220,
    want: ['withheld instance/web-0: limit'],
  },
  {
    name: 'a replacement by a more expensive machine is held, one by an equal machine is not',
    given: [
      scopeWith({
        there: two,
        want: [
          machine('large', { machine: { image: 'new', size: 'large', power: 'running' } }),
          machine('small', { machine: { image: 'new', size: 'small', power: 'running' } }),
        ],
      }),
    ],
    most: 148,
    want: ['replace instance/web-1', 'withheld instance/web-0: limit'],
  },
  {
    name: 'a rollout that costs too much keeps no machine from being healed',
    given: [scopeWith({ there: [machine('small')], applied: two, want: [...two, machine('large')] })],
    most: 200,
    want: ['create instance/web-1', 'withheld instance/web-2: limit'],
  },
  {
    name: 'healing over the limit is held',
    given: [scopeWith({ there: [machine('small')], applied: two, want: two })],
    most: 147,
    want: ['withheld instance/web-1: limit'],
  },
  {
    name: 'a machine that nobody sees and that is not gone counts',
    given: [scopeWith({ there: [undefined], applied: [machine('large')], want: [machine('large'), machine('small')] })],
    most: 220,
    want: ['blocked instance/web-0: pending', 'withheld instance/web-1: limit'],
  },
  {
    name: 'over the limit a sum that a person allows passes',
    given: [scopeWith({ want: two })],
    most: 10,
    more: { allowCost: 148 },
    want: ['create instance/web-0', 'create instance/web-1'],
  },
  {
    name: 'and no more than that',
    given: [scopeWith({ want: two })],
    most: 10,
    more: { allowCost: 147 },
    want: ['withheld instance/web-0: limit', 'withheld instance/web-1: limit'],
  },
  {
    name: 'a machine without a price is held, whatever the limit',
    given: [scopeWith({ want: [unknown] })],
    most: 1e9,
    more: { allowCost: 1e9 },
    want: ['withheld instance/web-0: limit'],
  },
  {
    name: 'one that stands holds what raises the cost, and nothing else',
    given: [
      scopeWith({
        there: [unknown, machine('small')],
        applied: two,
        want: [machine('t3.xyz', { labels: { a: 'b' } }), ...two],
      }),
    ],
    most: 1e9,
    want: ['update instance/web-0', 'withheld instance/web-2: limit'],
  },
  {
    name: 'a scope whose cost is in another currency holds what raises the cost',
    given: [scopeWith({ want: [machine('small')] })],
    most: 1e9,
    more: { scopes: [{ scope: 'aws/1/eu-2', currency: 'JPY', monthly: 1, plannedIncrease: 0, unpriced: [] }] },
    want: ['withheld instance/web-0: limit'],
  },
  {
    name: 'a limit in another currency than the prices holds what raises the cost, and nothing else',
    given: [
      scopeWith({
        there: [machine('large')],
        want: [machine('small', { labels: { a: 'b' } }), machine('small')],
      }),
    ],
    most: 1,
    more: costBounds({ monthly: 1e9, currency: 'JPY' }, prices),
    want: ['update instance/web-0', 'withheld instance/web-1: limit'],
  },
  {
    name: 'other scopes that are not counted yet hold what raises the cost',
    given: [scopeWith({ want: [machine('small')] })],
    most: 1e9,
    more: { uncounted: ['aws/1/eu-2'] },
    want: ['withheld instance/web-0: limit'],
  },
  {
    name: 'this scope itself need not be counted',
    given: [scopeWith({ want: [machine('small')] })],
    most: 1e9,
    more: { uncounted: ['aws/1/eu-1'] },
    want: ['create instance/web-0'],
  },
];

describe('a limit on the monthly cost', () => {
  for (const { name, given, most, more, want: expected } of cases)
    it(name, () => assert.deepEqual(plansOf(given, most, more).flatMap(summary), expected));

  it('names the sum, the limit, the part of the change, and the ways round', () => {
    assert.deepEqual(whysOf(plansOf([scopeWith({ want: two })], 100)).slice(0, 1), [
      'the estate would cost 148.00 USD a month, the limit is 100.00 (limits.cost); this change adds 74.00. Raise limits.cost, or allow it with: setpoint apply --allow-cost 148.00, or: setpoint approve --reason "…"',
    ]);
  });

  it('says that a scope of the specs is still to be counted, whatever its earlier cost is in', () => {
    const scopes = [{ scope: 'aws/1/eu-2', currency: 'JPY', monthly: 1, plannedIncrease: 0, unpriced: ['aws eu-2 x'] }];
    const [why = ''] = whysOf(plansOf([scopeWith({ want: two })], 1e9, { scopes, uncounted: ['aws/1/eu-2'] }));
    assert.match(why, /1 of them are still to be counted in this generation/);
  });

  it('says which price is missing, and where to add it', () => {
    assert.deepEqual(whysOf(plansOf([scopeWith({ want: [unknown] })], 100)), [
      'no price for aws eu-1 t3.xyz: add it to prices.yaml, because limits.cost counts it. Or: setpoint approve --reason "…"',
    ]);
    const { disk: _, ...bare } = machine('small');
    assert.match(
      whysOf(plansOf([scopeWith({ want: [bare] })], 100)).join(),
      /^no price for aws eu-1 disk of an unknown type: add it to prices.yaml, and state disk.size and disk.type/,
    );
  });

  it('is lifted for the approved action alone, which counts all the same', () => {
    const hash: Hash = (text) => text;
    const given = scopeWith({ want: two });
    const [first] = plan(given).actions;
    assert.ok(first);
    const choices = { approved: approvedBy(new Set([actionDigest(first, hash)]), hash) };
    const plans = plansOf([{ ...given, choices }], 100);
    assert.deepEqual(plans.flatMap(summary), ['create instance/web-0', 'withheld instance/web-1: limit']);
  });

  it('does not count what waits for another reason', () => {
    const pauses = [
      { what: 'all', of: { by: 'address', name: at('instance', 'web-1') }, reason: 'x', person: 'ann', until: 1 },
    ] as const;
    const given = scopeWith({ want: two });
    const choices = { holds: [pauseHold(pauses, given.wanted)] };
    assert.deepEqual(plansOf([{ ...given, choices }], 80).flatMap(summary), [
      'create instance/web-0',
      'withheld instance/web-1: paused',
    ]);
  });

  it('tells by how much each action raises the cost, for the store to count', () => {
    const given = scopeWith({ there: [machine('small')], want: [machine('large'), machine('small')] });
    const [made] = plansOf([given], 1000);
    assert.deepEqual(
      made?.actions.map(({ raisesCostBy }) => raisesCostBy),
      [73, 74],
    );
    const [free] = planEstate([given], {
      limits: { deletes: 9, replaces: 9 },
      spent: { generation: noCount, healing: noCount },
      owned: 0,
    });
    assert.ok(free?.actions.every((action) => !('raisesCostBy' in action)));
  });
});

const unlimited = costBounds({ monthly: 1e9, currency: 'USD' }, prices);
const counted = (given: PlanInput): number =>
  Math.round(countedCost(given, { plan: [], all: [] }, unlimited).monthly * 100) / 100;
const launch: PendingIntent = {
  ...{ intent: 'n1', attempt: 1, address: at('instance', 'web-0'), verb: 'create', at: 0 },
  draft: { kind: 'instance', details: { attributes: machine('large') } },
};
const resize: PendingIntent = { ...launch, verb: 'update', draft: { ...launch.draft, id: 'i-0' } };
const successor = settle('instance', at('instance', 'web-0'), { successorOf: 'i-0' });
const birth: Birth = {
  ...{ id: 'i-9', address: at('instance', 'web-0'), attributes: machine('large') },
  ...{ generation: 1, launchedAt: 0 },
};
/** A machine whose successor was launched, and that stands still. */
const halfReplaced = {
  settled: new Map([...know([]).settled, ['i-0', settle('instance', at('instance', 'web-0'))], ['i-9', successor]]),
  births: [birth],
};

const rows: ReadonlyArray<readonly [name: string, given: PlanInput, monthly: number]> = [
  ['machines that stand', scopeWith({ there: [machine('small'), stopped('large')] }), 75],
  ['none of nobody', input([], looked([])), 0],
  ['a launch without an answer', scopeWith({ knowledge: { pending: [launch] } }), 147],
  ['one that is sent again', scopeWith({ knowledge: { again: [launch] } }), 147],
  ['a resize without an answer', scopeWith({ there: [machine('small')], knowledge: { pending: [resize] } }), 147],
  [
    'a machine in a gap, as it was applied',
    scopeWith({ there: [undefined], applied: [machine('large')], gaps: true }),
    147,
  ],
  [
    'a machine in a gap, as it is wanted',
    scopeWith({ there: [undefined], applied: [], want: [machine('small')], gaps: true }),
    74,
  ],
  [
    'a write that a listing may not show yet',
    scopeWith({ there: [machine('small')], applied: [machine('large')], readAt: 299_999 }),
    147,
  ],
  ['one that it must show', scopeWith({ there: [machine('small')], applied: [machine('large')], readAt: 300_000 }), 74],
  [
    'a successor in place of its predecessor',
    scopeWith({
      there: [machine('small')],
      knowledge: halfReplaced,
      gaps: true,
    }),
    147,
  ],
  [
    'a predecessor whose successor died',
    scopeWith({
      there: [machine('small')],
      knowledge: halfReplaced,
    }),
    74,
  ],
  [
    'a machine that was deleted to be launched again',
    scopeWith({
      want: [machine('large')],
      knowledge: {
        ended: new Map([['i-0', { as: 'deleted', kind: 'instance', address: at('instance', 'web-0'), at: 0 }]]),
        applied: new Map([[at('instance', 'web-0'), { attributes: machine('small'), generation: 1 }]]),
      },
    }),
    147,
  ],
];

describe('the counted cost of a scope', () => {
  for (const [name, given, monthly] of rows) it(name, () => assert.equal(counted(given), monthly));

  it('the second half of a replacement raises nothing', () => {
    const [, given] = rows.find(([name]) => name === 'a machine that was deleted to be launched again') ?? [];
    assert.ok(given);
    assert.deepEqual(plansOf([given], 1).flatMap(summary), ['create instance/web-0']);
  });

  it('finds the owners of one observation once', () => {
    const given = scopeWith({ there: two });
    assert.equal(unlimited.costOf({ ...given }), unlimited.costOf(given));
    const { knowledge } = given;
    assert.notEqual(unlimited.costOf({ ...given, knowledge: { ...knowledge } }), unlimited.costOf(given));
    assert.notEqual(costBounds(unlimited.limit, prices).costOf(given), unlimited.costOf(given));
  });

  it('names each missing price once', () => {
    const given = scopeWith({ there: [unknown, unknown] });
    assert.deepEqual(countedCost(given, { plan: [], all: [] }, unlimited).unpriced, ['aws eu-1 t3.xyz']);
  });

  it('has a machine whose grace only begins, and none that is deleted now', () => {
    const given = scopeWith({ there: [machine('small')] });
    const [observed] = given.observation.resources.filter(({ kind }) => kind === 'instance');
    assert.ok(observed);
    const about = { kind: 'instance', address: at('instance', 'web-0'), documents: [], cause: 'rollout' } as const;
    const removal = { ...about, verb: 'delete', observed, because: 'removed' } as const;
    const begins = { ...removal, grace: { phase: 'begins', forMs: 1 } } as const;
    const left = (action: Action) => countedCost(given, { plan: [action], all: [] }, unlimited).monthly;
    assert.deepEqual([left(begins), left(removal)], [74, 0]);
  });

  it('is less what the plan saves, and apart what it raises', () => {
    const given = scopeWith({
      there: [machine('large'), machine('small')],
      want: [machine('small'), machine('large')],
    });
    const { actions } = plan(given);
    const { monthly, plannedIncrease } = countedCost(given, { plan: actions, all: actions }, unlimited);
    assert.deepEqual([Math.round(monthly), Math.round(plannedIncrease)], [148, 73]);
  });
});

describe('no commit lifts its own limit on the cost', () => {
  const limits = { deletes: 1, replaces: 1 };
  const usd = (monthly: number) => ({ ...limits, cost: { monthly, currency: 'USD' } });
  const eur = (monthly: number) => ({ ...limits, cost: { monthly, currency: 'EUR' } });
  const table: ReadonlyArray<readonly [now: typeof limits, before: typeof limits, monthly: number | undefined]> = [
    [usd(50), usd(10), 10],
    [usd(10), usd(50), 10],
    [limits, usd(10), 10],
    [usd(10), limits, 10],
    [usd(10), eur(50), 0],
    [limits, limits, undefined],
  ];
  for (const [now, before, monthly] of table)
    it(`${JSON.stringify(now)} after ${JSON.stringify(before)}: ${monthly}`, () =>
      assert.equal(stricterLimits(now, before).cost?.monthly, monthly));
});

const scope = 'aws/1/eu-1';
/** With a limit of 100, in a scope that costs so much. */
function countFrom(monthly: number, { limit = 'USD', others = [], allowCost }: CountFrom = {}) {
  const own = { scope, currency: 'USD', monthly };
  const there = others.map((currency) => ({ scope: 'aws/1/eu-2', currency, monthly: 1 }));
  return costCount({ limit: { monthly: 100, currency: limit }, allowCost }, own, [own, ...there]);
}

interface CountFrom {
  readonly limit?: string;
  /** The currency of each other scope. */
  readonly others?: readonly string[];
  readonly allowCost?: number;
}

describe('raises that are intended', () => {
  it('are taken in their order while the sum allows it, and approved ones always', () => {
    const count = countFrom(80);
    assert.equal(count.take(15, false), undefined);
    assert.match(count.take(6, false) ?? '', /would cost 101.00 USD a month, the limit is 100.00 .* adds 6.00/);
    assert.equal(count.take(5, false), undefined);
    assert.equal(count.take(7, true), undefined);
    assert.equal(count.taken, 27);
  });

  it('go up to the sum that a person allows', () => {
    const count = countFrom(100, { allowCost: 110 });
    assert.equal(count.take(10, false), undefined);
    assert.match(count.take(1, false) ?? '', /limit/);
  });

  it('wait where the limit is in another currency, but for approved ones and a sum that a person allows', () => {
    const count = countFrom(10, { limit: 'JPY' });
    assert.match(
      count.take(1, false) ?? '',
      /^the cost limit was in JPY before this commit \(limits.cost\), the prices are in USD/,
    );
    assert.equal(count.take(1, true), undefined);
    assert.equal(countFrom(10, { limit: 'JPY', allowCost: 11 }).take(1, false), undefined);
  });

  it('wait where the cost of a scope is in another currency, but for approved ones', () => {
    const count = countFrom(10, { others: ['USD', 'EUR'], allowCost: 1000 });
    assert.match(count.take(1, false) ?? '', /the last cost of aws\/1\/eu-2 is in EUR, the prices are not/);
    assert.equal(count.take(1, true), undefined);
    assert.equal(countFrom(10, { others: ['USD'] }).take(1, false), undefined);
  });
});
