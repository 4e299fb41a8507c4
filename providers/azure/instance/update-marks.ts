import type { Disk, VirtualMachine } from '@azure/arm-compute';
import type { Result } from '../../../src/core/failure.ts';
import type { Mark } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call, Revision } from '../../../src/ports/provider.ts';
import { done } from '../../shared/answer.ts';
import { partsOfId } from '../ids.ts';
import { readExtra, readMark } from '../marks.ts';
import { retag, type Taggable } from '../retag.ts';
import type { Scope } from '../scope.ts';
import type { Tags } from '../tags.ts';
import { saysNothing, tagsAfter } from '../tags-after.ts';
import { patchMachine } from './machine.ts';
import { addressesOf, interfaceOf, osDiskOf } from './observe.ts';
import { isPartOfMachine, type PartName } from './parts.ts';

type Item = Revision<'instance'>;

/** Labels and the mark. Parts come before their machine, so that what bears the new mark has parts that bear it. */
export async function updateMarks(item: Item, vm: VirtualMachine, scope: Scope, call: Call): Promise<Result<void>> {
  if (saysNothing(item)) return done;
  if (item.mark) {
    const parts = await markParts({ vm, before: readMark(vm.tags), mark: item.mark }, scope, call);
    if (!parts.ok) return parts;
  }
  const body = { tags: tagsAfter(vm.tags, item) };
  return patchMachine({ id: item.observed.id, body, etag: vm.etag }, scope, call);
}

interface MarkUpdate {
  readonly vm: VirtualMachine;
  readonly before: Mark | undefined;
  readonly mark: Mark;
}

async function markParts(update: MarkUpdate, scope: Scope, call: Call): Promise<Result<void>> {
  const nicId = interfaceOf(update.vm);
  if (nicId !== undefined) {
    const nic = await markInterface(nicId, update, scope, call);
    if (!nic.ok) return nic;
  }
  return markDisk(update, scope, call);
}

async function markInterface(id: string, update: MarkUpdate, scope: Scope, call: Call): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(id);
  const seen = await scope.client.ask(call, ({ network }) => network.networkInterfaces.get(resourceGroup, name));
  if (!seen.ok) return seen;
  for (const address of addressesOf(seen.value)) {
    const marked = await markAddress(address, update, scope, call);
    if (!marked.ok) return marked;
  }
  const patch: Taggable['patch'] = ({ network }, tags, options) =>
    network.networkInterfaces.updateTags(resourceGroup, name, { tags }, options);
  return markPart({ id, part: 'network-interface', seen: seen.value, patch }, update, scope, call);
}

async function markAddress(id: string, update: MarkUpdate, scope: Scope, call: Call): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(id);
  const seen = await scope.client.ask(call, ({ network }) => network.publicIPAddresses.get(resourceGroup, name));
  if (!seen.ok) return seen;
  const patch: Taggable['patch'] = ({ network }, tags, options) =>
    network.publicIPAddresses.updateTags(resourceGroup, name, { tags }, options);
  return markPart({ id, part: 'public-address', seen: seen.value, patch }, update, scope, call);
}

interface PartToMark {
  readonly id: CloudId;
  readonly part: PartName;
  readonly seen: Awaited<ReturnType<Taggable['get']>>;
  readonly patch: Taggable['patch'];
}

async function markPart(
  { id, part, seen, patch }: PartToMark,
  { before, mark }: MarkUpdate,
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  if (!isToMark(seen.tags, part, { before, mark })) return done;
  return retag(
    { observed: { id }, changes: [], mark, extra: { part } },
    { get: async () => seen, patch },
    client,
    call,
  );
}

/** True for parts with the machine's mark or already with the new one, and for unmarked parts of an unmarked machine. */
function isToMark(
  tags: Tags | undefined,
  part: PartName,
  { before, mark }: Pick<MarkUpdate, 'before' | 'mark'>,
): boolean {
  if (before === undefined && readMark(tags) === undefined) return true;
  return isPartOfMachine(before, tags, part) || isPartOfMachine(mark, tags, part);
}

async function markDisk({ vm, before, mark }: MarkUpdate, scope: Scope, call: Call): Promise<Result<void>> {
  const disk = await diskOf(vm, scope, call);
  if (!disk.ok || !disk.value) return disk.ok ? done : disk;
  if (!isToMark(disk.value.tags, 'disk', { before, mark })) return done;
  return tagDisk(disk.value, mark, scope, call);
}

/** Says of a new machine's disk, which has the tags of its machine or none, that it is a part. */
export async function nameDisk(
  { vm, mark }: Omit<MarkUpdate, 'before'>,
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  const disk = await diskOf(vm, scope, call);
  if (!disk.ok || !disk.value) return disk.ok ? done : disk;
  return readExtra(disk.value.tags, 'part') === undefined ? tagDisk(disk.value, mark, scope, call) : done;
}

async function diskOf(vm: VirtualMachine, { client }: Scope, call: Call): Promise<Result<Disk | undefined>> {
  const id = osDiskOf(vm)?.managedDisk?.id;
  if (id === undefined) return { ok: true, value: undefined };
  const { resourceGroup, name } = partsOfId(id);
  return client.ask(call, ({ compute }) => compute.disks.get(resourceGroup, name));
}

async function tagDisk(disk: Disk, mark: Mark, { client }: Scope, call: Call): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(disk.id ?? '');
  const tags = tagsAfter(disk.tags, { changes: [], mark, extra: { part: 'disk' } });
  const wrote = await client.run(call, ({ compute }) => compute.disks.update(resourceGroup, name, { tags }));
  return wrote.ok ? done : wrote;
}
