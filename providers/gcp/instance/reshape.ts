import type { Result } from '../../../src/core/failure.ts';
import { serviceAccountAddress } from '../../../src/core/kinds/rules.ts';
import type { CloudId, InstanceAttributes } from '../../../src/core/resource.ts';
import type { Call, Revision } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import { placeOf } from '../cloud-id.ts';
import { getInstance } from '../get.ts';
import { regionOfZone } from '../links.ts';
import type { Instance } from '../messages.ts';
import { carryOut, type StartedOperation } from '../operations.ts';
import type { Scope } from '../scope.ts';
import { accountScopes, canonicalType } from '../spelling.ts';
import { start, stop } from './power.ts';

type Item = Revision<'instance'>;

/**
 * Size, identity and power. Size and identity change only while a machine stands still, so it is stopped, changed and started;
 * a later reconcile sees a stopped machine and goes on from there. One whose change is refused is started all the same.
 *
 *   now     | change          | steps
 *   --------+-----------------+----------------------------------------------------
 *   running | size, identity  | stop, set (with the tags, if they change with the identity), and start where it shall run
 *   stopped | size, identity  | set, and start where it shall run
 *   any     | power           | stop or start, where it is not so already; one that is going down cannot start yet: conflict
 */
export async function reshape(item: Item, seen: Instance, scope: Scope, call: Call): Promise<Result<void>> {
  const { id } = item.observed;
  const settings = settingsOf(item, seen, scope);
  const isDown = isStopped(seen);
  if (settings.length > 0 && !isDown) {
    const stopped = await stop(id, scope, call);
    if (!stopped.ok) return stopped;
  }
  let refused: StartedOperation | undefined;
  for (const set of settings) {
    const answer = await set(item, { seen, scope, call });
    if (!answer.ok) refused ??= answer;
  }
  const powered = await power(item, { seen, isDown: isDown || settings.length > 0 }, scope, call);
  if (refused && !refused.ok) return refused;
  return powered;
}

interface Now {
  readonly seen: Instance;
  readonly isDown: boolean;
}

async function power(item: Item, { seen, isDown }: Now, scope: Scope, call: Call): Promise<Result<void>> {
  const wanted = powerAfter(item);
  if (wanted === undefined) return done;
  const { id } = item.observed;
  if (wanted === 'stopped') return isDown ? done : stop(id, scope, call);
  if (isDown) return start({ id, suspended: seen.status === 'SUSPENDED' }, scope, call);
  if (!isGoingDown(seen)) return done;
  return failed('conflict', 'NotReady', `${id} is ${seen.status}: it can be started once it has stopped`);
}

const isGoingDown = ({ status }: Instance): boolean => /^(?:PENDING_STOP|STOPPING|SUSPENDING)$/.test(String(status));

/** The power state after the change: the earlier one, if power is ignored or already as desired. Undefined: no change was requested. */
function powerAfter(item: Item): 'running' | 'stopped' | undefined {
  if (has(item, 'machine.power')) return item.desired.attributes.machine.power;
  const stops = has(item, 'machine.size') || has(item, 'machine.identity');
  return stops ? item.observed.attributes.machine.power : undefined;
}

const has = ({ changes }: Item, field: string): boolean => changes.some((each) => each.field === field);

const stoppedStatuses: ReadonlySet<string> = new Set(['TERMINATED', 'STOPPED', 'SUSPENDED']);
const isStopped = ({ status }: Instance): boolean => stoppedStatuses.has(String(status));

interface Stopped {
  /** The machine before the change. */
  readonly seen: Instance;
  readonly scope: Scope;
  readonly call: Call;
}

type Setting = (item: Item, stopped: Stopped) => Promise<StartedOperation>;

/** The settings that differ; equal ones are not sent again. */
function settingsOf(item: Item, seen: Instance, scope: Scope): readonly Setting[] {
  const { machine } = item.desired.attributes;
  const isSized = canonicalType(seen.machineType ?? '') === canonicalType(machine.size);
  return [
    ...(has(item, 'machine.size') && !isSized ? [setSize] : []),
    ...(changesIdentity(item, seen, scope) ? [has(item, 'groups') ? setIdentityAndTags : setIdentity] : []),
  ];
}

