import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call, Revision } from '../../../src/ports/provider.ts';
import { done, failed } from '../../shared/answer.ts';
import { each } from '../../shared/each.ts';
import { sinks } from '../bisect.ts';
import type { Client } from '../client.ts';
import { retag, unsupported } from '../retag.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';
import { diskPart } from './observe.ts';
import { start, stop, waitFor } from './power.ts';
import { setProfile } from './profile.ts';

type Item = Revision<'instance'>;

const handled = ['labels', 'groups', 'machine.identity', 'machine.size', 'machine.power', 'disk.size', 'disk.type'];

/** Tags for many at once, then what concerns one machine, then size and power for many at once. A failure ends an item's steps. */
export async function change(batch: readonly Item[], scope: Scope, call: Call): Promise<readonly Result<void>[]> {
  const results = new Map<Item, Result<void>>(batch.map((item) => [item, check(item)]));
  const open = (): readonly Item[] => batch.filter((item) => results.get(item)?.ok);
  const note = (items: readonly Item[], answers: readonly Result<void>[]): void => {
    for (const [index, item] of items.entries()) results.set(item, answers[index] ?? unanswered);
  };
  const tagged = open();
  note(tagged, await retag(tagged, scope, call));
  const own = open();
  note(own, await each(own, (item) => changeOne(item, scope, call)));
  const resized = open().filter(has('machine.size'));
  note(resized, await resize(resized, scope, call));
  const moved = open().filter((item) => has('machine.power')(item) && !has('machine.size')(item));
  for (const power of ['stopped', 'running'] as const) {
    const items = moved.filter(({ desired }) => desired.attributes.machine.power === power);
    note(items, await (power === 'stopped' ? stop : start)(items.map(idOf), scope, call));
  }
  return batch.map((item) => results.get(item) ?? unanswered);
}

const unanswered = failed('ambiguous', 'Unanswered', 'the cloud did not answer for this instance');
const idOf = ({ observed }: Item): CloudId => observed.id;
const has =
  (field: string) =>
  ({ changes }: Item): boolean =>
    changes.some((each) => each.field === field);

function check({ changes }: Item): Result<void> {
  const failure = unsupported(changes, handled);
  return failure ? { ok: false, failure } : done;
}

async function changeOne(item: Item, scope: Scope, call: Call): Promise<Result<void>> {
  const { machine, groups = [] } = item.desired.attributes;
  const steps: (() => Promise<Result<unknown>>)[] = [];
  if (has('groups')(item)) {
    const command = new ec2.ModifyInstanceAttributeCommand({ InstanceId: idOf(item), Groups: [...groups] });
    steps.push(() => scope.client.send('ModifyInstanceAttribute', command, call));
  }
  if (has('machine.identity')(item)) steps.push(() => setProfile(idOf(item), machine.identity, scope, call));
  if (has('disk.size')(item) || has('disk.type')(item)) steps.push(() => changeDisk(item, scope, call));
  for (const step of steps) {
    const answer = await step();
    if (!answer.ok) return answer;
  }
  return done;
}

/** A volume grows and changes type while in use: https://docs.aws.amazon.com/ebs/latest/userguide/ebs-modify-volume.html */
async function changeDisk(item: Item, { client }: Scope, call: Call): Promise<Result<void>> {
  const { desired, observed } = item;
  const VolumeId = observed.condition.parts?.find(({ part }) => part === diskPart)?.id;
  if (VolumeId === undefined) return failed('terminal', 'NoDisk', `${observed.id} has no root volume to change`);
  const { disk = {} } = desired.attributes;
  const size = has('disk.size')(item) ? disk.size : undefined;
  const type = has('disk.type')(item) ? disk.type : undefined;
  const command = new ec2.ModifyVolumeCommand({
    VolumeId,
    Size: size,
    // why: the cloud may know more types than the SDK
    VolumeType: type as 'gp3' | undefined,
  });
  const answer = await client.send('ModifyVolume', command, call);
  if (answer.ok || !sinks(answer.failure)) return answer.ok ? done : answer;
  return (await isDisk(VolumeId, { size, type }, client, call)) ? done : answer;
}

/** A volume refuses a second change for hours, also the one it has already made. */
async function isDisk(
  VolumeId: CloudId,
  { size, type }: { readonly size: number | undefined; readonly type: string | undefined },
  client: Client,
  call: Call,
): Promise<boolean> {
  const answer = await client.send('DescribeVolumes', new ec2.DescribeVolumesCommand({ VolumeIds: [VolumeId] }), call);
  const volume = answer.ok ? answer.value.Volumes?.[0] : undefined;
  return (
    volume !== undefined &&
    (size === undefined || volume.Size === size) &&
    (type === undefined || volume.VolumeType === type)
  );
}

/**
 * A machine changes size only while it is stopped. Those that run are stopped together, waited for together, changed one by
 * one and started together; one whose change is refused is started again all the same, one that stood still is not.
 */
async function resize(items: readonly Item[], scope: Scope, call: Call): Promise<readonly Result<void>[]> {
  if (items.length === 0) return [];
  const results = new Map<Item, Result<void>>(items.map((item) => [item, done]));
  const open = (): readonly Item[] => items.filter((item) => results.get(item)?.ok);
  const running = items.filter(({ observed }) => observed.attributes.machine.power === 'running');
  for (const [index, answer] of (await stop(running.map(idOf), scope, call)).entries())
    set(results, running[index], answer);
  const waiting = open().map(idOf);
  const waited = waiting.length === 0 ? done : await waitFor('stopped', waiting, scope, call);
  if (!waited.ok) return items.map((item) => (results.get(item)?.ok ? waited : (results.get(item) ?? waited)));
  const stoppedNow = open();
  const changed = await each(stoppedNow, (item) => setSize(item, scope, call));
  for (const [index, answer] of changed.entries()) set(results, stoppedNow[index], answer);
  const toStart = stoppedNow.filter((item) => powerAfter(item) === 'running');
  for (const [index, answer] of (await start(toStart.map(idOf), scope, call)).entries()) {
    if (!answer.ok) set(results, toStart[index], answer);
  }
  return items.map((item) => results.get(item) ?? unanswered);
}

/** The power state after the change: the earlier one, if power is ignored or already as desired. */
const powerAfter = (item: Item): 'running' | 'stopped' =>
  (has('machine.power')(item) ? item.desired : item.observed).attributes.machine.power;

function set(results: Map<Item, Result<void>>, item: Item | undefined, answer: Result<void>): void {
  if (item && results.get(item)?.ok) results.set(item, answer);
}

async function setSize({ desired, observed }: Item, { client }: Scope, call: Call): Promise<Result<void>> {
  const InstanceType = { Value: desired.attributes.machine.size };
  const command = new ec2.ModifyInstanceAttributeCommand({ InstanceId: observed.id, InstanceType });
  const answer = await client.send('ModifyInstanceAttribute', command, call);
  return answer.ok ? done : answer;
}
