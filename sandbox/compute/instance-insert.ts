import { Refused } from '../refused.ts';
import { releaseAddress, takeAddress } from './instance-addresses.ts';
import { type DisksPlan, disksPlan } from './instance-disks.ts';
import { checkArchitecture, hardwareOf, machineTypeOf, settingsOf } from './instance-hardware.ts';
import { checkedLabels, checkedMetadata, checkedTags } from './instance-marks.ts';
import type { InstanceMessage } from './instance-message.ts';
import { type NicPlan, nicPlan } from './instance-nic.ts';
import { shutDown, staging } from './instance-power.ts';
import type { Instance } from './instance-records.ts';
import type { Context } from './method.ts';
import { begin } from './operation.ts';
import { nameIn } from './place.ts';
import { freshNumber, type Project } from './project.ts';
import type { Operation, Scope } from './records.ts';
import { checkRegionQuotas } from './region-quotas.ts';
import { checkedDescription, mustBeFree } from './resource.ts';
import { checkedName } from './resource-name.ts';

/** A machine as it will be, without its address, and what is made with it. */
interface Plan {
  readonly instance: Omit<Instance, 'nic'>;
  readonly nic: NicPlan;
  readonly disks: DisksPlan;
}

/** What is wrong with the request is refused at once; that there is no address is how the operation fails. */
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
