import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import type { Result } from '../../../src/core/failure.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { awaitAll } from '../../shared/await-all.ts';
import { each } from '../../shared/each.ts';
import type { Sdk } from '../client.ts';
import { canonicalId, cloudIdOf, partsOfId } from '../ids.ts';
import type { Scope } from '../scope.ts';
import { addressesOf, type InstanceContext, interfaceOf, osDiskOf } from './observe.ts';

/** Machines are listed before what they hang on, so that none of it can be too new for its listing. */
export async function listContext(vms: readonly VirtualMachine[], scope: Scope, call: Call): Promise<InstanceContext> {
  const { machines, vnets, asgs } = scope.listings;
  const [states, nics, addresses, disks, networks, groups] = await awaitAll([
    vms.length === 0 ? [] : machines.states('instance', call),
    machines.interfaces('instance', call),
    machines.addresses('instance', call),
    machines.disks('instance', call),
    vnets('instance', call),
    asgs('instance', call),
  ]);
  const views = states.flatMap(({ id = '', instanceView }) =>
    instanceView === undefined ? [] : [[canonicalId(id), instanceView] as const],
  );
  return {
    nics: byId(nics),
    addresses: byId(addresses),
    disks: byId(disks),
    views: new Map(views),
    ...refsAmong([...networks, ...groups]),
  };
}

/** The same for a few machines, each thing asked for by its name. What is gone is left out. */
export async function readContext(
  { vms = [], nics = [] }: { readonly vms?: readonly VirtualMachine[]; readonly nics?: readonly NetworkInterface[] },
  scope: Scope,
  call: Call,
): Promise<Result<InstanceContext>> {
  const [held, disks] = await Promise.all([
    getEach(
      vms.map(interfaceOf),
      ({ network }, group, name) => network.networkInterfaces.get(group, name),
      scope,
      call,
    ),
    getEach(vms.map(diskIdOf), ({ compute }, group, name) => compute.disks.get(group, name), scope, call),
  ]);
  if (!held.ok) return held;
  if (!disks.ok) return disks;
  const all = [...nics, ...held.value];
  const configurations = all.flatMap(({ ipConfigurations = [] }) => ipConfigurations);
  const [addresses, networks, groups] = await Promise.all([
    getEach(
      all.flatMap(addressesOf),
      ({ network }, group, name) => network.publicIPAddresses.get(group, name),
      scope,
      call,
    ),
    getEach(
      configurations.map(({ subnet }) => networkOf(subnet?.id)),
      ({ network }, group, name) => network.virtualNetworks.get(group, name),
      scope,
      call,
    ),
    getEach(
      configurations.flatMap(({ applicationSecurityGroups = [] }) => applicationSecurityGroups.map(({ id }) => id)),
      ({ network }, group, name) => network.applicationSecurityGroups.get(group, name),
      scope,
      call,
    ),
  ]);
  if (!addresses.ok) return addresses;
  if (!networks.ok) return networks;
  if (!groups.ok) return groups;
  const context = {
    nics: byId(all),
    addresses: byId(addresses.value),
    disks: byId(disks.value),
    views: new Map(),
    ...refsAmong([...networks.value, ...groups.value]),
  };
  return { ok: true, value: context };
}

const diskIdOf = (vm: VirtualMachine): string | undefined => osDiskOf(vm)?.managedDisk?.id;
const networkOf = (subnet: string | undefined): string | undefined => subnet?.replace(/\/subnets\/[^/]*$/i, '');

/** Those of these resources that exist. Each is read once. */
async function getEach<T>(
  ids: readonly (string | undefined)[],
  get: (sdk: Sdk, resourceGroup: string, name: string) => Promise<T>,
  { client }: Scope,
  call: Call,
): Promise<Result<readonly T[]>> {
  const wanted = new Set(ids.flatMap((id) => (id ? [canonicalId(id)] : [])));
  const answers = await each([...wanted], (id) => {
    const { resourceGroup, name } = partsOfId(id);
    return client.ask(call, (sdk) => get(sdk, resourceGroup, name));
  });
  const found: T[] = [];
  for (const answer of answers) {
    if (!answer.ok && answer.failure.kind !== 'not-found') return answer;
    if (answer.ok) found.push(answer.value);
  }
  return { ok: true, value: found };
}

const byId = <T extends { readonly id?: string }>(things: readonly T[]): ReadonlyMap<string, T> =>
  new Map(things.map((thing) => [canonicalId(thing.id ?? ''), thing]));

/** A subnet's id ends in the number of its VNet; `refOf` is '' where nothing is named. */
function refsAmong(
  things: readonly { readonly id?: string; readonly resourceGuid?: string }[],
): Pick<InstanceContext, 'refOf' | 'unknownTo'> {
  const guids = new Map(things.map(({ id = '', resourceGuid }) => [canonicalId(id), resourceGuid]));
  const holderOf = (id: string): string => canonicalId(networkOf(id) ?? '');
  return {
    refOf: (id) => (id === undefined ? '' : cloudIdOf(id, guids.get(holderOf(id)))),
    unknownTo: ({ ipConfigurations = [] }) =>
      ipConfigurations
        .flatMap(({ subnet, applicationSecurityGroups = [] }) => [subnet, ...applicationSecurityGroups])
        .flatMap((named) => named?.id ?? [])
        .find((id) => !guids.has(holderOf(id))),
  };
}
