import type { Failing, ImageReference } from './machine-records.ts';
import { keyOf } from './resource-id.ts';
import type { BadBoot, Subscription } from './subscription.ts';

/** How machines of this image boot; undefined: well. */
export function badBootOf(
  { badBoots }: Pick<Subscription, 'badBoots'>,
  { written }: ImageReference,
): BadBoot | undefined {
  const { id, publisher, offer, sku } = written;
  return badBoots.get(typeof id === 'string' ? keyOf(id) : [publisher, offer, sku].join(':').toLowerCase());
}

/**
 * A machine shut down from within is `stopped`, and stays allocated:
 * https://learn.microsoft.com/azure/virtual-machines/states-billing#power-states-and-billing
 */
export function shutDown(subscription: Subscription, id: string, at: number): void {
  subscription.timeline.schedule(at, () => {
    const machine = subscription.machines.get(id);
    if (machine?.power.state === 'running')
      subscription.machines.put({ ...machine, power: { state: 'stopped', since: at } });
  });
}

/** https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/provisioning-failed, word for word */
export const timedOut = (name: string): Failing => ({
  code: 'OSProvisioningTimedOut',
  message: `OS Provisioning for VM '${name}' did not finish in the allotted time. The VM may still finish provisioning successfully. Please check provisioning state later.`,
});
