import { refused } from './errors.ts';
import { freshEtag } from './etag.ts';
import { INTERFACE_KEPT } from './interface-fields.ts';
import { type InterfaceOrder, plannedConfigurations } from './interface-plan.ts';
import { releaseAddresses } from './interface-ties.ts';
import { identity } from './lifecycle.ts';
import type { NetworkInterface } from './machine-records.ts';
import type { Asked } from './method.ts';
import { checkReference } from './references.ts';
import type { Subscription } from './subscription.ts';

/** The interface that an order asks for, every reference and rule checked; nothing is written. */
export function plannedInterface(asked: Asked, order: InterfaceOrder): NetworkInterface {
  const { subscription } = asked;
  const { known, path, properties } = order;
  const group = properties.networkSecurityGroup;
  if (group !== undefined) checkReference(subscription, { from: path, to: group, location: order.location });
  const given = Object.entries(properties).filter(
    ([name, value]) => INTERFACE_KEPT.includes(name) && value !== undefined,
  );
  return {
    ...identity(asked, known, path),
    location: order.location,
    tags: order.tags,
    configurations: plannedConfigurations(subscription, order),
    securityGroup: group,
    machine: known?.machine,
    kept: Object.fromEntries(given),
  };
}

/** Azure refuses this as long as a machine has it. */
export function refuseUsedInterface({ path, machine }: NetworkInterface): void {
  if (machine === undefined) return;
  // https://github.com/hashicorp/terraform-provider-azurerm/issues/8105
  throw refused(
    'NicInUse',
    `Network Interface ${path} is used by existing resource ${machine}. In order to delete the network interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.`,
    { details: [] },
  );
}

/** Takes an interface away, and with it every public address that says so, where a machine's end is the reason. */
export function removeInterface(
  subscription: Subscription,
  nic: NetworkInterface,
  { withMachine }: { readonly withMachine: boolean },
): void {
  releaseAddresses(subscription, nic, withMachine);
  subscription.interfaces.remove(nic.id);
}

/** Gives an interface to a machine, or sets it free. */
export function attach(subscription: Subscription, nic: NetworkInterface, machine: string | undefined): void {
  if (nic.machine === machine) return;
  const etag = freshEtag(subscription.random);
  subscription.interfaces.put({ ...nic, machine, version: { ...nic.version, etag } });
}
