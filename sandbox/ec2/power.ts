import { freshPublicIp } from './addresses.ts';
import { removeInterface } from './interfaces.ts';
import type { Instance, Power, StateReason } from './records.ts';
import type { Region } from './region.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceState.html */
export const STATE_CODE: Readonly<Record<Power, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

/** An instance begins to start; on the region's clock it will be running. */
export function beginStart(region: Region, instance: Instance, now: number): Instance {
  const next = region.instances.put({
    ...instance,
    power: { state: 'pending', reason: undefined, since: now, startedAt: now },
  });
  if (instance.settings.publicIp) setPublicIp(region, instance, freshPublicIp(region));
  region.timeline.schedule(now + region.durations.start, () => step(region, instance.id, 'pending', 'running'));
  return next;
}

export function beginStop(region: Region, instance: Instance, now: number): Instance {
  const reason = userInitiated(now);
  const next = region.instances.put({
    ...instance,
    power: { ...instance.power, state: 'stopping', reason, since: now },
  });
  region.timeline.schedule(now + region.durations.stop, () => {
    if (step(region, instance.id, 'stopping', 'stopped')) setPublicIp(region, instance, undefined);
  });
  return next;
}

/**
 * A machine that cannot boot, as from a snapshot that is lost or cannot be decrypted, goes from pending to terminated by itself.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html#troubleshooting-launch-internal
 */
export function dieAtBoot(region: Region, id: string, at: number): void {
  region.timeline.schedule(at, () => {
    const instance = region.instances.get(id);
    if (instance?.power.state === 'pending' || instance?.power.state === 'running')
      beginTerminate(region, instance, at, launchError);
  });
}

const launchError: StateReason = {
  code: 'Client.InternalError',
  message: 'Client.InternalError: Client error on launch',
  transition: 'Client.InternalError: Client error on launch',
};

export function beginTerminate(
  region: Region,
  instance: Instance,
  now: number,
  reason: StateReason = userInitiated(now),
): Instance {
  const next = region.instances.put({
    ...instance,
    power: { ...instance.power, state: 'shutting-down', reason, since: now },
  });
  region.timeline.schedule(now + region.durations.terminate, () => {
    if (!step(region, instance.id, 'shutting-down', 'terminated')) return;
    releaseParts(region, instance.id);
    region.timeline.schedule(now + region.durations.terminate + region.durations.terminatedListed, () =>
      region.instances.remove(instance.id),
    );
  });
  return next;
}

/** Takes the step only if the instance is still where it began: a later order wins. */
function step(region: Region, id: string, from: Power, to: Power): boolean {
  const instance = region.instances.get(id);
  if (instance?.power.state !== from) return false;
  region.instances.put({ ...instance, power: { ...instance.power, state: to } });
  return true;
}

function setPublicIp(region: Region, { parts }: Instance, publicIp: string | undefined): void {
  const eni = region.interfaces.get(parts.interfaceIds[0] ?? '');
  if (eni) region.interfaces.put({ ...eni, address: { ...eni.address, publicIp } });
}

function releaseParts(region: Region, id: string): void {
  const instance = region.instances.get(id);
  if (!instance) return;
  for (const eniId of instance.parts.interfaceIds) {
    const eni = region.interfaces.get(eniId);
    if (eni?.attachment?.deleteOnTermination) removeInterface(region, eni);
    else if (eni)
      region.interfaces.put({ ...eni, attachment: undefined, address: { ...eni.address, publicIp: undefined } });
  }
  for (const volumeId of instance.parts.volumeIds) {
    const volume = region.volumes.get(volumeId);
    if (volume?.attachment?.deleteOnTermination) region.volumes.remove(volumeId);
    else if (volume) region.volumes.put({ ...volume, attachment: undefined });
  }
  for (const association of region.profiles.of(id)) region.profiles.remove(association.id);
  region.instances.put({ ...instance, parts: { interfaceIds: [], volumeIds: [] } });
}

function userInitiated(now: number): StateReason {
  const when = new Date(now).toISOString().replace('T', ' ').slice(0, 19);
  return {
    code: 'Client.UserInitiatedShutdown',
    message: 'Client.UserInitiatedShutdown: User initiated shutdown',
    transition: `User initiated (${when} GMT)`,
  };
}
