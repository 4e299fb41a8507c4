import { notFound, notReady } from './errors.ts';
import { freshExternalAddress, releaseAddress } from './instance.ts';
import type { Asked, Context } from './method.ts';
import { begin } from './operation.ts';
import { pathTo } from './place.ts';
import type { Project } from './project.ts';
import type { Instance, Nic, Operation, Status } from './records.ts';

/*
 * PROVISIONING → STAGING → RUNNING → STOPPING → TERMINATED → PROVISIONING …, and from RUNNING or TERMINATED by STOPPING
 * to nothing: https://docs.cloud.google.com/compute/docs/instances/instance-lifecycle. On its way a machine is held by
 * its operation, so here it is always at rest: RUNNING or TERMINATED.
 */

/** Lets a machine that was put as PROVISIONING be staged. What it answers is the operation's `finish`: the machine runs. */
export function staging({ project, now }: Context, id: string): () => void {
  project.timeline.schedule(now + project.durations.start / 2, () => step(project, id, 'PROVISIONING', 'STAGING'));
  return () => {
    step(project, id, 'PROVISIONING', 'STAGING');
    step(project, id, 'STAGING', 'RUNNING');
  };
}

/**
 * The guest shuts itself down: `compute.instances.guestTerminate`, which nobody asked for.
 * https://docs.cloud.google.com/compute/docs/instances/instance-lifecycle
 */
export function shutDown(project: Project, id: string, at: number): void {
  project.timeline.schedule(at, () => {
    const instance = project.instances.get(id);
    if (instance?.power.status !== 'RUNNING' || project.held.has(id)) return;
    project.instances.put({ ...instance, power: { ...instance.power, status: 'STOPPING' } });
    const stoppedAt = at + project.durations.stop;
    project.timeline.schedule(stoppedAt, () => {
      const stopping = project.instances.get(id);
      if (stopping?.power.status !== 'STOPPING' || project.held.has(id)) return;
      const power = { ...stopping.power, status: 'TERMINATED', stoppedAt } as const;
      project.instances.put({ ...stopping, nic: withNat(stopping.nic, undefined), power });
    });
  });
}

/** Starting what runs changes nothing. */
export function beginStart(context: Context, instance: Instance): Operation {
  const { project, now } = context;
  const { id, power } = instance;
  if (power.status === 'RUNNING') return unchanged(context, instance, 'start');
  project.instances.put({ ...instance, power: { ...power, status: 'PROVISIONING', startedAt: now } });
  return begin(context, {
    type: 'start',
    target: instance,
    ms: project.durations.start,
    finish: staging(context, id),
    undo: () => project.instances.put(instance),
  });
}

/** A stopped machine is TERMINATED, and gives its external address back. */
export function beginStop(context: Context, instance: Instance): Operation {
  const { project, now } = context;
  const { id, power } = instance;
  if (power.status === 'TERMINATED') return unchanged(context, instance, 'stop');
  project.instances.put({ ...instance, power: { ...power, status: 'STOPPING' } });
  return begin(context, {
    type: 'stop',
    target: instance,
    ms: project.durations.stop,
    finish: () => {
      const stopping = project.instances.get(id) ?? instance;
      const stopped = { ...stopping.power, status: 'TERMINATED', stoppedAt: now + project.durations.stop } as const;
      project.instances.put({ ...stopping, nic: withNat(stopping.nic, undefined), power: stopped });
    },
    undo: () => project.instances.put(instance),
  });
}

/** A reset is a hard one: the machine stays RUNNING throughout, with its addresses. */
export function beginReset(context: Context, instance: Instance): Operation {
  if (instance.power.status !== 'RUNNING') throw notReady(pathTo(context.project, instance.id));
  return unchanged(context, instance, 'reset');
}

/** The machine is gone with its operation's end, and with it the disks that are to be deleted so. */
export function beginDelete(context: Context, instance: Instance): Operation {
  const { project } = context;
  const { id, power } = instance;
  project.instances.put({ ...instance, power: { ...power, status: 'STOPPING' } });
  return begin(context, {
    type: 'delete',
    target: instance,
    ms: project.durations.delete,
    finish: () => remove(project, project.instances.get(id) ?? instance, context.now + project.durations.delete),
    undo: () => project.instances.put(instance),
  });
}

function unchanged(context: Context, instance: Instance, type: string): Operation {
  return begin(context, { type, target: instance, ms: context.project.durations.change, finish: () => undefined });
}

function remove(project: Project, instance: Instance, at: number): void {
  for (const { diskId, autoDelete } of instance.disks) {
    const disk = project.disks.get(diskId);
    const users = disk?.users.filter((user) => user !== instance.id) ?? [];
    if (autoDelete && users.length === 0) project.disks.remove(diskId);
    else if (disk) project.disks.put({ ...disk, users, touched: { ...disk.touched, detachedAt: at } });
  }
  releaseAddress(project, instance.nic.subnetwork, instance.nic.address);
  project.instances.remove(instance.id);
}

function step(project: Project, id: string, from: Status, to: Status): void {
  const instance = project.instances.get(id);
  if (instance?.power.status !== from) return;
  const nic = withNat(instance.nic, instance.nic.access?.natIp ?? freshExternalAddress(project));
  project.instances.put({ ...instance, nic, power: { ...instance.power, status: to } });
}

/** Only an interface with an access config has an external address. */
export function withNat(nic: Nic, natIp: string | undefined): Nic {
  return nic.access ? { ...nic, access: { ...nic.access, natIp } } : nic;
}

/** The instance of a path as a reader is told. */
export function seenInstance({ project }: Context, asked: Asked): Instance {
  const id = idOf(asked);
  const instance = project.instances.see(id);
  if (!instance) throw notFound(pathTo(project, id));
  return instance;
}

/** The instance of a path as a write finds it: at rest, for while an operation holds it nothing else may begin. */
export function targetInstance({ project }: Context, asked: Asked): Instance {
  const id = idOf(asked);
  const instance = project.instances.target(id);
  if (!instance) throw notFound(pathTo(project, id));
  if (project.held.has(id)) throw notReady(pathTo(project, id));
  return instance;
}

/** The variable is called `resource` in the paths of setDeletionProtection and setIamPolicy. */
function idOf({ at }: Asked): string {
  return `zones/${at['zone']}/instances/${at['instance'] ?? at['resource']}`;
}
