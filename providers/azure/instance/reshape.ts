import type { Disk, DiskUpdate, VirtualMachine } from '@azure/arm-compute';
import type { Result } from '../../../src/core/failure.ts';
import type { Call, Revision } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import { partsOfId } from '../ids.ts';
import type { Scope } from '../scope.ts';
import { deallocate, patchMachine, start } from './machine.ts';
import { osDiskOf } from './observe.ts';
import { powerCodeOf } from './power-state.ts';

type Item = Revision<'instance'>;

/**
 * Size, disk and power. Size and disk change while a machine is deallocated, so it is stopped, changed and started; whoever finds
 * it half way sees how far it is and goes on from there. One whose change is refused is started all the same.
 *
 *   now         | change      | steps
 *   ------------+-------------+-------------------------------------------------------
 *   allocated   | size, disk  | deallocate, set, and start where it shall run
 *   deallocated | size, disk  | set, and start where it shall run
 *   any         | power       | deallocate or start, where it is not so already
 *
 * https://learn.microsoft.com/azure/virtual-machines/sizes/resize-vm
 * https://learn.microsoft.com/azure/virtual-machines/linux/expand-disks
 */
export async function reshape(item: Item, vm: VirtualMachine, scope: Scope, call: Call): Promise<Result<void>> {
  if (!item.changes.some(({ field }) => concerned.has(field))) return done;
  const settings = await settingsOf(item, vm, scope, call);
  if (!settings.ok) return settings;
  const { id } = item.observed;
  let code = powerCodeOf(vm.instanceView);
  if (settings.value.length > 0 && code !== 'deallocated') {
    const stopped = await deallocate(id, scope, call);
    if (!stopped.ok) return stopped;
    code = 'deallocated';
  }
  let refused: Result<void> | undefined;
  for (const set of settings.value) {
    const answer = await set();
    if (!answer.ok) refused ??= answer;
  }
  const powered = await power(item, code, scope, call);
  return refused ?? powered;
}

const concerned: ReadonlySet<string> = new Set(['machine.size', 'machine.power', 'disk.size', 'disk.type']);

async function power(item: Item, code: string, scope: Scope, call: Call): Promise<Result<void>> {
  const { id } = item.observed;
  if (powerAfter(item) === 'stopped') return code === 'deallocated' ? done : deallocate(id, scope, call);
  return code === 'running' || code === 'starting' ? done : start(id, scope, call);
}

/** Power that is ignored, or as wanted, is afterwards what it was before. */
const powerAfter = (item: Item): 'running' | 'stopped' =>
  (has(item, 'machine.power') ? item.desired : item.observed).attributes.machine.power;

const has = ({ changes }: Item, field: string): boolean => changes.some((each) => each.field === field);

type Setting = () => Promise<Result<void>>;

/** Values that are already set are not sent again. */
async function settingsOf(
  item: Item,
  vm: VirtualMachine,
  scope: Scope,
  call: Call,
): Promise<Result<readonly Setting[]>> {
  const { machine } = item.desired.attributes;
  const isSized = vm.hardwareProfile?.vmSize?.toLowerCase() === machine.size.toLowerCase();
  const body = { hardwareProfile: { vmSize: machine.size } };
  const size: readonly Setting[] =
    has(item, 'machine.size') && !isSized ? [() => patchMachine({ id: item.observed.id, body }, scope, call)] : [];
  if (!has(item, 'disk.size') && !has(item, 'disk.type')) return { ok: true, value: size };
  const disk = await diskSetting(item, vm, scope, call);
  return disk.ok ? { ok: true, value: [...size, ...disk.value] } : disk;
}

async function diskSetting(
  item: Item,
  vm: VirtualMachine,
  { client }: Scope,
  call: Call,
): Promise<Result<readonly Setting[]>> {
  const diskId = osDiskOf(vm)?.managedDisk?.id;
  if (diskId === undefined) return failed('terminal', 'NoDisk', `${item.observed.id} has no managed disk to change`);
  const { resourceGroup, name } = partsOfId(diskId);
  const now = await client.ask(call, ({ compute }) => compute.disks.get(resourceGroup, name));
  if (!now.ok) return now;
  const body = diskChange(item, now.value);
  if (Object.keys(body).length === 0) return { ok: true, value: [] };
  const set: Setting = async () => {
    const answer = await client.run(call, ({ compute }) => compute.disks.update(resourceGroup, name, body));
    return answer.ok ? done : answer;
  };
  return { ok: true, value: [set] };
}

function diskChange(item: Item, { diskSizeGB, sku }: Disk): DiskUpdate {
  const { size, type } = item.desired.attributes.disk ?? {};
  const isTyped = sku?.name?.toLowerCase() === type?.toLowerCase();
  return {
    ...(has(item, 'disk.size') && size !== undefined && size !== diskSizeGB ? { diskSizeGB: size } : {}),
    ...(has(item, 'disk.type') && type !== undefined && !isTyped ? { sku: { name: type } } : {}),
  };
}
