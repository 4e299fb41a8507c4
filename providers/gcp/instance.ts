import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { type Actuator, type Call, ListingFailed } from '../../src/ports/provider.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { mapInTurns } from '../shared/turns.ts';
import { getDisk, getInstance, getSubnetwork } from './get.ts';
import { change } from './instance/change.ts';
import { launch } from './instance/launch.ts';
import { bootDiskOf, type InstanceContext, observeInstance } from './instance/observe.ts';
import { terminate } from './instance/terminate.ts';
import { pathOf } from './links.ts';
import { lookUp } from './lookup.ts';
import type { Disk, Instance } from './messages.ts';
import { resolveBy, resolveIn } from './parents.ts';
import type { Scope } from './scope.ts';

/** Instances with their disks. Launching, changing and ending them is in instance/. */
export function instanceActuator(scope: Scope): Actuator<'instance'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => launch(batch, scope, call),
    update: (batch, call) => change(batch, scope, call),
    delete: (batch, call) => terminate(batch, scope, call),
  };
}

/** Disks are listed after the instances, and only if there is one, so that no disk can be too new for its listing. */
async function* list(scope: Scope, call: Call): AsyncGenerator<readonly Observed<'instance'>[]> {
  const { listings, project } = scope;
  const [instances, subnetworks] = await awaitAll([
    listings.instances('instance', call),
    listings.subnetworks('instance', call),
  ]);
  const disks = instances.length === 0 ? [] : await listings.disks('instance', call);
  const context: InstanceContext = { project, resolve: resolveIn(subnetworks, scope), disks: byPath(disks) };
  yield await mapInTurns(instances, (instance) => complete(instance, context));
}

const byPath = (disks: readonly Disk[]): ReadonlyMap<string, Disk> =>
  new Map(disks.map((disk) => [pathOf(disk.selfLink ?? ''), disk]));

/** If a ready machine has no listed disk, the listing of disks was incomplete. */
function complete(instance: Instance, context: InstanceContext): Observed<'instance'> {
  const observed = observeInstance(instance, context);
  const boot = bootDiskOf(instance);
  if (observed.condition.state === 'ready' && boot !== undefined && !context.disks.has(boot)) {
    const message = `${boot} of ${observed.id} was not listed`;
    throw new ListingFailed('ShortListing', message, { kind: 'retryable', code: 'ShortListing', message });
  }
  return observed;
}

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'instance'> | undefined>[]> {
  const found = await each(ids, (id) => lookUp(id, (each) => getInstance(each, scope, call)));
  const seen = found.flatMap((result) => (result.ok && result.value ? [result.value] : []));
  const links = seen.map(({ networkInterfaces }) => networkInterfaces?.[0]?.subnetwork);
  const resolve = await resolveBy(links, (path) => getSubnetwork(path, scope, call));
  const disks = await bootDisks(seen, scope, call);
  return found.map((result) => {
    if (!result.ok || !result.value) return result.ok ? { ok: true, value: undefined } : result;
    if (!resolve.ok) return resolve;
    if (!disks.ok) return disks;
    const context: InstanceContext = { project: scope.project, resolve: resolve.value, disks: byPath(disks.value) };
    return { ok: true, value: observeInstance(result.value, context) };
  });
}

async function bootDisks(seen: readonly Instance[], scope: Scope, call: Call): Promise<Result<readonly Disk[]>> {
  const paths = seen.flatMap((instance) => bootDiskOf(instance) ?? []);
  const found = await each(paths, (path) => getDisk(path, scope, call));
  const disks: Disk[] = [];
  for (const result of found) {
    if (!result.ok && result.failure.kind !== 'not-found') return result;
    if (result.ok) disks.push(result.value);
  }
  return { ok: true, value: disks };
}
