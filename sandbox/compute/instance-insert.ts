import { Refused } from '../protocol.ts';
import { type DiskDraft, plannedDisk } from './disk.ts';
import { alreadyExists, inUse, invalid, required } from './errors.ts';
import {
  type AttachedDiskMessage,
  checkedLabels,
  checkedMetadata,
  checkedTags,
  type InstanceMessage,
  type NicPlan,
  nicPlan,
  releaseAddress,
  takeAddress,
} from './instance.ts';
import { shutDown, staging } from './instance-power.ts';
import { type Architecture, type MachineType, machineTypeNamed } from './machine-types.ts';
import type { Context } from './method.ts';
import { begin } from './operation.ts';
import { nameIn, pathTo, referenceTo } from './place.ts';
import { freshNumber, type Project } from './project.ts';
import type {
  AttachedDisk,
  Disk,
  Hardware,
  Instance,
  InstanceSettings,
  Operation,
  Scheduling,
  Scope,
  ServiceAccount,
} from './records.ts';
import { checkRegionQuotas } from './region-quotas.ts';
import { checkedDescription, checkedName, mustBeFree } from './resource.ts';

/** A machine as it will be, without its address, and what is made with it. */
interface Plan {
  readonly instance: Omit<Instance, 'nic'>;
  readonly nic: NicPlan;
  readonly disks: DisksPlan;
}

/** Refuses an invalid request at once. If the subnetwork has no free address, the operation fails. */
export function insertInstance(context: Context, scope: Scope, given: InstanceMessage): Operation {
  const { project, now } = context;
  const plan = planOf(context, scope, given);
  checkRegionQuotas(project, scope, plan.instance.hardware.machineType, plan.nic.access !== undefined);
  const { id } = plan.instance;
  const instance = addressed(project, plan);
  const work = { type: 'insert', target: plan.instance, ms: project.durations.start };
  if (instance instanceof Refused)
    return begin(context, {
      ...work,
      finish: () => {
        throw instance;
      },
    });
  put(project, plan.disks, instance, now);
  const bad = project.badBoots.get(imageNameOf(project, instance));
  if (bad) shutDown(project, id, now + project.durations.start + bad.stopsAfterMs);
  return begin(context, { ...work, finish: staging(context, id), undo: () => takeBack(project, plan.disks, instance) });
}

/** A machine that has long been there: what an estate holds. */
export function putInstance(context: Pick<Context, 'project' | 'now'>, scope: Scope, given: InstanceMessage): Instance {
  const plan = planOf(context, scope, given);
  const instance = addressed(context.project, plan);
  if (instance instanceof Refused) throw instance;
  put(context.project, plan.disks, instance, context.now);
  return instance;
}

function planOf({ project, now }: Pick<Context, 'project' | 'now'>, scope: Scope, given: InstanceMessage): Plan {
  const name = checkedName(given.name);
  const id = `${scope}/instances/${name}`;
  mustBeFree(project, project.instances, id);
  const type = machineTypeOf({ project, scope }, given.machineType, 'resource.machineType');
  const nic = nicPlan(project, nameIn(scope), given.networkInterfaces);
  const disks = disksPlan({ project, now, scope, name }, given.disks);
  const [boot] = disks.attached;
  const bootDisk = disks.fresh.find((disk) => disk.id === boot?.diskId) ?? project.disks.get(boot?.diskId ?? '');
  checkArchitecture(type, bootDisk?.source?.architecture);
  const instance: Plan['instance'] = {
    id,
    number: freshNumber(project),
    name,
    scope,
    createdAt: now,
    description: checkedDescription(given.description),
    power: { status: 'PROVISIONING', startedAt: now, stoppedAt: undefined },
    hardware: hardwareOf(type, given),
    disks: disks.attached,
    marks: {
      labels: checkedLabels(given.labels, 'resource.labels'),
      tags: checkedTags(given.tags?.items, 'resource.tags.items'),
      metadata: checkedMetadata(given.metadata, 'resource.metadata'),
    },
    settings: settingsOf(project, given),
  };
  return { instance, nic, disks };
}

