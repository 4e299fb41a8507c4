import type { VirtualMachine } from '@azure/arm-compute';
import type { Result } from '../../../src/core/failure.ts';
import type { Ref } from '../../../src/core/resource.ts';
import type { Call, Revision } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import { each } from '../../shared/each.ts';
import { armIdOf, partsOfId } from '../ids.ts';
import type { RawResource } from '../raw.ts';
import { ifMatch, unsupported } from '../retag.ts';
import type { Scope } from '../scope.ts';
import { writable } from '../writable.ts';
import { identityChange } from './identity.ts';
import { findMachine, patchMachine } from './machine.ts';
import { interfaceOf } from './observe.ts';
import { reshape } from './reshape.ts';
import { updateMarks } from './update-marks.ts';

type Item = Revision<'instance'>;

const handled = ['labels', 'groups', 'machine.identity', 'machine.size', 'machine.power', 'disk.size', 'disk.type'];

/** Each machine by itself, side by side: first what it bears while it runs, then what it must stand still for. A failure ends its steps. */
export function change(batch: readonly Item[], scope: Scope, call: Call): Promise<readonly Result<void>[]> {
  return each(batch, (item) => changeOne(item, scope, call));
}

async function changeOne(item: Item, scope: Scope, call: Call): Promise<Result<void>> {
  const failure = unsupported(item.changes, handled);
  if (failure) return { ok: false, failure };
  if (item.changes.length === 0 && !item.mark) return done;
  const seen = await findMachine(item.observed.id, scope, call);
  if (!seen.ok) return seen;
  const vm = seen.value;
  if (!vm) return failed('not-found', 'ResourceNotFound', `${item.observed.id} is gone`);
  const has = (field: string): boolean => item.changes.some((each) => each.field === field);
  const steps: readonly (() => Promise<Result<void>>)[] = [
    () => updateMarks(item, vm, scope, call),
    ...(has('groups') ? [() => setGroups(item, vm, scope, call)] : []),
    ...(has('machine.identity') ? [() => setIdentity(item, vm, scope, call)] : []),
    () => reshape(item, vm, scope, call),
  ];
  for (const step of steps) {
    const answer = await step();
    if (!answer.ok) return answer;
  }
  return done;
}

/** Groups are those of its interface, which is written whole as it stands, with these groups and no others. */
async function setGroups(
  { desired, observed }: Item,
  vm: VirtualMachine,
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  const nic = interfaceOf(vm);
  if (nic === undefined)
    return failed('terminal', 'NoInterface', `${observed.id} has no network interface to put in groups`);
  const { resourceGroup, name } = partsOfId(nic);
  const { client } = scope;
  const now = await client.raw(call, ({ network }) => network.networkInterfaces.get(resourceGroup, name));
  if (!now.ok) return now;
  const body = withGroups(now.value, desired.attributes.groups ?? []);
  const written = await client.run(
    call,
    ({ network }) => network.networkInterfaces.createOrUpdate(resourceGroup, name, {}, ifMatch(now.value.etag)),
    body,
  );
  return written.ok ? done : written;
}

/** Every configuration of an interface is in the same groups: https://learn.microsoft.com/azure/virtual-network/application-security-groups#allow-database-businesslogic */
function withGroups(nic: RawResource, groups: readonly Ref[]): string {
  const applicationSecurityGroups = groups.map((group) => ({ id: armIdOf(group) }));
  const ipConfigurations = (nic.properties.ipConfigurations ?? []).map((configuration) => ({
    ...configuration,
    properties: { ...configuration.properties, applicationSecurityGroups },
  }));
  return JSON.stringify(writable({ ...nic, properties: { ...nic.properties, ipConfigurations } }));
}

async function setIdentity(
  { desired, observed }: Item,
  vm: VirtualMachine,
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  const identity = identityChange(vm, desired.attributes.machine.identity, desired.address);
  return identity ? patchMachine({ id: observed.id, body: { identity } }, scope, call) : done;
}
