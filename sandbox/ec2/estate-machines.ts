import { JsonProblem } from '../json-problem.ts';
import { freshPublicIp, takeAddress } from './addresses.ts';
import { diskOf } from './disks.ts';
import type { InstanceForm, InterfaceForm } from './estate-form.ts';
import { idOf, type Loading } from './estate-loading.ts';
import { checkedCredits } from './instance-types.ts';
import { launchInterface } from './interfaces.ts';
import { associateProfile } from './profiles.ts';
import type { Image, Instance, Power, StateReason, Subnet } from './records.ts';
import { freshId } from './region.ts';
import { noTags } from './tags.ts';
import { checkedUserData } from './user-data.ts';

const IMAGE = 'ami-0abcdef1234567890';

/** One line of the document: `count` equal instances, in one launch. */
export function loadInstance(loading: Loading, form: InstanceForm): void {
  const { region } = loading;
  const { count = 1, tags = noTags, clientToken = '', size: type = 't3.small', state = 'running' } = form;
  if (count > 1 && form.id !== undefined)
    throw new JsonProblem(`${loading.path}: ${count} instances cannot share one id`);
  const subnet = subnetOf(loading, form.subnet);
  const image = region.images.get(form.image ?? IMAGE);
  if (!image) throw new JsonProblem(`${loading.path}.image: no image ${form.image}`);
  const reservationId = freshId(region, 'r');
  for (let index = 0; index < count; index++) {
    const id = form.id ?? freshId(region, 'i');
    const gone = state === 'terminated';
    const instance: Instance = {
      id,
      tags,
      launch: {
        reservationId,
        index,
        imageId: image.id,
        clientToken,
        place: { subnetId: subnet.id, vpcId: subnet.vpcId, zone: subnet.zone, tenancy: 'default' },
        keyName: form.keyName,
      },
      size: { type, ebsOptimized: false },
      power: powerOf(state, loading.now),
      parts: gone ? { interfaceIds: [], volumeIds: [] } : partsOf(loading, { form, subnet, image, id }),
      settings: { ...settingsOf(form, subnet), credits: checkedCredits(type) },
    };
    region.instances.put(instance);
    if (gone)
      region.timeline.schedule(loading.now + region.durations.terminatedListed, () => region.instances.remove(id));
    if (form.profile && !gone) associateProfile({ region, now: loading.now, blur: {} }, id, { Name: form.profile });
  }
}

function powerOf(state: Power, now: number): Instance['power'] {
  const reason: StateReason | undefined =
    state === 'running'
      ? undefined
      : {
          code: 'Client.UserInitiatedShutdown',
          message: 'Client.UserInitiatedShutdown: User initiated shutdown',
          transition: 'User initiated',
        };
  return { state, reason, since: now, startedAt: now };
}

function settingsOf(form: InstanceForm, subnet: Subnet): Omit<Instance['settings'], 'credits'> {
  return {
    userData: checkedUserData(form.userData),
    protect: { termination: form.protect ?? false, stop: false },
    onShutdown: 'stop',
    metadata: { tokens: 'optional', hops: 1, endpoint: 'enabled', tags: 'disabled' },
    monitoring: false,
    publicIp: form.publicIp ?? subnet.onLaunch.publicIp,
  };
}

interface Machine {
  readonly form: InstanceForm;
  readonly subnet: Subnet;
  readonly image: Image;
  readonly id: string;
}

function partsOf(loading: Loading, { form, subnet, image, id }: Machine): Instance['parts'] {
  const { region, now } = loading;
  const publicIp = (form.publicIp ?? subnet.onLaunch.publicIp) && form.state !== 'stopped';
  const nic = launchInterface(region, {
    subnet,
    groups: groupsOf(loading, form.groups),
    privateIp: undefined,
    publicIp,
    tags: form.interfaceTags ?? noTags,
    attachment: { instanceId: id, deviceIndex: 0, deleteOnTermination: true, at: now, description: '' },
  });
  const { size = image.rootSize, type = 'gp3', encrypted = false, tags = noTags } = form.disk ?? {};
  const volume = region.volumes.put({
    id: freshId(region, 'vol'),
    tags,
    zone: subnet.zone,
    createdAt: now,
    disk: diskOf({ size, type, encrypted, snapshotId: `snap-${image.id.slice(4)}` }),
    attachment: { instanceId: id, device: image.rootDevice, deleteOnTermination: true, at: now },
    modification: undefined,
  });
  return { interfaceIds: [nic.id], volumeIds: [volume.id] };
}

/** An interface that belongs to no instance: a load balancer's, a NAT gateway's, or somebody's forgotten one. */
export function loadInterface(loading: Loading, form: InterfaceForm): void {
  const { region, now } = loading;
  const subnet = subnetOf(loading, form.subnet);
  const managed = form.requester !== undefined;
  region.interfaces.put({
    id: form.id ?? freshId(region, 'eni'),
    tags: form.tags ?? noTags,
    place: { subnetId: subnet.id, vpcId: subnet.vpcId, zone: subnet.zone },
    groups: groupsOf(loading, form.groups),
    address: {
      privateIp: takeAddress(region, subnet),
      publicIp: form.publicIp ? freshPublicIp(region) : undefined,
      mac: '02:00:00:00:00:01',
      ipv6: [],
    },
    attachment: managed
      ? { id: freshId(region, 'eni-attach'), instanceId: '', deviceIndex: 1, deleteOnTermination: false, at: now }
      : undefined,
    description: form.description ?? '',
    requester: { id: form.requester, managed, type: form.type ?? 'interface', sourceDestCheck: true },
  });
}

function subnetOf(loading: Loading, reference: string): Subnet {
  const subnet = loading.region.subnets.get(idOf(loading, reference));
  if (!subnet) throw new JsonProblem(`${loading.path}.subnet: no subnet "${reference}"`);
  return subnet;
}

function groupsOf(loading: Loading, references: readonly string[]): readonly string[] {
  return references.map((reference) => {
    const id = idOf(loading, reference);
    if (!loading.region.groups.get(id)) throw new JsonProblem(`${loading.path}.groups: no group "${reference}"`);
    return id;
  });
}
