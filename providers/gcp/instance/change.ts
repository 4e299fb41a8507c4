import type { Failure, Result } from '../../../src/core/failure.ts';
import type { Call, Revision } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import { each } from '../../shared/each.ts';
import { placeOf } from '../cloud-id.ts';
import { getDisk, getInstance } from '../get.ts';
import { writeConflict } from '../guard.ts';
import { regionOfZone } from '../links.ts';
import { lookUp } from '../lookup.ts';
import type { Instance } from '../messages.ts';
import { carryOut, type StartedOperation, settle } from '../operations.ts';
import type { Scope } from '../scope.ts';
import { unsupported } from '../unsupported.ts';
import { markOf } from './metadata-keys.ts';
import { bootDiskOf } from './observe.ts';
import { changesIdentity, reshape, setTags, tagsOf } from './reshape.ts';
import { retag } from './retag.ts';

type Item = Revision<'instance'>;

const handled = ['labels', 'groups', 'machine.identity', 'machine.size', 'machine.power', 'disk.size'];

/** Labels for many at once, awaited together; then what else each machine needs. A failure ends an item's steps. */
export async function change(batch: readonly Item[], scope: Scope, call: Call): Promise<readonly Result<void>[]> {
  const found = await each(batch, (item) => currentInstance(item, scope, call));
  const begun = await each([...batch.entries()], async ([index, item]): Promise<StartedOperation> => {
    const seen = found[index] ?? unanswered;
    if (!seen.ok) return seen;
    return seen.value ? retag(item, seen.value, scope, call) : { ok: true, value: undefined };
  });
  const tagged = await settle(begun, scope, call);
  return each([...batch.entries()], async ([index, item]): Promise<Result<void>> => {
    const [seen, before] = [found[index], tagged[index] ?? unanswered];
    if (!before.ok) return before;
    return seen?.ok && seen.value ? changeOne(item, seen.value, scope, call) : done;
  });
}

const unanswered = failed('ambiguous', 'Unanswered', 'the cloud did not answer for this instance');

/** As it stands now, with the fingerprints that a write needs; undefined where there is nothing to write. */
async function currentInstance(item: Item, scope: Scope, call: Call): Promise<Result<Instance | undefined>> {
  const failure = refusal(item);
  if (failure) return { ok: false, failure };
  if (item.changes.length === 0 && !item.mark) return { ok: true, value: undefined };
  const found = await lookUp(item.observed.id, (id) => getInstance(id, scope, call));
  if (!found.ok) return found;
  if (!found.value) return failed('not-found', 'notFound', `${item.observed.id} is gone`);
  const doubt = writeConflict(item, markOf(found.value, scope.project));
  return doubt ? { ok: false, failure: doubt } : found;
}

function refusal({ changes, desired, observed }: Item): Failure | undefined {
  const type = changes.find(({ field }) => field === 'disk.type');
  if (!type) return unsupported(changes, handled);
  const message = `the disk of ${observed.id} is ${type.from} and Google Cloud cannot make it ${type.to} in place: state disk.type: ${type.from}, or delete ${desired.name} so that Setpoint creates it again`;
  return { kind: 'terminal', code: 'Immutable', message };
}

async function changeOne(item: Item, seen: Instance, scope: Scope, call: Call): Promise<Result<void>> {
  const has = (field: string): boolean => item.changes.some((each) => each.field === field);
  const steps: readonly (() => Promise<Result<unknown>>)[] = [
    // why: with its identity a machine joins and leaves groups too, so both change while it stands still
    ...(has('groups') && !changesIdentity(item, seen, scope)
      ? [() => setTags(item.observed.id, { seen, tags: tagsOf(item.desired.attributes) }, scope, call)]
      : []),
    ...(has('disk.size') ? [() => growDisk(item, seen, scope, call)] : []),
    () => reshape(item, seen, scope, call),
  ];
  for (const step of steps) {
    const answer = await step();
    if (!answer.ok) return answer;
  }
  return done;
}

/** A disk grows while in use, and only grows: the same size again is refused. https://cloud.google.com/compute/docs/disks/resize-persistent-disk */
async function growDisk(
  { desired, observed }: Item,
  seen: Instance,
  scope: Scope,
  call: Call,
): Promise<StartedOperation> {
  const path = bootDiskOf(seen);
  if (path === undefined) return failed('terminal', 'NoDisk', `${observed.id} has no boot disk to change`);
  const { location: zone = '', name: disk } = placeOf(path);
  const { size } = desired.attributes.disk ?? {};
  const now = await getDisk(path, scope, call);
  if (!now.ok) return now;
  if (size === undefined || Number(now.value.sizeGb) === size) return { ok: true, value: undefined };
  const disksResizeRequestResource = { sizeGb: size };
  return carryOut(
    { action: 'disks.resize', region: regionOfZone(zone) },
    (sdk, options) => sdk.disks().resize({ project: scope.project, zone, disk, disksResizeRequestResource }, options),
    scope,
    call,
  );
}
