import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ActionName, calls } from '../../providers/memory/cloud/calls.ts';
import type { FaultRule } from '../../providers/memory/faults.ts';
import { type Opening, openingsIn } from '../simulation/invariants/no-opening.ts';
import { gapsIn } from '../simulation/invariants/no-traffic-gap.ts';
import { lookOf, stuckBy } from '../simulation/process.ts';
import type { LookTrace, StuckTrace } from '../simulation/trace.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { smallWorld } from '../support/small-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
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
const estate = fc.record({
  egress: fc.constantFrom('allow', 'deny'),
  machines: fc.array(members, { minLength: 1, maxLength: 3 }),
  rules: fc.array(someRule, { maxLength: 4 }),
});
type Estate = typeof estate extends fc.Arbitrary<infer T> ? T : never;

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
  // why: what built the estate is judged by nobody
  const told = changes.map((change, at) => ({ ...change, caller: at < before ? 'builder' : change.caller }));
  const runs = [{ name: 'setpoint', desired: scope.wanted.desired, looks, stuck }];
  return { gaps: gapsIn(told, runs), openings: openingsIn(told, runs) };
}

/** LAW_SEED=n draws others; LAW_RUNS=n draws so many. */
describe('traffic', () => {
  it('that is let through before and after is so all the time, whatever is refused', async () => {
    await fc.assert(
      fc.asyncProperty(estate, estate, trouble, async (from, to, fault) => {
        assert.deepEqual((await judge(from, to, fault === null ? [] : [fault])).gaps, []);
      }),
      { numRuns: Number(process.env['LAW_RUNS'] ?? 100), seed: Number(process.env['LAW_SEED'] ?? 1) },
    );
  });

  it('that is let through neither before nor after is so at no time, whatever is refused', async () => {
    await fc.assert(
      fc.asyncProperty(estate, estate, trouble, async (from, { rules }, fault) => {
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
