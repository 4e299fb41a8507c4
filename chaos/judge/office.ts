import type { Control } from '../../sandbox/control.ts';
import type { Verdict } from '../../sandbox/packet.ts';
import type { TrialCloud } from '../specs.ts';

const packet = { from: '203.0.113.7', protocol: 'tcp', port: 22 } as const;

/**
 * Whether the office reaches the database machine now, by the sandbox's packet check: the rule ssh lets it, and is wanted
 * before, during and after everything that is done once it stands. Undefined: let through; else why not.
 */
export function closedToOffice(cloud: TrialCloud, control: Control): string | undefined {
  const { allowed, steps } = asked[cloud](control);
  return allowed ? undefined : steps.map(({ gate, reason }) => `${gate}: ${reason}`).at(-1);
}

const asked: Readonly<Record<TrialCloud, (control: Control) => Verdict>> = {
  aws: ({ ec2 }) => {
    const where = { account: '111122223333', region: 'eu-west-1' };
    const machine = [...ec2.region(where.account, where.region).instances.values()].find(
      ({ tags, power }) => tags.get('Name') === 'db-0' && power.state !== 'terminated',
    );
    return ec2.packet(where, { ...packet, to: machine?.id ?? 'i-none' });
  },
  gcp: ({ compute }) => compute.packet('acme-prod', { ...packet, to: 'zones/europe-west1-b/instances/db-0' }),
  azure: ({ arm }) => {
    const subscription = '11112222-3333-4444-8555-666677778888';
    const group = `/subscriptions/${subscription}/resourceGroups/acme-prod`;
    return arm.packet(subscription, { ...packet, to: `${group}/providers/Microsoft.Compute/virtualMachines/db-0` });
  },
};
