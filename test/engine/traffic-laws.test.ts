import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ActionName, calls } from '../../providers/memory/cloud/calls.ts';
import type { FaultRule } from '../../providers/memory/faults.ts';
import { gapsIn } from '../simulation/invariants/no-traffic-gap.ts';
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

async function gapsOf(from: Estate, to: Estate, faults: readonly FaultRule[]): Promise<readonly string[]> {
  const world = smallWorld();
  const first = await world.apply(documentsOf(from), { estate: limits });
  assert.equal(first.outcome, 'done');
  const before = world.cloud.history.changes.length;
  world.cloud.faults.add(...faults);
  const { scope } = await world.apply(documentsOf(to), { estate: limits });
  const { changes } = world.cloud.history;
  // why: what built the estate is judged by nobody
  const told = changes.map((change, at) => ({ ...change, caller: at < before ? 'builder' : change.caller }));
  return gapsIn(told, [{ name: 'setpoint', desired: scope.wanted.desired }]);
}

/** LAW_SEED=n draws others; LAW_RUNS=n draws so many. */
describe('traffic', () => {
  it('that is let through before and after is so all the time, whatever is refused', async () => {
    await fc.assert(
      fc.asyncProperty(estate, estate, trouble, async (from, to, fault) => {
        assert.deepEqual(await gapsOf(from, to, fault === null ? [] : [fault]), []);
      }),
      { numRuns: Number(process.env['LAW_RUNS'] ?? 100), seed: Number(process.env['LAW_SEED'] ?? 1) },
    );
  });
});
