import { JsonProblem } from '../json-problem.ts';
import { plannedDisk } from './disk-plan.ts';
import { explained, type Loading, within } from './estate-loading.ts';
import type { Image } from './images.ts';
import { freshExternalAddress } from './instance-addresses.ts';
import type { DiskForm, ImageForm, InstanceForm } from './instance-estate-form.ts';
import { putInstance } from './instance-insert.ts';
import type { InstanceMessage } from './instance-message.ts';
import { withNat } from './instance-power.ts';
import { freshNumber } from './project.ts';
import { mustBeFree } from './resource.ts';
import { zoneNamed } from './zones.ts';

export interface MachineForms {
  readonly images: readonly ImageForm[] | undefined;
  readonly disks: readonly DiskForm[] | undefined;
  readonly instances: readonly InstanceForm[] | undefined;
}

/** Machines that have long been there, after the networks that they are in. */
export function loadMachines(loading: Loading, { images = [], disks = [], instances = [] }: MachineForms): void {
  const each = <T>(forms: readonly T[], name: string, load: (loading: Loading, form: T) => void): void => {
    for (const [index, form] of forms.entries()) {
      const here = within(loading, `${name}[${index}]`);
      explained(here, () => load(here, form));
    }
  };
  each(images, 'images', loadImage);
  each(disks, 'disks', loadDisk);
  each(instances, 'instances', loadInstances);
}

function loadImage({ project, now }: Loading, form: ImageForm): void {
  const { name, family, sizeGb = 10, architecture = 'X86_64', description, labels = new Map<string, string>() } = form;
  const image: Image = {
    id: `global/images/${name}`,
    number: freshNumber(project),
    name,
    scope: 'global',
    createdAt: now,
    description,
    project: project.id,
    content: { diskSizeGb: sizeGb, architecture, licenses: [] },
    shelf: { family, labels, replacedBy: undefined },
  };
  mustBeFree(project, project.images, image.id);
  project.images.put(image);
}

function loadDisk({ project, now }: Loading, { name, zone, image, type, sizeGb, description, labels }: DiskForm): void {
  const wish = {
    name,
    scope: `zones/${zone}`,
    image,
    type: type === undefined ? undefined : `zones/${zone}/diskTypes/${type}`,
    sizeGb,
    about: { labels, description },
  } as const;
  const fields = { name: 'name', image: 'image', type: 'type', size: 'sizeGb', labels: 'labels' };
  const disk = plannedDisk(project, now, wish, fields);
  mustBeFree(project, project.disks, disk.id);
  project.disks.put(disk);
}

function loadInstances(loading: Loading, form: InstanceForm): void {
  const { count, name } = form;
  if (form.address !== undefined && count !== undefined && count > 1)
    throw new JsonProblem(`${loading.path}: ${count} instances cannot share one address`);
  const names = count === undefined ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index}`);
  for (const each of names) loadInstance(loading, each, form);
}

function loadInstance({ project, now }: Loading, name: string, form: InstanceForm): void {
  const instance = putInstance({ project, now }, `zones/${form.zone}`, messageOf(name, form));
  const running = form.status !== 'TERMINATED';
  project.instances.put({
    ...instance,
    nic: withNat(instance.nic, running ? freshExternalAddress(project) : undefined),
    power: { status: running ? 'RUNNING' : 'TERMINATED', startedAt: now, stoppedAt: running ? undefined : now },
  });
}

const IMAGE = 'projects/debian-cloud/global/images/family/debian-12';

function messageOf(name: string, form: InstanceForm): InstanceMessage {
  const { zone, machineType = 'e2-small', image = IMAGE, disk, metadata = new Map<string, string>() } = form;
  const { description, deletionProtection = false, canIpForward = false, labels = new Map<string, string>() } = form;
  return {
    name,
    machineType: `zones/${zone}/machineTypes/${machineType}`,
    deletionProtection,
    canIpForward,
    labels,
    ...(description === undefined ? {} : { description }),
    tags: { items: form.tags ?? [] },
    metadata: { items: [...metadata].map(([key, value]) => ({ key, value })) },
    serviceAccounts: form.serviceAccount === undefined ? [] : [{ email: form.serviceAccount }],
    networkInterfaces: [nicOf(form)],
    disks: [{ boot: true, autoDelete: disk?.autoDelete ?? true, initializeParams: paramsOf(zone, image, disk) }],
  };
}

function nicOf({ zone, subnetwork, externalIp, address }: InstanceForm) {
  return {
    subnetwork: `regions/${zoneNamed(zone)?.region}/subnetworks/${subnetwork}`,
    ...(address === undefined ? {} : { networkIP: address }),
    accessConfigs: externalIp ? [{}] : [],
  };
}

function paramsOf(zone: string, sourceImage: string, disk: InstanceForm['disk']) {
  return {
    sourceImage,
    ...(disk?.sizeGb === undefined ? {} : { diskSizeGb: disk.sizeGb }),
    ...(disk?.type === undefined ? {} : { diskType: `zones/${zone}/diskTypes/${disk.type}` }),
    ...(disk?.labels === undefined ? {} : { labels: disk.labels }),
  };
}
