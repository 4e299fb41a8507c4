import { createHash } from 'node:crypto';
import type { Instance, RunInstancesCommandInput } from '@aws-sdk/client-ec2';
import type { Desired } from '../../../src/core/desired.ts';
import type { Result } from '../../../src/core/failure.ts';
import { imageToLaunch } from '../../../src/core/kinds/instance.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Call, Creation } from '../../../src/ports/provider.ts';
import { afterCreation } from '../../shared/after-creation.ts';
import { failed } from '../../shared/answer.ts';
import { chunks } from '../../shared/chunks.ts';
import { each } from '../../shared/each.ts';
import { groupBy } from '../group-by.ts';
import { markTags } from '../marks.ts';
import { most } from '../rate-limits.ts';
import type { Scope } from '../scope.ts';
import { ec2 } from '../sdk.ts';
import { nameKey, tagList } from '../tags.ts';
import { imageOf } from './launch-check.ts';
import { observeInstance } from './observe.ts';
import { stop, waitFor } from './power.ts';
import { userDataOf } from './user-data.ts';

type Item = Creation<'instance'>;

/**
 * Equal instances of one document with ordinals in a row go in one launch: all of it happens or none (MinCount =
 * MaxCount). It is marked with the document and the first ordinal; which is which follows from AmiLaunchIndex. Their names are
 * given afterwards.
 */
