import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScopePlan } from '../../../src/core/action.ts';
import type { Birth, Knowledge, PendingIntent } from '../../../src/core/knowledge.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Choices, Hold } from '../../../src/core/plan/plan-input.ts';
import type { InstanceAttributes } from '../../../src/core/resource.ts';
import { at, input, know, looked, ours, settle, summary, vpc, want } from './fixture.ts';

/** An update stopped the machine `web-0` to change its size, and ended before it started it again. */

const address = at('instance', 'web-0');
const subnet = at('subnet', 'core.app');
const machineOf = (subnet: string, machine: Partial<InstanceAttributes['machine']>): InstanceAttributes => ({
  placement: { subnet, publicIp: false },
  machine: { image: 'img', size: 'small', power: 'running', ...machine },
  labels: {},
});
const begun: PendingIntent = {
  ...{ intent: 'i-1', attempt: 1, address, verb: 'update', at: 0 },
  draft: { kind: 'instance', id: 'vm-1', details: { restarts: true } },
};
const failed: Birth = {
  ...{ id: 'vm-0', address, attributes: machineOf(subnet, { size: 'large' }), generation: 2, launchedAt: 0 },
  failed: 'it ended',
};
const notLarge: Hold = (action) =>
  'desired' in action && JSON.stringify(action.desired.attributes).includes('large')
    ? { code: 'policy', why: 'no' }
    : undefined;
const frozen: Hold = () => ({ code: 'paused', why: 'paused' });

interface Case {
  readonly name: string;
  readonly wants?: Partial<InstanceAttributes['machine']>;
  readonly applied?: Partial<InstanceAttributes['machine']>;
  readonly mode?: 'enforce' | 'plan' | 'observe';
  readonly choices?: Choices;
  readonly knowledge?: Partial<Knowledge>;
  /** Somebody took a label away, and the document wants such drift proposed. */
  readonly proposes?: 'labels';
  /** The id of an earlier machine of the address. It is gone, and still settled. */
  readonly former?: string;
  readonly want: readonly string[];
}

const start = 'update instance/web-0 machine.power';
const cases: readonly Case[] = [
  { name: 'nothing holds the rest', want: ['update instance/web-0 machine.power machine.size'] },
  {
    name: 'a hold holds the rest',
    choices: { holds: [notLarge] },
    want: [start, 'withheld instance/web-0: policy'],
  },
  { name: 'a pause holds both', choices: { holds: [frozen] }, want: ['withheld instance/web-0: paused'] },
  { name: 'its mode is plan', mode: 'plan', want: ['withheld instance/web-0: mode'] },
  { name: 'its mode is observe', mode: 'observe', want: ['withheld instance/web-0: mode'] },
  {
    name: 'launches like it failed',
    knowledge: { births: [failed] },
    want: [start, 'withheld instance/web-0: rollout-stopped'],
  },
  {
    name: 'a replacement is held',
    wants: { image: 'large' },
    choices: { holds: [notLarge] },
    want: [start, 'withheld instance/web-0: policy'],
  },
  {
    name: 'its updates do not stick',
    knowledge: { unstuck: new Map([[address, 3]]) },
    want: [start, 'non-convergent instance/web-0: non-convergent'],
  },
  {
    name: 'a hold holds the rest, and an approved part of its drift passes',
    proposes: 'labels',
    choices: { holds: [notLarge], approved: ({ verb }) => verb === 'update' },
    want: [start, 'withheld instance/web-0: depends', 'withheld instance/web-0: policy'],
  },
  {
    name: 'the rest passes, and so does an approved part of its drift',
    proposes: 'labels',
    choices: { approved: ({ verb }) => verb === 'update' },
    want: ['update instance/web-0 machine.power machine.size', 'withheld instance/web-0: depends'],
  },
  {
    name: 'an earlier machine of its address is forgotten',
    choices: { holds: [notLarge] },
    former: 'vm-0',
    want: [start, 'forget instance/web-0 (gone)', 'withheld instance/web-0: policy'],
  },
  { name: 'its spec went back', wants: { size: 'small' }, want: [start] },
  {
    name: 'its spec went back, and a pause holds all',
    wants: { size: 'small' },
    choices: { holds: [frozen] },
    want: ['withheld instance/web-0: paused'],
  },
  {
    name: 'its spec wants it stopped',
    wants: { power: 'stopped' },
    want: ['update instance/web-0 machine.size', 'kept stopped'],
  },
  {
    name: 'its spec wants it stopped, and a hold holds the rest',
    wants: { power: 'stopped' },
    choices: { holds: [notLarge] },
    want: ['withheld instance/web-0: policy', 'kept stopped'],
  },
  {
    name: 'a later spec starts it',
    applied: { power: 'stopped' },
    want: ['update instance/web-0 machine.power machine.size'],
  },
  {
    name: 'a later spec starts it, and a hold holds it',
    applied: { power: 'stopped' },
    choices: { holds: [notLarge] },
    want: ['withheld instance/web-0: policy'],
  },
];

function plannedIn({ wants, applied = {}, mode = 'enforce', choices, knowledge, proposes, former }: Case): ScopePlan {
  const labels: Readonly<Record<string, string>> = proposes === undefined ? {} : { team: 'x' };
  const desired = [
    want('network', 'core', vpc(), { mode }),
    want('subnet', 'core.app', { network: at('network', 'core'), cidr: '10.0.1.0/24', labels: {} }, { mode }),
    want('instance', 'web-0', { ...machineOf(subnet, { size: 'large', ...wants }), labels }, { mode }),
  ];
  const seen = [
    ours('network', 'core', 'vpc-1', vpc()),
    ours('subnet', 'core.app', 'subnet-1', { network: 'vpc-1', cidr: '10.0.1.0/24', labels: {} }),
    ours('instance', 'web-0', 'vm-1', machineOf('subnet-1', { power: 'stopped' })),
  ];
  const known = know(seen, {
    pending: [begun],
    applied: new Map([[address, { attributes: { ...machineOf(subnet, applied), labels }, generation: 1 }]]),
    ...knowledge,
  });
  const gone = former === undefined ? [] : [[former, settle('instance', address)] as const];
  const given = input(desired, looked(seen), {
    knowledge: { ...known, settled: new Map([...known.settled, ...gone]) },
    choices: { unattended: true, ...choices },
  });
  const term = { as: 'propose', document: 'Estate', file: 'estate.yaml', line: 1 } as const;
  const allowed = [...given.wanted.documents].map(
    ([document, terms]) =>
      [
        document,
        proposes === undefined ? terms : { ...terms, remediation: { [`instance.${proposes}`]: term } },
      ] as const,
  );
  return plan({ ...given, wanted: { ...given.wanted, documents: new Map(allowed) } });
}

describe('a machine that an interrupted update stopped', () => {
  for (const given of cases)
    it(`is started beside what is held, where ${given.name}`, () => {
      const planned = plannedIn(given);
      const changes = planned.actions.map((one) =>
        'changes' in one
          ? ` ${one.changes
              .map(({ field }) => field)
              .toSorted()
              .join(' ')}`
          : '',
      );
      const told = summary(planned).map((line, i) => `${line}${changes[i] ?? ''}`);
      assert.deepEqual([...told, ...(planned.keptStopped === undefined ? [] : ['kept stopped'])], given.want);
      const isStarted = given.wants?.power !== 'stopped' && given.applied?.power !== 'stopped';
      for (const action of planned.actions.filter(({ verb }) => verb === 'update'))
        assert.equal('restarts' in action, isStarted);
    });
});
