import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Actuator, Call } from '../../src/ports/provider.ts';
import { each } from '../shared/each.ts';
import { mapInTurns } from '../shared/turns.ts';
import { stateOf } from './condition.ts';
import { canonicalId, guidOf, partsOfId } from './ids.ts';
import { change } from './instance/change.ts';
import { listContext, readContext } from './instance/context.ts';
import { findParts } from './instance/find-parts.ts';
import { healthOf } from './instance/health.ts';
import { asPart, incompleteMachines, type NamedPart, namedParts } from './instance/incomplete.ts';
import { launch } from './instance/launch.ts';
import { findMachine } from './instance/machine.ts';
import { addressesOf, type InstanceContext, interfaceOf, observeMachine, osDiskOf } from './instance/observe.ts';
import { isPartOfMachine } from './instance/parts.ts';
import { terminate } from './instance/terminate.ts';
import { readMark } from './marks.ts';
import type { Scope } from './scope.ts';
import { shortListing } from './short-listing.ts';

/**
 * Machines with their interfaces, addresses and disks. Making, changing and ending them is in instance/.
 * Parts that wait for their machine, or have outlived it, are one too: `missing: ['machine']`.
 */
export function instanceActuator(scope: Scope): Actuator<'instance'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    health: (ids, call) => healthOf(ids, scope, call),
    create: (batch, call) => launch(batch, scope, call),
    update: (batch, call) => change(batch, scope, call),
    delete: (batch, call) => terminate(batch, scope, call),
  };
}

async function* list(scope: Scope, call: Call): AsyncGenerator<readonly Observed<'instance'>[]> {
  const vms = await scope.listings.machines.vms('instance', call);
  const context = await listContext(vms, scope, call);
  const listed = new Map(vms.map((vm) => [canonicalId(vm.id ?? ''), vm]));
  const parts = namedParts(context);
  for (const part of parts) checkHolder(part, listed);
  const isOwn = ({ machine, part, thing }: NamedPart): boolean =>
    isPartOfMachine(readMark(listed.get(machine)?.tags), thing.tags, part);
  const own = Map.groupBy(parts.filter(isOwn), ({ machine }) => machine);
  yield await mapInTurns(vms, (vm) => complete(vm, context, own.get(canonicalId(vm.id ?? '')) ?? []));
  const others = parts.filter((part) => !isOwn(part));
  yield incompleteMachines(others, context);
}

/** A part that hangs on a machine which is not listed means that the listing of machines was short, or is behind. */
function checkHolder({ holder, thing }: NamedPart, listed: ReadonlyMap<string, VirtualMachine>): void {
  if (holder !== undefined && !listed.has(canonicalId(holder)))
    throw shortListing(`${holder}, which holds ${thing.id},`);
}

/**
 * A machine that is not going, and whose interface, network, group or public address is not listed, means that their listing was short;
 * a disk too, once the machine is made. How it runs may be untold, and says nothing of that.
 */
function complete(vm: VirtualMachine, context: InstanceContext, own: readonly NamedPart[]): Observed<'instance'> {
  const observed = observeMachine(vm, context);
  const { condition } = observed;
  const provisioned = stateOf(vm.provisioningState);
  const { managedDisk, diffDiskSettings } = osDiskOf(vm) ?? {};
  const nic = context.nics.get(canonicalId(interfaceOf(vm) ?? ''));
  const missing = [
    ...unlisted(interfaceOf(vm), context.nics),
    // why: a disk on the host itself is no object. https://learn.microsoft.com/azure/virtual-machines/ephemeral-os-disks
    ...(diffDiskSettings || provisioned !== 'ready' ? [] : unlisted(managedDisk?.id, context.disks)),
    ...(nic && readMark(vm.tags) ? unlistedAround(nic, context) : []),
  ];
  if (provisioned !== 'deleting' && missing[0] !== undefined) throw shortListing(`${missing[0]} of ${observed.id}`);
  const known = new Set(condition.parts?.map(({ id }) => id));
  const parts = [...(condition.parts ?? []), ...own.map(asPart).filter(({ id }) => !known.has(id))];
  return { ...observed, condition: { ...condition, parts } };
}

const unlisted = (id: string | undefined, among: ReadonlyMap<string, unknown>): readonly string[] =>
  id === undefined || among.has(canonicalId(id)) ? [] : [id];

/** Networks, groups and public addresses that an interface names. */
const unlistedAround = (nic: NetworkInterface, { addresses, unknownTo }: InstanceContext): readonly string[] => [
  ...[unknownTo(nic)].filter((id) => id !== undefined),
  ...addressesOf(nic).flatMap((id) => unlisted(id, addresses)),
];

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'instance'> | undefined>[]> {
  const whole = ids.filter((id) => guidOf(id) !== undefined);
  const found = await each(whole, (id) => findMachine(id, scope, call));
  const vms = found.flatMap((result) => (result.ok && result.value ? [result.value] : []));
  const context = await readContext({ vms }, scope, call);
  const seen = found.map((result): Result<Observed<'instance'> | undefined> => {
    if (!result.ok || !result.value) return result.ok ? { ok: true, value: undefined } : result;
    return context.ok ? { ok: true, value: observeMachine(result.value, context.value) } : context;
  });
  const halves = ids.filter((id) => guidOf(id) === undefined);
  const half = await each(halves, (id) => readIncomplete(id, scope, call));
  const results = new Map([
    ...whole.map((id, index) => [id, seen[index]] as const),
    ...halves.map((id, index) => [id, half[index]] as const),
  ]);
  return ids.map((id) => results.get(id) ?? unanswered);
}

const unanswered: Result<never> = {
  ok: false,
  failure: { kind: 'retryable', code: 'Unanswered', message: 'the cloud did not answer for this machine' },
};

/** Parts without their machine, by the id that the machine would have. Where it stands by now they are no such thing any more. */
async function readIncomplete(
  id: CloudId,
  scope: Scope,
  call: Call,
): Promise<Result<Observed<'instance'> | undefined>> {
  const machine = await findMachine(id, scope, call);
  if (!machine.ok || machine.value) return machine.ok ? { ok: true, value: undefined } : machine;
  const found = await findParts({ place: partsOfId(id), machine: partsOfId(id).name }, scope, call);
  if (!found.ok) return found;
  const { nic, address, disk } = found.value;
  const context = await readContext({ nics: nic ? [nic] : [] }, scope, call);
  if (!context.ok) return context;
  const parts = namedParts({
    nics: context.value.nics,
    addresses: new Map(address ? [[canonicalId(address.id ?? ''), address]] : []),
    disks: new Map(disk ? [[canonicalId(disk.id ?? ''), disk]] : []),
  });
  return { ok: true, value: incompleteMachines(parts, context.value).find((half) => half.id === canonicalId(id)) };
}
