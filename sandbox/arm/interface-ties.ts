import { configurationPath } from './interface-json.ts';
import type { InterfaceOrder } from './interface-plan.ts';
import type { IpConfiguration, NetworkInterface } from './machine-records.ts';
import { allocate, bind } from './public-address.ts';
import { keyOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

/** Public addresses follow their interface: those it takes up are tied to it, those it had and has no more are free. */
export function tieAddresses(
  subscription: Subscription,
  was: NetworkInterface | undefined,
  nic: NetworkInterface | undefined,
): void {
  const kept = new Set(nic ? addressesOf(nic).map(([key]) => key) : []);
  for (const [key] of was ? addressesOf(was) : []) if (!kept.has(key)) untie(subscription, key);
  if (!nic) return;
  const machine = nic.machine === undefined ? undefined : subscription.machines.get(keyOf(nic.machine));
  for (const [key, { name }] of addressesOf(nic)) {
    const address = subscription.addresses.get(key);
    if (address) bind(subscription, address, configurationPath(nic, name));
    if (machine) allocate(subscription, key, machine.power.state !== 'deallocated');
  }
}

/** What an order says of the end of the public addresses that it names. */
export function markAddresses(subscription: Subscription, { properties }: InterfaceOrder): void {
  for (const form of properties.ipConfigurations ?? []) {
    const { path = '', deleteOption } = form.properties.publicIPAddress ?? {};
    const address = subscription.addresses.get(keyOf(path));
    if (address && deleteOption !== undefined) subscription.addresses.put({ ...address, deleteOption });
  }
}

function addressesOf(nic: NetworkInterface): readonly (readonly [string, IpConfiguration])[] {
  return nic.configurations.flatMap((each) =>
    each.publicAddress === undefined ? [] : [[keyOf(each.publicAddress), each] as const],
  );
}

function untie(subscription: Subscription, key: string): void {
  const address = subscription.addresses.get(key);
  if (address) bind(subscription, address, undefined);
}

/** What a machine's power means for the dynamic public addresses of its interface. */
export function allocateAddresses(subscription: Subscription, nic: NetworkInterface, allocated: boolean): void {
  for (const [key] of addressesOf(nic)) allocate(subscription, key, allocated);
}

/** Sets the addresses of an interface free that goes; where a machine's end is the reason, those that say so go too. */
export function releaseAddresses(subscription: Subscription, nic: NetworkInterface, withMachine: boolean): void {
  for (const [key] of addressesOf(nic)) {
    const address = subscription.addresses.get(key);
    if (withMachine && address?.deleteOption === 'Delete') subscription.addresses.remove(key);
    else untie(subscription, key);
  }
}
