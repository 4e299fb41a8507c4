import type { Result } from '../../../src/core/failure.ts';
import { imageToLaunch } from '../../../src/core/kinds/instance.ts';
import { serviceAccountAddress } from '../../../src/core/kinds/rules.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { type CloudId, type InstanceAttributes, slotOf } from '../../../src/core/resource.ts';
import type { Call, Creation, Launch } from '../../../src/ports/provider.ts';
import { afterCreation } from '../../shared/after-creation.ts';
import { failed } from '../../shared/answer.ts';
import { each } from '../../shared/each.ts';
import { placeOf } from '../cloud-id.ts';
import { createEach, type Making } from '../creation.ts';
import { getDisk, getInstance } from '../get.ts';
import { regionOfZone } from '../links.ts';
import { markLabels, markText } from '../marks/labels.ts';
import type { AttachedDisk, Instance } from '../messages.ts';
import { requestId } from '../request-id.ts';
import type { Scope } from '../scope.ts';
import { accountScopes, canonicalImage, canonicalType } from '../spelling.ts';
import { markOf, metadataKeys } from './metadata-keys.ts';
import { stop } from './power.ts';

type Item = Creation<'instance'>;

/** Each machine by a call of its own, marked with its own address: the zone is the address's. */
export async function launch(
  batch: readonly Item[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'instance'>>[]> {
  const results = await createEach(batch, makingIn(scope, call), scope, call);
  return each([...batch.entries()], async ([index, item]) => {
    const made = await besideDisk(results[index] ?? unanswered, item, scope, call);
    return powered(made, item, scope, call);
  });
}

/** `diskNamed`: the name of the boot disk; absent: the machine's name. */
function makingIn(scope: Scope, call: Call, diskNamed?: string): Making<'instance', Instance> {
  const { project } = scope;
  return {
    path: (item) => pathOf(item, project),
    insert: (item, id) => insert(item, { id, diskNamed }, scope, call),
    get: (item) => getInstance(pathOf(item, project), scope, call),
    markOf: (instance) => markOf(instance, project),
    made: (item, id) => made(item, id, project),
  };
}

/**
 * A boot disk that somebody keeps (autoDelete false) outlives its machine, and would keep the next one of that name from being
 * made for ever: then the new disk has a name of its own.
 */
async function besideDisk(
  tried: Result<Observed<'instance'>>,
  item: Item,
  scope: Scope,
  call: Call,
): Promise<Result<Observed<'instance'>>> {
  if (tried.ok || tried.failure.kind !== 'conflict') return tried;
  const machine = await getInstance(pathOf(item, scope.project), scope, call);
  if (machine.ok || machine.failure.kind !== 'not-found') return tried;
  const disk = await getDisk(pathOf(item, scope.project).replace('/instances/', '/disks/'), scope, call);
  if (!disk.ok) return tried;
  const name = `${item.desired.name.slice(0, longestName - 9)}-${requestId(item.token, 'disk').slice(0, 8)}`;
  const [again = tried] = await createEach([item], makingIn(scope, call, name), scope, call);
  return again;
}

/** https://cloud.google.com/compute/docs/naming-resources */
const longestName = 63;

const unanswered = failed('ambiguous', 'Unanswered', 'the cloud did not answer for this instance');

/** `gcp/acme/europe-west1-b/instance/web-0` → `europe-west1-b` */
const zoneOf = ({ desired }: Item): string => desired.address.split('/')[2] ?? '';

const pathOf = (item: Item, project: string): string =>
  `projects/${project}/zones/${zoneOf(item)}/instances/${item.desired.name}`;

interface Sending {
  readonly id: string;
  readonly diskNamed?: string;
}

async function insert(item: Item, { id, diskNamed }: Sending, { client, project }: Scope, call: Call) {
  const boot = item.desired.attributes.boot ? await call.secret(item.desired.address) : {};
  const zone = zoneOf(item);
  const instanceResource = { ...instanceOf(item, boot, project), disks: [bootDisk(item, project, diskNamed)] };
  // why: what differs must not go under the same id
  const sentAs = diskNamed === undefined ? id : requestId(id, diskNamed);
  const secrets = [boot.userData, ...(boot.access?.sshKeys ?? [])].filter((text) => text !== undefined);
  return client.write({ action: 'instances.insert', region: regionOfZone(zone), secrets }, call, (sdk, options) =>
    sdk.instances().insert({ project, zone, requestId: sentAs, instanceResource }, options),
  );
}

function instanceOf(item: Item, boot: Launch, project: string): Instance {
  const { name, attributes } = item.desired;
  const { placement, groups = [], machine, labels } = attributes;
  const zone = zoneOf(item);
  const identity = machine.identity === undefined ? undefined : serviceAccountAddress(machine.identity, project);
  return {
    name,
    machineType: `zones/${zone}/machineTypes/${canonicalType(machine.size)}`,
    networkInterfaces: [
      {
        subnetwork: placeOf(placement.subnet).path,
        accessConfigs: placement.publicIp ? [{ type: 'ONE_TO_ONE_NAT', name: 'External NAT' }] : [],
      },
    ],
    serviceAccounts: identity === undefined ? [] : [{ email: identity, scopes: [...accountScopes] }],
    tags: { items: groups.map((group) => group.replace(/^tag:/, '')) },
    labels: { ...labels, ...markLabels(item.mark) },
    metadata: { items: Object.entries(metadataOf(item, boot)).map(([key, value]) => ({ key, value })) },
    deletionProtection: false,
  };
}

function bootDisk({ desired, mark }: Item, project: string, diskName?: string): AttachedDisk {
  const { machine, disk } = desired.attributes;
  return {
    boot: true,
    autoDelete: true,
    initializeParams: {
      sourceImage: canonicalImage(imageToLaunch(machine), project),
      labels: { ...markLabels(mark, 'disk') },
      ...(diskName === undefined ? {} : { diskName }),
      ...(disk?.size === undefined ? {} : { diskSizeGb: disk.size }),
      ...(disk?.type === undefined
        ? {}
        : {
            diskType: `projects/${project}/zones/${desired.address.split('/')[2]}/diskTypes/${canonicalType(disk.type)}`,
          }),
    },
  };
}

/** Inputs of the launch that the API does not return: the desired image, and hashes. '' is none. */
function metadataOf({ desired, mark }: Item, boot: Launch): Readonly<Record<string, string>> {
  const { attributes } = desired;
  const text = markText(mark);
  return {
    ...bootMetadata(boot),
    [metadataKeys.image]: imageToLaunch(attributes.machine),
    [metadataKeys.userData]: attributes.boot?.userData ?? '',
    [metadataKeys.access]: attributes.boot?.access ?? '',
    ...(text === undefined ? {} : { [metadataKeys.mark]: text }),
  };
}

function made(item: Item, id: CloudId, project: string): Observed<'instance'> {
  const { desired, mark } = item;
  const zone = zoneOf(item);
  return {
    kind: 'instance',
    id,
    name: desired.name,
    attributes: createdAttributes(desired.attributes, zone, project),
    signs: { mark, slot: slotOf(`gcp/${project}/${zone}`, 'instance', desired.name) },
    condition: { state: 'pending' },
  };
}

function createdAttributes(attributes: InstanceAttributes, zone: string, project: string): InstanceAttributes {
  const { machine, placement, disk } = attributes;
  return {
    ...attributes,
    placement: { ...placement, zone },
    machine: {
      ...machine,
      size: canonicalType(machine.size),
      ...(machine.identity === undefined ? {} : { identity: serviceAccountAddress(machine.identity, project) }),
      power: 'running',
    },
    ...(disk === undefined
      ? {}
      : { disk: { ...disk, ...(disk.type === undefined ? {} : { type: canonicalType(disk.type) }) } }),
  };
}

/** An instance is made running: one that shall be stopped is stopped as soon as it runs. */
async function powered(
  made: Result<Observed<'instance'>>,
  { desired }: Item,
  scope: Scope,
  call: Call,
): Promise<Result<Observed<'instance'>>> {
  if (!made.ok || desired.attributes.machine.power !== 'stopped') return made;
  const notStopped = failed('conflict', 'NotSent', 'the reconcile stopped');
  const answer = await afterCreation(stop(made.value.id, scope, call), notStopped);
  if (!answer.ok) return made;
  const { attributes, condition, ...rest } = made.value;
  return {
    ok: true,
    value: {
      ...rest,
      attributes: { ...attributes, machine: { ...attributes.machine, power: 'stopped' } },
      condition: { ...condition, state: 'ready' },
    },
  };
}

/**
 * Metadata for the first boot of a machine, under the keys that its image reads.
 *
 *   input                        | key            | reader
 *   -----------------------------+----------------+---------------------------------------------------------------
 *   user data, `#cloud-config`   | user-data      | cloud-init, https://cloudinit.readthedocs.io/en/latest/reference/datasources/gce.html
 *   other user data              | startup-script | the guest agent, at every start: https://cloud.google.com/compute/docs/instances/startup-scripts/linux
 *   access                       | ssh-keys       | the guest agent, https://cloud.google.com/compute/docs/connect/add-ssh-keys#add_ssh_keys_to_instance_metadata
 */
export function bootMetadata({ userData, access }: Launch): Readonly<Record<string, string>> {
  return {
    ...(userData === undefined
      ? {}
      : { [userData.startsWith('#cloud-config') ? 'user-data' : 'startup-script']: userData }),
    ...(access === undefined ? {} : { 'ssh-keys': access.sshKeys.map((key) => `${access.user}:${key}`).join('\n') }),
  };
}
