import type { Disk } from '@azure/arm-compute';
import type { NetworkInterface, PublicIPAddress } from '@azure/arm-network';
import type { Result } from '../../../src/core/failure.ts';
import type { Call } from '../../../src/ports/provider.ts';
import type { Sdk } from '../client.ts';
import { type IdParts, partsOfId } from '../ids.ts';
import type { ArmPlace } from '../place.ts';
import type { Scope } from '../scope.ts';
import { partIdOf } from './parts.ts';

/** Existing resources under the names of a machine's parts, of any owner. */
export interface PartsFound {
  readonly nic: NetworkInterface | undefined;
  readonly address: PublicIPAddress | undefined;
  readonly disk: Disk | undefined;
}

export async function findParts(
  { place, machine }: { readonly place: Pick<ArmPlace, 'subscription' | 'resourceGroup'>; readonly machine: string },
  scope: Scope,
  call: Call,
): Promise<Result<PartsFound>> {
  const at = (part: Parameters<typeof partIdOf>[0]): IdParts => partsOfId(partIdOf(part, place, machine));
  const [nicAt, addressAt, diskAt] = [at('network-interface'), at('public-address'), at('disk')];
  const find = finder(scope, call);
  const [nic, address, disk] = await Promise.all([
    find(({ network }) => network.networkInterfaces.get(nicAt.resourceGroup, nicAt.name)),
    find(({ network }) => network.publicIPAddresses.get(addressAt.resourceGroup, addressAt.name)),
    find(({ compute }) => compute.disks.get(diskAt.resourceGroup, diskAt.name)),
  ]);
  if (!nic.ok) return nic;
  if (!address.ok) return address;
  if (!disk.ok) return disk;
  return { ok: true, value: { nic: nic.value, address: address.value, disk: disk.value } };
}

const finder =
  ({ client }: Scope, call: Call) =>
  async <T>(get: (sdk: Sdk) => Promise<T>): Promise<Result<T | undefined>> => {
    const answer = await client.ask(call, get);
    return answer.ok || answer.failure.kind !== 'not-found' ? answer : { ok: true, value: undefined };
  };
