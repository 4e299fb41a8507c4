import type { PendingIntent } from '../../../src/core/knowledge.ts';
import { appliedAs, at, dialect, input, looked, ours, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const subnet = { network: at('network', 'core'), cidr: '10.0.0.0/24', labels: {} };
const ground = [want('network', 'core', vpc()), want('subnet', 'core.app', subnet)];
const standing = [
  ours('network', 'core', 'vpc-1', vpc()),
  ours('subnet', 'core.app', 'subnet-1', { ...subnet, network: 'vpc-1' }),
];
const machineOf = (image: string, on = at('subnet', 'core.app')) => ({
  placement: { subnet: on, publicIp: false },
  machine: { image, size: 's', power: 'running' as const },
  labels: {},
});
const old = ours('instance', 'web-0', 'i-1', machineOf('old', 'subnet-1'));
const launch: PendingIntent = {
  intent: 'x',
  attempt: 1,
  address: at('instance', 'web-0'),
  verb: 'create',
  at: 0,
  draft: { kind: 'instance', details: { successorOf: 'i-1' } },
};

/** The image moved, the launch of the successor was recorded, and no look shows it. */
const given = (now: number, more: { readonly again?: readonly PendingIntent[] } = {}) => ({
  ...input([...ground, want('instance', 'web-0', machineOf('new'))], looked([...standing, old], { at: now }), {
    knowledge: {
      ...appliedAs([...standing, old], [want('instance', 'web-0', machineOf('old'))]),
      pending: [launch],
      ...more,
    },
  }),
  dialect: { ...dialect, holds: { ...dialect.holds, replace: 'surge' as const } },
});

const cases: readonly Case[] = [
  {
    name: 'a successor that may yet come to light: blocked',
    given: given(329_999),
    want: ['blocked instance/web-0: pending'],
  },
  {
    name: 'one that never came to light is shown as to be made, so that a person can let it pass',
    given: given(330_000),
    want: ['replace instance/web-0'],
  },
  {
    name: 'the engine goes by its own look, however long ago it was',
    given: given(330_000, { again: [] }),
    want: ['blocked instance/web-0: pending'],
  },
];

runCases(cases, import.meta.url);