function addressed(project: Project, { instance, nic }: Plan): Instance | Refused {
  try {
    const { subnetwork, wanted, access } = nic;
    const address = takeAddress(project, subnetwork, wanted);
    return {
      ...instance,
      nic: { name: 'nic0', network: subnetwork.network, subnetwork: subnetwork.id, address, access },
    };
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

function put(project: Project, { fresh }: DisksPlan, instance: Instance, now: number): void {
  for (const disk of fresh) project.disks.put(disk);
  for (const { diskId } of instance.disks) {
    const disk = project.disks.get(diskId);
    if (disk)
      project.disks.put({
        ...disk,
        users: [...disk.users, instance.id],
        touched: { ...disk.touched, attachedAt: now },
      });
  }
  project.instances.put(instance);
}

function takeBack(project: Project, { fresh }: DisksPlan, instance: Instance): void {
  for (const { diskId } of instance.disks) {
    const disk = project.disks.get(diskId);
    if (fresh.some(({ id }) => id === diskId)) project.disks.remove(diskId);
    else if (disk) project.disks.put({ ...disk, users: disk.users.filter((user) => user !== instance.id) });
  }
  releaseAddress(project, instance.nic.subnetwork, instance.nic.address);
  project.instances.remove(instance.id);
}

/** The image that its boot disk was made from; '' where it was made from none. */
const imageNameOf = ({ disks: all }: Project, { disks }: Instance): string =>
  all.get(disks.find(({ boot }) => boot)?.diskId ?? '')?.source?.image ?? '';

/** The disks of a machine to be: those to make with it, and how all are attached, the boot disk first. */
interface DisksPlan {
  readonly fresh: readonly Disk[];
  readonly attached: readonly AttachedDisk[];
}

interface Machine {
  readonly project: Project;
  readonly now: number;
  readonly scope: Scope;
  readonly name: string;
}

const FIELD = 'resource.disks';

/** Throws what a request is refused with at once. */
function disksPlan(machine: Machine, given: readonly AttachedDiskMessage[] | undefined): DisksPlan {
  const disks = given ?? [];
  if (disks.length === 0) throw invalid(FIELD, '', 'No disks are specified.');
  if (!disks[0]?.boot)
    throw invalid(`${FIELD}[0].boot`, 'false', 'Boot disk must be the first disk attached to the instance.');
  const planned = disks.map((disk, index) => plannedOf(machine, disk, index));
  checkTwice(planned.map(({ attached }) => attached));
  return { fresh: planned.flatMap(({ fresh }) => fresh ?? []), attached: planned.map(({ attached }) => attached) };
}

interface Planned {
  readonly fresh: Disk | undefined;
  readonly attached: AttachedDisk;
}

function plannedOf(machine: Machine, given: AttachedDiskMessage, index: number): Planned {
  const at = `${FIELD}[${index}]`;
  const boot = given.boot ?? false;
  if (boot && index > 0) throw invalid(`${at}.boot`, 'true', 'Only one disk can be the boot disk.');
  if (given.source && given.initializeParams) throw invalid(at, '', 'Cannot specify both source and initializeParams.');
  const fresh = given.source ? undefined : freshDisk(machine, given, at);
  const disk = fresh ?? existingDisk(machine, given, at);
  return {
    fresh,
    attached: {
      diskId: disk.id,
      deviceName: given.deviceName || `persistent-disk-${index}`,
      boot,
      autoDelete: given.autoDelete ?? false,
      mode: given.mode ?? 'READ_WRITE',
    },
  };
}

/** A name that is taken is refused, whatever the discovery document says: https://github.com/hashicorp/terraform/issues/7998 */
function freshDisk({ project, now, scope, name }: Machine, given: AttachedDiskMessage, at: string): Disk {
  const params = given.initializeParams ?? {};
  if (given.boot && !params.sourceImage) throw invalid(at, '', 'Boot disk must have a source specified');
  const draft: DiskDraft = {
    name: params.diskName || name,
    scope,
    image: params.sourceImage,
    type: params.diskType,
    sizeGb: params.diskSizeGb ?? given.diskSizeGb,
    about: { labels: params.labels, description: params.description },
  };
  const fields = `${at}.initializeParams`;
  const disk = plannedDisk(project, now, draft, {
    name: `${fields}.diskName`,
    image: `${fields}.sourceImage`,
    type: `${fields}.diskType`,
    size: `${fields}.diskSizeGb`,
    labels: `${fields}.labels`,
  });
  const taken = project.disks.get(disk.id);
  if (taken?.users[0] !== undefined) throw inUse('disk', pathTo(project, disk.id), pathTo(project, taken.users[0]));
  if (taken) throw alreadyExists(pathTo(project, disk.id));
  return disk;
}

function existingDisk({ project, scope }: Machine, { source, mode }: AttachedDiskMessage, at: string): Disk {
  if (!source) throw required(`${at}.source`);
  const field = `${at}.source`;
  const id = referenceTo(project, 'disks', { value: source, field });
  const disk = project.disks.get(id);
  if (!disk || disk.scope !== scope) throw invalid(field, source, 'The referenced disk resource cannot be found.');
  const [user] = disk.users;
  if (user !== undefined && mode !== 'READ_ONLY') throw inUse('disk', pathTo(project, id), pathTo(project, user));
  return disk;
}

function checkTwice(attached: readonly AttachedDisk[]): void {
  for (const [index, { diskId, deviceName }] of attached.entries()) {
    const before = attached.slice(0, index);
    if (before.some((other) => other.diskId === diskId))
      throw invalid(`${FIELD}[${index}]`, diskId, 'The disk is named twice.');
    if (before.some((other) => other.deviceName === deviceName))
      throw invalid(`${FIELD}[${index}].deviceName`, deviceName, 'Device names must be unique.');
  }
}

interface Where {
  readonly project: Project;
  readonly scope: Scope;
}

/** The machine type that a request names; it must be one of the instance's own zone. */
export function machineTypeOf({ project, scope }: Where, value: string | undefined, field: string): MachineType {
  if (!value) throw required(field);
  const id = referenceTo(project, 'machineTypes', { value, field });
  if (!id.startsWith(`${scope}/`))
    throw invalid(field, value, `Machine type specified '${value}' is in a different scope than the instance.`);
  const [zone, name] = [nameIn(scope), nameIn(id)];
  const type = machineTypeNamed(zone, name);
  if (!type) throw invalid(field, value, `Machine type with name '${name}' does not exist in zone '${zone}'.`);
  return type;
}

/** https://docs.cloud.google.com/compute/docs/instances/arm-on-compute#limitations: an image runs on its own architecture. */
export function checkArchitecture(type: MachineType, image: Architecture | undefined): void {
  const { architecture } = type.chip;
  if (image !== undefined && image !== architecture)
    throw invalid(
      'resource.disks[0].architecture',
      image,
      `Machine type '${type.name}' has architecture ${architecture}.`,
    );
}

function hardwareOf({ chip, name }: MachineType, given: InstanceMessage): Hardware {
  const { enableSecureBoot, enableVtpm, enableIntegrityMonitoring } = given.shieldedInstanceConfig ?? {};
  return {
    machineType: name,
    cpuPlatform: chip.platform,
    canIpForward: given.canIpForward ?? false,
    shielded: {
      secureBoot: enableSecureBoot ?? false,
      vtpm: enableVtpm ?? true,
      integrityMonitoring: enableIntegrityMonitoring ?? true,
    },
  };
}

function settingsOf(project: Project, given: InstanceMessage): InstanceSettings {
  return {
    deletionProtection: given.deletionProtection ?? false,
    scheduling: schedulingOf(given.scheduling ?? {}),
    serviceAccounts: serviceAccountsOf(project, given.serviceAccounts ?? [], 'resource.serviceAccounts'),
  };
}

type AccountMessage = NonNullable<InstanceMessage['serviceAccounts']>[number];

/** One at most, says the discovery document; `default` is the project's own of Compute Engine. */
export function serviceAccountsOf(
  project: Project,
  given: readonly AccountMessage[],
  field: string,
): readonly ServiceAccount[] {
  if (given.length > 1) throw invalid(field, '', 'At most one service account is supported.');
  return given.map(({ email, scopes }, index) => {
    const named = !email || email === 'default' ? `${project.number}-compute@developer.gserviceaccount.com` : email;
    if (!/^[^@\s]+@[^@\s]+$/.test(named))
      throw invalid(`${field}[${index}].email`, named, 'The service account email is malformed.');
    return { email: named, scopes: scopes ?? [] };
  });
}

/** Defaults of https://docs.cloud.google.com/compute/docs/instances/setting-vm-host-options; a Spot machine is never restarted. */
function schedulingOf(given: NonNullable<InstanceMessage['scheduling']>): Scheduling {
  const spot = given.provisioningModel === 'SPOT' || given.preemptible === true;
  if (spot && (given.automaticRestart === true || given.onHostMaintenance === 'MIGRATE'))
    throw invalid('resource.scheduling', 'preemptible', 'A preemptible instance neither restarts nor migrates.');
  return {
    onHostMaintenance: given.onHostMaintenance ?? (spot ? 'TERMINATE' : 'MIGRATE'),
    automaticRestart: given.automaticRestart ?? !spot,
    preemptible: spot,
    provisioningModel: spot ? 'SPOT' : 'STANDARD',
  };
}