export async function launch(
  batch: readonly Item[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'instance'>>[]> {
  const runs = groupBy(batch, launchKey).flatMap((alike) => rowsOf(alike));
  const answers = await each(runs, async (run): Promise<Result<readonly Result<Observed<'instance'>>[]>> => {
    const answer = await launchRun(run, scope, call);
    return answer.ok ? { ok: true, value: answer.value } : answer;
  });
  const results = new Map<Item, Result<Observed<'instance'>>>();
  for (const [r, run] of runs.entries()) {
    const answer = answers[r] ?? unanswered;
    for (const [i, item] of run.items.entries())
      results.set(item, answer.ok ? (answer.value[i] ?? unanswered) : answer);
  }
  return batch.map((item) => results.get(item) ?? unanswered);
}

const unanswered = failed('ambiguous', 'Unanswered', 'the cloud did not answer for this instance');

/** One call. `first` is absent where the address is no ordinal of its document: then the instance goes alone. */
interface Run {
  readonly items: readonly Item[];
  readonly first?: number;
}

const documentOf = ({ desired }: Item): string => desired.documents[0]?.address ?? desired.address;

function ordinalOf(item: Item): number | undefined {
  const document = documentOf(item);
  const rest = item.desired.address.startsWith(`${document}-`) ? item.desired.address.slice(document.length + 1) : '';
  return /^\d{1,9}$/.test(rest) ? Number(rest) : undefined;
}

/** The fields that must be equal for one launch. Its mark names the intent of the first. */
function launchKey(item: Item): string {
  const { estate, store, deletionPolicy } = item.mark;
  return JSON.stringify([documentOf(item), item.desired.attributes, [estate, store, deletionPolicy]]);
}

function rowsOf(alike: readonly Item[]): readonly Run[] {
  const single = alike.filter((item) => ordinalOf(item) === undefined).map((item) => ({ items: [item] }));
  const numbered = alike.flatMap((item) => {
    const ordinal = ordinalOf(item);
    return ordinal === undefined ? [] : [{ item, ordinal }];
  });
  const rows: { item: Item; ordinal: number }[][] = [];
  for (const next of numbered.toSorted((a, b) => a.ordinal - b.ordinal)) {
    const row = rows.at(-1);
    if (row && row.at(-1)?.ordinal === next.ordinal - 1) row.push(next);
    else rows.push([next]);
  }
  const launches = rows.flatMap((row) => chunks(row, most.launched));
  return [
    ...single,
    ...launches.map((row) => ({
      items: row.map(({ item }) => item),
      first: row[0]?.ordinal,
    })),
  ];
}

async function launchRun(run: Run, scope: Scope, call: Call): Promise<Result<readonly Result<Observed<'instance'>>[]>> {
  const [lead] = run.items;
  if (!lead) return { ok: true, value: [] };
  const input = await inputOf(run, lead, scope, call);
  if (!input.ok) return input;
  const ask = { action: 'RunInstances' as const, instances: run.items.length };
  const answer = await scope.client.send(ask, new ec2.RunInstancesCommand(input.value), call);
  if (!answer.ok) return answer;
  const byIndex = new Map((answer.value.Instances ?? []).map((instance) => [instance.AmiLaunchIndex ?? 0, instance]));
  const seen = run.items.map(({ desired }, index) => answered(byIndex.get(index), desired));
  // why: Setpoint sends unanswered launches again, and a part of a launch would be another launch
  if (seen.some(({ ok }) => !ok)) return unanswered;
  const called = await named(run, seen, scope, call);
  return { ok: true, value: await powered(called, lead.desired, scope, call) };
}

/**
 * A launch gives all of its machines equal tags, so each then gets its name: one call a machine. One that gets none, because the
 * pass was stopped or the cloud does not know the machine yet, differs from its spec in `labels.Name`; an update names it later.
 */
async function named(
  { items }: Run,
  launched: readonly Result<Observed<'instance'>>[],
  { client }: Scope,
  call: Call,
): Promise<readonly Result<Observed<'instance'>>[]> {
  const isNamedAtLaunch = items.length === 1 || items[0]?.desired.attributes.labels[nameKey] !== undefined;
  if (isNamedAtLaunch) return launched;
  return Promise.all(
    launched.map(async (one, index): Promise<Result<Observed<'instance'>>> => {
      const name = items[index]?.desired.name;
      if (!one.ok || name === undefined) return one;
      const command = new ec2.CreateTagsCommand({ Resources: [one.value.id], Tags: tagList({ [nameKey]: name }) });
      const answer = await afterCreation(client.send('CreateTags', command, call), notNamed);
      return answer.ok ? { ok: true, value: withName(one.value, name) } : one;
    }),
  );
}

const notNamed = failed('conflict', 'NotSent', 'the reconcile stopped before the machine had its name');

const withName = (observed: Observed<'instance'>, name: string): Observed<'instance'> => ({
  ...observed,
  name,
  attributes: { ...observed.attributes, labels: { ...observed.attributes.labels, [nameKey]: name } },
});

/** The disk is as desired: EC2 creates its volume with the instance and lists it later. */
function answered(instance: Instance | undefined, { attributes }: Desired<'instance'>): Result<Observed<'instance'>> {
  if (!instance?.InstanceId) return unanswered;
  const { observed } = observeInstance(instance);
  const { disk } = attributes;
  return { ok: true, value: { ...observed, attributes: { ...observed.attributes, ...(disk ? { disk } : {}) } } };
}

/** EC2 launches running machines only: one that shall be stopped is stopped as soon as it runs. */
async function powered(
  results: readonly Result<Observed<'instance'>>[],
  { attributes }: Desired<'instance'>,
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'instance'>>[]> {
  if (attributes.machine.power !== 'stopped') return results;
  const ids = results.flatMap((result) => (result.ok ? [result.value.id] : []));
  const stopping = async (): Promise<boolean> =>
    (await waitFor('running', ids, scope, call)).ok && (await stop(ids, scope, call)).every(({ ok }) => ok);
  if (!(await afterCreation(stopping(), false))) return results;
  return results.map((result) => (result.ok ? { ok: true, value: stopped(result.value) } : result));
}

const stopped = ({ attributes, ...rest }: Observed<'instance'>): Observed<'instance'> => ({
  ...rest,
  attributes: { ...attributes, machine: { ...attributes.machine, power: 'stopped' } },
});

async function inputOf(run: Run, lead: Item, scope: Scope, call: Call): Promise<Result<RunInstancesCommandInput>> {
  const { attributes, address } = lead.desired;
  const { placement, groups, machine, boot } = attributes;
  const disk = await diskOf(attributes, scope, call);
  if (!disk.ok) return disk;
  const text = boot ? userDataOf(await call.secret(address)) : undefined;
  return {
    ok: true,
    value: {
      ImageId: machine.image,
      // why: the SDK lists the sizes it knew when it was built; the cloud has newer ones
      InstanceType: machine.size as RunInstancesCommandInput['InstanceType'],
      MinCount: run.items.length,
      MaxCount: run.items.length,
      ClientToken: clientToken(lead),
      NetworkInterfaces: [
        {
          DeviceIndex: 0,
          SubnetId: placement.subnet,
          Groups: groups ? [...groups] : undefined,
          AssociatePublicIpAddress: placement.publicIp,
          DeleteOnTermination: true,
        },
      ],
      BlockDeviceMappings: disk.value,
      IamInstanceProfile: profileOf(machine.identity),
      UserData: text,
      TagSpecifications: tagsOf(run, lead),
    },
  };
}

export const profileOf = (identity: string | undefined): { Arn: string } | { Name: string } | undefined => {
  if (identity === undefined) return undefined;
  return identity.startsWith('arn:') ? { Arn: identity } : { Name: identity };
};

/**
 * The token of the first, at most 64 ASCII characters (https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html).
 * However many of a launch are sent again with it, whichever call comes second is refused (IdempotentParameterMismatch) and
 * makes nothing beside the first.
 */
const clientToken = ({ token }: Item): string =>
  /^[\x21-\x7e]{1,64}$/.test(token) ? token : createHash('sha256').update(token).digest('hex');

function tagsOf({ first, items }: Run, lead: Item): RunInstancesCommandInput['TagSpecifications'] {
  const { boot, placement, labels } = lead.desired.attributes;
  const mark = first === undefined ? lead.mark : { ...lead.mark, address: documentOf(lead) };
  const ordinal = first === undefined ? {} : { first: `${first}` };
  const Name = items.length > 1 ? lead.desired.name.replace(/-\d+$/, '') : lead.desired.name;
  const launched = {
    'user-data': boot?.userData ?? '',
    access: boot?.access ?? '',
    'public-ip': `${placement.publicIp}`,
  };
  return [
    { ResourceType: 'instance', Tags: tagList({ Name, ...labels, ...markTags(mark, { ...ordinal, ...launched }) }) },
    { ResourceType: 'volume', Tags: tagList({ Name, ...markTags(mark, { ...ordinal, part: 'volume' }) }) },
    {
      ResourceType: 'network-interface',
      Tags: tagList({ Name, ...markTags(mark, { ...ordinal, part: 'network-interface' }) }),
    },
  ];
}

/** A disk is named by the image's own root device, asked for once an image and only where a disk is stated. */
async function diskOf(
  { disk, machine }: Item['desired']['attributes'],
  scope: Scope,
  call: Call,
): Promise<Result<RunInstancesCommandInput['BlockDeviceMappings']>> {
  if (!disk || Object.keys(disk).length === 0) return { ok: true, value: undefined };
  const device = await rootDeviceOf(imageToLaunch(machine), scope, call);
  if (!device.ok) return device;
  const Ebs = {
    VolumeSize: disk.size,
    // why: as with sizes of machines, the cloud may know more types than the SDK
    VolumeType: disk.type as 'gp3' | undefined,
    Encrypted: disk.encrypted,
    DeleteOnTermination: true,
  };
  return { ok: true, value: [{ DeviceName: device.value, Ebs }] };
}

async function rootDeviceOf(image: string, scope: Scope, call: Call): Promise<Result<string>> {
  const answer = await imageOf(image, scope, call);
  if (!answer.ok) return answer;
  const device = answer.value.RootDeviceName;
  if (device === undefined)
    return failed('terminal', 'NoRootDevice', `image ${image} has no root device, so its disk cannot be sized`);
  return { ok: true, value: device };
}
