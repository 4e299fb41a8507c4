import { refused } from './errors.ts';
import { freshGuid } from './guid.ts';
import type { MachineForm } from './machine-fields.ts';
import type { Identity } from './machine-records.ts';
import { keyOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

type IdentityForm = NonNullable<MachineForm['identity']>;

/**
 * The managed identities of a machine. The user-assigned ones are resources of another provider: the estate names them.
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-configure-managed-identities
 */
export function identityFor(
  subscription: Subscription,
  form: IdentityForm | undefined,
  known: Identity | undefined,
): Identity | undefined {
  const type = form?.type;
  if (type === undefined || type === 'None') return undefined;
  const system = type.startsWith('SystemAssigned');
  const principalId = system ? (known?.principalId ?? freshGuid(subscription.random)) : undefined;
  if (!type.includes('UserAssigned')) return { type, principalId, users: new Map() };
  const written = form?.userAssignedIdentities ?? new Map<string, unknown>();
  const wanted = [...written].filter(([, value]) => value !== null).map(([path]) => path);
  if (wanted.length === 0)
    throw refused(
      'InvalidParameter',
      `The identity type is '${type}', and the identity ids are missing: userAssignedIdentities must name at least one.`,
      { target: 'identity' },
    );
  return { type, principalId, users: new Map(wanted.map((path) => [path, userOf(subscription, path, known)])) };
}

/** What the resource provider of identities tells, and Compute passes on. */
function userOf(
  subscription: Subscription,
  path: string,
  known: Identity | undefined,
): { readonly principalId: string; readonly clientId: string } {
  if (!subscription.outside.has(keyOf(path)))
    throw refused(
      'FailedIdentityOperation',
      `Identity operation failed with error 'Failed to perform resource identity operation. Status: 'BadRequest'. Response: 'Resource '${path}' was not found.'.`,
    );
  const had = [...(known?.users ?? [])].find(([each]) => keyOf(each) === keyOf(path))?.[1];
  return had ?? { principalId: freshGuid(subscription.random), clientId: freshGuid(subscription.random) };
}
