import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ActionName, calls } from '../../providers/memory/cloud/calls.ts';
import type { MemoryCloud } from '../../providers/memory/cloud.ts';
import type { FaultRule } from '../../providers/memory/faults.ts';
import type { Finding } from '../../src/core/action.ts';
import { type Opening, openingsIn } from '../simulation/invariants/no-opening.ts';
import { gapsIn } from '../simulation/invariants/no-traffic-gap.ts';
import { lookOf, stuckBy } from '../simulation/process.ts';
import type { LookTrace, StuckTrace } from '../simulation/trace.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type Applied, smallWorld } from '../support/small-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const movedEstate = { limits: { deletes: 50, replaces: 50, share: '100%' } };
/** A machine in both groups, and something that keeps the second group there. */
const base = [
  network({ internet: false }),
  machine('web', { replicas: 1, groups: ['web', 'app'] }),
  rule('ssh', { group: 'app', ports: [22] }),
];

interface Played extends Applied {
  /** From when to when 443 was open anywhere since the change, ms; `stands`: at the end. */
  readonly spans: readonly (readonly [from: number, until: number | 'stands'])[];
}

async function play(
  then: readonly object[],
  meet: (faults: MemoryCloud['faults']) => void = () => undefined,
): Promise<Played> {
  const world = smallWorld();
  await world.apply([...base, rule('https', { group: 'web' })], { estate: movedEstate });
  meet(world.cloud.faults);
  const began = world.clock.now();
  const applied = await world.apply([...base, ...then], { estate: movedEstate });
  const atoms = world.cloud.inspect.atoms().filter(({ key }) => key.includes(' 443 '));
  return {
    ...applied,
    spans: atoms.map(({ from, until }) => [from - began, until === undefined ? 'stands' : until - began]),
  };
}

const refuse = (code: 'QuotaExceeded' | 'Denied') => (faults: MemoryCloud['faults']) =>
  faults.add({ on: 'AuthorizeRules', fault: { do: 'refuse', code } });

const moves: readonly (readonly [name: string, then: object])[] = [
  ['to another group of the same machine', rule('https', { group: 'app' })],
  ['to every machine', rule('https', { group: undefined })],
  ['under another name to another group', rule('https2', { group: 'app' })],
  ['to other peers', rule('https', { group: 'web', peers: { cidrs: ['10.0.0.0/8'] } })],
];

describe('a rule that moves', () => {
  for (const [name, then] of moves) {
    it(`${name}: the new stands before the old goes`, async () => {
      const { outcome, writes, spans } = await play([then]);
      assert.equal(outcome, 'done');
      assert.deepEqual(writes, ['AuthorizeRules', 'RevokeRules']);
      assert.equal(spans.filter(([, until]) => until === 'stands').length, 1);
    });

    for (const code of ['QuotaExceeded', 'Denied'] as const) {
      it(`${name}: its creation is refused (${code}), and the old stays and is named`, async () => {
        const { outcome, writes, spans, rounds: reconciles } = await play([then], refuse(code));
        assert.equal(outcome, 'failed');
        assert.ok(!writes.includes('RevokeRules'));
        assert.deepEqual(
          spans.map(([, until]) => until),
          ['stands'],
        );
        const [held] = reconciles.flatMap(({ findings }): readonly Finding[] => findings);
        assert.ok(held?.type === 'withheld' && held.action === 'delete' && held.code === 'depends');
        assert.match(held.why, new RegExp(`^waits for .*, which did not go well \\(${code}\\)\\.$`));
      });
    }
  }

  it('is let through all the time while its creation is slow, or throttled', async () => {
    const slow = await play([rule('https', { group: 'app' })], (faults) =>
      faults.add({ on: 'AuthorizeRules', fault: { do: 'delay', ms: 30_000 } }),
    );
    const throttled = await play([rule('https', { group: 'app' })], (faults) =>
      faults.add({ on: 'AuthorizeRules', times: 6, fault: { do: 'refuse', code: 'Throttled', retryAfterMs: 5000 } }),
    );
    for (const { outcome, spans } of [slow, throttled]) {
      assert.equal(outcome, 'done');
      const [old, successor] = spans;
      assert.ok(old && successor && typeof old[1] === 'number' && successor[0] <= old[1], JSON.stringify(spans));
    }
  });

  it('in a group without room for both: a finding says so, nothing is sent, and the old stay', async () => {
    const world = smallWorld();
    const ports = (from: number): string[] =>
      Array.from({ length: 31 }, (_, n) => `${from + 10 * n}-${from + 10 * n + 5}`);
    const rules = (from: number) => rule('https', { group: 'web', ports: ports(from) });
    await world.apply([...base, rules(1000)], { estate: movedEstate });
    const { writes, last } = await world.apply([...base, rules(1003)], { estate: movedEstate });
    assert.deepEqual(writes, []);
    const findings = last?.plan.findings ?? [];
    const codes = Map.groupBy(findings, (finding) => ('code' in finding ? finding.code : finding.type));
    assert.deepEqual([codes.get('quota')?.length, codes.get('depends')?.length], [31, 31]);
    assert.match(codes.get('quota')?.[0]?.why ?? '', /holds 31 rules and would get 31 more; a group takes 60\./);
  });

  it('to where no machine of its own stands is no successor: the old goes at once', async () => {
    const { outcome, spans } = await play([rule('https', { group: 'empty' })], refuse('Denied'));
    assert.equal(outcome, 'failed');
    assert.ok(spans.every(([, until]) => until !== 'stands'));
  });
});

