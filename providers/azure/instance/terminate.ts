import type { Result } from '../../../src/core/failure.ts';
import type { Part } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call, Removal } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import { each } from '../../shared/each.ts';
import type { Sdk } from '../client.ts';
import { stateOf } from '../condition.ts';
import { guidOf, partsOfId } from '../ids.ts';
import type { Poller } from '../operation.ts';
import { isAnother } from '../retag.ts';
import type { Scope } from '../scope.ts';
import type { Tags } from '../tags.ts';
import { findMachine } from './machine.ts';
import { isPartOfMachine, type PartName, partNames } from './parts.ts';

type Item = Removal<'instance'>;

/**
 * Each machine by itself, side by side. Azure takes its parts with it (`deleteOption`); what is left of them, because it was told
 * otherwise or because the machine was never made, goes after it: what bears its mark and hangs on nothing.
 */
export function terminate(batch: readonly Item[], scope: Scope, call: Call): Promise<readonly Result<void>[]> {
  return each(batch, (item) => terminateOne(item, scope, call));
}

async function terminateOne(item: Item, scope: Scope, call: Call): Promise<Result<void>> {
  const gone = await removeMachine(item.id, scope, call);
  if (!gone.ok) return gone;
  const { parts = [] } = item.observed.condition;
  for (const part of partNames) {
    for (const one of parts.filter((each) => each.part === part)) {
      const removed = await removePart(part, one, item, { scope, call });
      if (!removed.ok) return removed;
    }
  }
  return done;
}

async function removeMachine(id: CloudId, scope: Scope, call: Call): Promise<Result<void>> {
  const now = await findMachine(id, scope, call);
  if (!now.ok || !now.value) return now.ok ? done : now;
  if (guidOf(id) === undefined) return failed('conflict', 'Finished', `${id} was half created, and exists now`);
  const { resourceGroup, name } = partsOfId(id);
  // why: left out, it means true where the disks go too. https://learn.microsoft.com/rest/api/compute/virtual-machines/delete
  const options = { forceDeletion: false };
  const gone = await scope.client.run(call, ({ compute }) =>
    compute.virtualMachines.delete(resourceGroup, name, options),
  );
  return gone.ok || gone.failure.kind === 'not-found' ? done : gone;
}

/** A part as far as its end is concerned. `holder`: what it hangs on. */
interface Seen {
  readonly tags: Tags | undefined;
  readonly guid: string | undefined;
  readonly holder: string | undefined;
  readonly provisioningState: string | undefined;
}

interface Remover {
  get(sdk: Sdk, resourceGroup: string, name: string): Promise<Seen>;
  remove(sdk: Sdk, resourceGroup: string, name: string): Poller<void>;
}

const removers: Readonly<Record<PartName, Remover>> = {
  'network-interface': {
    get: async ({ network }, group, name) => {
      const { virtualMachine, resourceGuid, ...nic } = await network.networkInterfaces.get(group, name);
      return {
        tags: nic.tags,
        guid: resourceGuid,
        holder: virtualMachine?.id,
        provisioningState: nic.provisioningState,
      };
    },
    remove: ({ network }, group, name) => network.networkInterfaces.delete(group, name),
  },
  'public-address': {
    get: async ({ network }, group, name) => {
      const { ipConfiguration, resourceGuid, ...address } = await network.publicIPAddresses.get(group, name);
      const { tags, provisioningState } = address;
      return { tags, guid: resourceGuid, holder: ipConfiguration?.id, provisioningState };
    },
    remove: ({ network }, group, name) => network.publicIPAddresses.delete(group, name),
  },
  disk: {
    get: async ({ compute }, group, name) => {
      const { tags, managedBy, uniqueId, provisioningState } = await compute.disks.get(group, name);
      return { tags, guid: uniqueId, holder: managedBy, provisioningState };
    },
    remove: ({ compute }, group, name) => compute.disks.delete(group, name),
  },
};

async function removePart(
  part: PartName,
  { id }: Part,
  { observed }: Item,
  { scope: { client }, call }: { readonly scope: Scope; readonly call: Call },
): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(id);
  const { get, remove } = removers[part];
  const now = await client.ask(call, (sdk) => get(sdk, resourceGroup, name));
  if (!now.ok) return now.failure.kind === 'not-found' ? done : now;
  const { tags, guid, holder, provisioningState } = now.value;
  const isItsOwn = !isAnother(id, guid) && isPartOfMachine(observed.signs.mark, tags, part);
  if (!isItsOwn || holder !== undefined || stateOf(provisioningState) === 'deleting') return done;
  const gone = await client.run(call, (sdk) => remove(sdk, resourceGroup, name));
  return gone.ok || gone.failure.kind === 'not-found' ? done : gone;
}