/** True where the machine is to run as another service account than now. */
export function changesIdentity(item: Item, seen: Instance, { project }: Scope): boolean {
  const { identity } = item.desired.attributes.machine;
  const wanted = identity && serviceAccountAddress(identity, project);
  return has(item, 'machine.identity') && (seen.serviceAccounts?.[0]?.email || undefined) !== wanted;
}

/**
 * A rule names tags or service accounts. So the machine has its old and its new tags while its identity changes: one that is started
 * after a refusal is in each group of before.
 */
const setIdentityAndTags: Setting = async (item, stopped) => {
  const { seen, scope, call } = stopped;
  const { id } = item.observed;
  const [before, after] = [new Set(seen.tags?.items ?? []), new Set(tagsOf(item.desired.attributes))];
  const both = new Set([...before, ...after]);
  if (both.size > before.size) {
    const widened = await setTags(id, { seen, tags: [...both] }, scope, call);
    if (!widened.ok) return widened;
  }
  const identified = await setIdentity(item, stopped);
  if (!identified.ok || both.size === after.size) return identified;
  // why: the fingerprint of the tags changed with them
  const now = both.size > before.size ? await getInstance(id, scope, call) : { ok: true as const, value: seen };
  return now.ok ? setTags(id, { seen: now.value, tags: [...after] }, scope, call) : now;
};

/** https://cloud.google.com/compute/docs/instances/changing-machine-type-of-stopped-instance */
const setSize: Setting = ({ desired, observed }, { scope, call }) => {
  const { location: zone = '', name: instance } = placeOf(observed.id);
  const machineType = `zones/${zone}/machineTypes/${canonicalType(desired.attributes.machine.size)}`;
  const request = {
    project: scope.project,
    zone,
    instance,
    instancesSetMachineTypeRequestResource: { machineType },
  };
  return carryOut(
    { action: 'instances.setMachineType', region: regionOfZone(zone) },
    (sdk, options) => sdk.instances().setMachineType(request, options),
    scope,
    call,
  );
};

/** https://cloud.google.com/compute/docs/instances/change-service-account. None is an empty address: the SDK would leave out an empty request. */
const setIdentity: Setting = ({ desired, observed }, { scope, call }) => {
  const { location: zone = '', name: instance } = placeOf(observed.id);
  const { identity } = desired.attributes.machine;
  const wanted =
    identity === undefined
      ? { email: '' }
      : { email: serviceAccountAddress(identity, scope.project), scopes: [...accountScopes] };
  const request = { project: scope.project, zone, instance, instancesSetServiceAccountRequestResource: wanted };
  return carryOut(
    { action: 'instances.setServiceAccount', region: regionOfZone(zone) },
    (sdk, options) => sdk.instances().setServiceAccount(request, options),
    scope,
    call,
  );
};

export const tagsOf = ({ groups = [] }: Pick<InstanceAttributes, 'groups'>): readonly string[] =>
  groups.map((group) => group.replace(/^tag:/, ''));

interface NewTags {
  /** The machine as it stands now: it has the fingerprint of the tags. */
  readonly seen: Instance;
  readonly tags: readonly string[];
}

/** Tags are written whole, with the fingerprint of those they replace: https://cloud.google.com/compute/docs/reference/rest/v1/instances/setTags */
export function setTags(id: CloudId, { seen, tags }: NewTags, scope: Scope, call: Call): Promise<StartedOperation> {
  const { location: zone = '', name: instance } = placeOf(id);
  const tagsResource = { items: [...tags], fingerprint: seen.tags?.fingerprint ?? null };
  return carryOut(
    { action: 'instances.setTags', region: regionOfZone(zone) },
    (sdk, options) => sdk.instances().setTags({ project: scope.project, zone, instance, tagsResource }, options),
    scope,
    call,
  );
}