const limits = { limits: { deletes: 99, replaces: 99, share: '100%' } };

/** A small estate: machines in groups, and rules of groups for blocks and groups. */
const groups = ['web', 'app', 'db'] as const;
const members = fc.uniqueArray(fc.constantFrom(...groups), { maxLength: 3 });
const someRule = fc.record({
  direction: fc.constantFrom('ingress', 'ingress', 'egress'),
  group: fc.option(fc.constantFrom(...groups), { nil: undefined }),
  ports: fc.constantFrom<readonly unknown[]>([443], ['400-500'], [22]),
  peer: fc.constantFrom<object>(
    { cidrs: ['0.0.0.0/0'] },
    { cidrs: ['10.0.0.0/8'] },
    { cidrs: ['192.168.0.0/16'] },
    { groups: ['web'] },
    { groups: ['db'] },
  ),
});
const trafficEstate = fc.record({
  egress: fc.constantFrom('allow', 'deny'),
  machines: fc.array(members, { minLength: 1, maxLength: 3 }),
  rules: fc.array(someRule, { maxLength: 4 }),
});
type Estate = typeof trafficEstate extends fc.Arbitrary<infer T> ? T : never;

const documentsOf = ({ egress, machines, rules }: Estate): readonly object[] => [
  network({ internet: false, default: { egress } }),
  ...machines.map((groups, i) => machine(`m${i}`, { replicas: 1, groups })),
  ...rules.map(({ direction, group, ports, peer }, i) => rule(`r${i}`, { direction, group, ports, peers: peer })),
];

const changing = Object.keys(calls).filter((name): name is ActionName =>
  ['AuthorizeRules', 'RevokeRules', 'SetInstanceGroups', 'RunInstances', 'CreateGroup'].includes(name),
);

/** Calls of one kind that are refused, or served late: all of them, or one. */
const trouble = fc.option(
  fc.record({
    on: fc.constantFrom(...changing),
    times: fc.constantFrom(1, 2, 1000),
    fault: fc.constantFrom(
      { do: 'refuse', code: 'QuotaExceeded' } as const,
      { do: 'refuse', code: 'Denied' } as const,
      { do: 'delay', ms: 30_000 } as const,
    ),
  }),
);

interface Judged {
  readonly gaps: readonly string[];
  readonly openings: readonly Opening[];
}

async function judge(from: Estate, to: Estate, faults: readonly FaultRule[]): Promise<Judged> {
  const world = smallWorld();
  const first = await world.apply(documentsOf(from), { estate: limits });
  assert.equal(first.outcome, 'done');
  const before = world.cloud.history.changes.length;
  world.cloud.faults.add(...faults);
  const looks: LookTrace[] = [];
  const stuck: StuckTrace[] = [];
  const { scope } = await world.apply(documentsOf(to), {
    estate: limits,
    planned: (observation, made) => looks.push(lookOf(observation, made, world.cloud)),
    steering: { notify: (progress) => stuck.push(...stuckBy(progress, world.cloud)) },
  });
  const { changes } = world.cloud.history;
  // why: nobody judges the calls that built the estate
  const told = changes.map((change, at) => ({ ...change, caller: at < before ? 'builder' : change.caller }));
  const runs = [{ name: 'setpoint', desired: scope.wanted.desired, looks, stuck }];
  return { gaps: gapsIn(told, runs), openings: openingsIn(told, runs) };
}

/** LAW_SEED=n draws others; LAW_RUNS=n draws so many. */
describe('traffic', () => {
  it('that is let through before and after is so all the time, whatever is refused', async () => {
    await fc.assert(
      fc.asyncProperty(trafficEstate, trafficEstate, trouble, async (from, to, fault) => {
        assert.deepEqual((await judge(from, to, fault === null ? [] : [fault])).gaps, []);
      }),
      { numRuns: Number(process.env['LAW_RUNS'] ?? 100), seed: Number(process.env['LAW_SEED'] ?? 1) },
    );
  });

  it('that is let through neither before nor after is so at no time, whatever is refused', async () => {
    await fc.assert(
      fc.asyncProperty(trafficEstate, trafficEstate, trouble, async (from, { rules }, fault) => {
        const { openings } = await judge(from, { ...from, rules }, fault === null ? [] : [fault]);
        assert.deepEqual(
          openings.filter(({ excuse }) => excuse === undefined),
          [],
        );
      }),
      { numRuns: Number(process.env['LAW_RUNS'] ?? 100), seed: Number(process.env['LAW_SEED'] ?? 1) },
    );
  });

  it('does not open while the birth rule of a new group stands: nobody joins it before', async () => {
    const from: Estate = { egress: 'deny', machines: [[], []], rules: [] };
    const to: Estate = { ...from, machines: [[], ['web', 'app', 'db']] };
    for (const code of ['QuotaExceeded', 'Denied', 'Throttled'] as const) {
      const { openings } = await judge(from, to, [{ on: 'RevokeRules', nth: 1, fault: { do: 'refuse', code } }]);
      assert.deepEqual(openings, [], code);
    }
  });
});
