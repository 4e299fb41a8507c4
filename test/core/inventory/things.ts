import type { Desired } from '../../../src/core/desired.ts';
import type { Attempt } from '../../../src/core/inventory/plan-outcome.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import type { Allowed, PlanInput } from '../../../src/core/plan/plan-input.ts';
import { allow, at, input, looked, ours, see, vpc, want } from '../plan/fixture.ts';

export const net = want('network', 'core', vpc());
export const standing = ours('network', 'core', 'vpc-1', vpc());
export const subnet = want('subnet', 'core.app', { network: at('network', 'core'), cidr: '10.0.1.0/24', labels: {} });
export const standingSubnet = ours('subnet', 'core.app', 'subnet-1', {
  network: 'vpc-1',
  cidr: '10.0.1.0/24',
  labels: {},
});
export const machine = { image: 'ami-1', size: 't3.small', power: 'running' } as const;
export const web = want('instance', 'web-0', {
  placement: { subnet: at('subnet', 'core.app'), publicIp: false },
  machine,
  labels: {},
});
export const standingWeb = ours('instance', 'web-0', 'i-1', {
  placement: { subnet: 'subnet-1', publicIp: false },
  machine,
  labels: {},
});
export const group = want('group', 'core.web', { network: at('network', 'core'), labels: {} });
export const standingGroup = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
export const ground = [standing, standingSubnet];
export const gap = { kind: 'network', code: 'Throttled', reason: 'page 2 failed' } as const;

/** As if these had been applied. */
export const applied = (...desired: readonly Desired[]): Pick<Knowledge, 'applied'> => ({
  applied: new Map(desired.map(({ address, attributes }) => [address, { attributes, generation: 5 }])),
});
export const rogueRule = see('firewall-rule', 'sgr-9', allow('sg-1', '22', ['0.0.0.0/0']), {
  signs: { container: 'sg-1' },
});
export const labelled = want('network', 'core', vpc('10.0.0.0/16', { tier: 'web' }));
export const other = see('network', 'vpc-9', vpc(), { name: 'theirs' });
export const spoken = (more: Partial<Allowed>): PlanInput['wanted'] => ({
  ...input([net], looked([])).wanted,
  documents: new Map([[at('network', 'core'), { mode: 'plan', protect: false, targets: ['prod'], ...more }]]),
});
export const pause = {
  what: 'all',
  of: { by: 'estate' },
  until: 86_400_000,
  reason: 'freeze',
  person: 'ann@acme.example',
} as const;
export const refused: Attempt = {
  failed: [
    {
      verb: 'create',
      address: at('network', 'core'),
      failure: { kind: 'terminal', code: 'VpcLimitExceeded', message: 'The maximum number of VPCs has been reached.' },
    },
  ],
  held: [],
};
