import type { VirtualMachine, VirtualMachineIdentity } from '@azure/arm-compute';
import type { Address } from '../../../src/core/resource.ts';
import { canonicalId } from '../ids.ts';
import { idIn, placeOf } from '../place.ts';

const type = 'Microsoft.ManagedIdentity/userAssignedIdentities';

/** As the listing will say it. A name is that of an identity in the machine's own resource group. */
export const identityIdOf = (identity: string, address: Address): string =>
  canonicalId(identity.startsWith('/') ? identity : idIn(placeOf(address, 'instance'), type, identity));

/** The ids of its user-assigned identities, joined where there are several: policies of an organisation add their own. */
export function identityOf({ identity }: VirtualMachine): string | undefined {
  const ids = Object.keys(identity?.userAssignedIdentities ?? {}).map(canonicalId);
  return ids.length === 0 ? undefined : ids.sort().join(',');
}

export const identityAtLaunch = (identity: string, address: Address): VirtualMachineIdentity => ({
  type: 'UserAssigned',
  userAssignedIdentities: { [identityIdOf(identity, address)]: {} },
});

/**
 * The PATCH that leaves the machine this user-assigned identity only; the one that Azure made for it stays.
 * Undefined if nothing changes. https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-configure-managed-identities
 */
export function identityChange(
  { identity: seen }: VirtualMachine,
  wanted: string | undefined,
  address: Address,
): VirtualMachineIdentity | undefined {
  const id = wanted === undefined ? undefined : identityIdOf(wanted, address);
  const present = Object.keys(seen?.userAssignedIdentities ?? {});
  const others = present.filter((key) => canonicalId(key) !== id);
  const missing = id !== undefined && others.length === present.length;
  if (others.length === 0 && !missing) return undefined;
  const ofItsOwn = /systemassigned/i.test(seen?.type ?? '');
  if (id === undefined) return { type: ofItsOwn ? 'SystemAssigned' : 'None' };
  return {
    type: ofItsOwn ? 'SystemAssigned, UserAssigned' : 'UserAssigned',
    userAssignedIdentities: { ...(missing ? { [id]: {} } : {}), ...Object.fromEntries(others.map(taken)) },
  };
}

// why: null takes one away, which the SDK sends and its types do not know
const taken = (key: string): [string, object] => [key, null as unknown as object];
