import { createHash } from 'node:crypto';
import { canonical } from '../../../src/core/ledger/canonical.ts';
import type { Condition, DataDisk, Observed, Part, Setting } from '../../../src/core/observed.ts';
import { type InstanceAttributes, type Labels, type MachineSettings, slotOf } from '../../../src/core/resource.ts';
import { idOf } from '../cloud-id.ts';
import { inexpressibleOf } from '../inexpressible.ts';
import { lastOf, pathOf } from '../links.ts';
import { withoutMark } from '../marks/labels.ts';
import type { Disk, Instance } from '../messages.ts';
import { originOf } from '../origin.ts';
import type { Resolve } from '../parents.ts';
import { accountScopes, canonicalImage, canonicalType } from '../spelling.ts';
import { markOf, metadataKeys, placeIn, readMetadata } from './metadata-keys.ts';

const diskPart = 'disk';

/** Objects that an instance refers to: the boot disk by its path, if known, and the ids of its network and subnet. */
export interface InstanceContext {
  readonly project: string;
  readonly resolve: Resolve;
  readonly disks: ReadonlyMap<string, Disk>;
}

/** Pure: converts the API's instance into normalised form. */
export function observeInstance(instance: Instance, context: InstanceContext): Observed<'instance'> {
  const name = instance.name ?? '';
  const metadata = readMetadata(instance.metadata);
  const mark = markOf(instance, context.project);
  const origin = mark ? undefined : originOf({ name, labels: instance.labels ?? {}, metadata });
  const disk = context.disks.get(bootDiskOf(instance) ?? '');
  const unstated = unstatedOf(instance);
  const dataDisks = dataDisksOf(instance);
  return {
    kind: 'instance',
    id: idOf(instance) ?? '',
    name,
    attributes: attributesOf(instance, { disk, metadata }, context),
    signs: {
      ...(mark ? { mark } : {}),
      slot: slotOf(placeIn(instance, context.project), 'instance', name),
      ...(origin ? { origin } : {}),
    },
    condition: {
      state: stateOf(instance),
      ...endOf(instance),
      parts: partsOf(instance, disk),
      ...(unstated.length > 0 ? { unstated } : {}),
      ...inexpressibleOf.instance(instance),
      ephemeral: hasLocalDisk(instance),
      ...(dataDisks.length > 0 ? { dataDisks } : {}),
      ...assignedOf(instance),
    },
  };
}

/** `projects/acme/zones/europe-west1-b/disks/web-0` */
export const bootDiskOf = ({ disks }: Instance): string | undefined => {
  const source = (disks ?? []).find(({ boot }) => boot)?.source;
  return source ? pathOf(source) : undefined;
};

interface BootSources {
  readonly disk: Disk | undefined;
  readonly metadata: Labels;
}

function attributesOf(
  instance: Instance,
  { disk, metadata }: BootSources,
  { resolve, project }: InstanceContext,
): InstanceAttributes {
  const [nic] = instance.networkInterfaces ?? [];
  const [account] = instance.serviceAccounts ?? [];
  const boot = bootOf(metadata);
  return {
    placement: {
      subnet: resolve(nic?.subnetwork),
      zone: lastOf(instance.zone ?? ''),
      publicIp: (nic?.accessConfigs ?? []).length > 0,
    },
    groups: (instance.tags?.items ?? []).map((tag) => `tag:${tag}`).sort(),
    machine: {
      image: metadata[metadataKeys.image] ?? canonicalImage(disk?.sourceImage ?? '', project),
      size: canonicalType(instance.machineType ?? ''),
      ...(account?.email ? { identity: account.email } : {}),
      power: powerOf(instance),
    },
    ...(disk ? { disk: diskAttributes(disk) } : {}),
    ...(boot === undefined ? {} : { boot }),
    settings: settingsOf(instance),
    labels: withoutMark(instance.labels ?? {}),
  };
}

/** https://cloud.google.com/compute/docs/reference/rest/v1/instances; a preemptible machine is a spot machine of the older kind. */
function settingsOf(instance: Instance): MachineSettings {
  const { scheduling, canIpForward, serviceAccounts } = instance;
  return {
    spot: scheduling?.preemptible === true || scheduling?.provisioningModel === 'SPOT',
    ipForwarding: canIpForward === true,
    ...addressesOf(instance),
    scopes: (serviceAccounts ?? []).flatMap(({ scopes }) => scopes ?? []).toSorted(),
    dataDisks: dataDisksOf(instance).map(({ id }) => id),
    interfaces: furtherInterfaces(instance).map(({ called }) => called),
  };
}

/** Of the first interface. */
function addressesOf({ networkInterfaces }: Instance): Pick<MachineSettings, 'privateIp' | 'staticPublicIp'> {
  const [nic] = networkInterfaces ?? [];
  const natIP = nic?.accessConfigs?.[0]?.natIP;
  return { ...(nic?.networkIP ? { privateIp: nic.networkIP } : {}), ...(natIP ? { staticPublicIp: natIP } : {}) };
}

/**
 * An instance does not say whether its addresses are reserved: only `addresses.aggregatedList` does.
 * https://cloud.google.com/compute/docs/ip-addresses/configure-static-external-ip-address
 */
function assignedOf(instance: Instance): Pick<Condition, 'assigned'> {
  const { privateIp, staticPublicIp } = addressesOf(instance);
  const assigned = [
    ...(privateIp === undefined ? [] : (['privateIp'] as const)),
    ...(staticPublicIp === undefined ? [] : (['staticPublicIp'] as const)),
  ];
  return assigned.length === 0 ? {} : { assigned };
}

const furtherInterfaces = ({ networkInterfaces }: Instance) =>
  (networkInterfaces ?? [])
    .slice(1)
    .map(({ name, subnetwork }, index) => ({ called: name ?? `nic${index + 1}`, subnetwork }))
    .toSorted((a, b) => (a.called < b.called ? -1 : 1));

/** "Compute Engine encrypts … by default": https://cloud.google.com/compute/docs/disks/disk-encryption */
const diskAttributes = ({ sizeGb, type }: Disk): NonNullable<InstanceAttributes['disk']> => ({
  ...(sizeGb ? { size: Number(sizeGb) } : {}),
  ...(type ? { type: canonicalType(type) } : {}),
  encrypted: true,
});

/** Hashes are known of machines that we made only; '' there means none. */
function bootOf(metadata: Labels): InstanceAttributes['boot'] {
  const [userData, access] = [metadata[metadataKeys.userData], metadata[metadataKeys.access]];
  if (userData === undefined && access === undefined) return undefined;
  return { ...(userData === undefined ? {} : { userData }), ...(access === undefined ? {} : { access }) };
}

/** https://cloud.google.com/compute/docs/instances/instance-lifecycle. TERMINATED is a stopped machine, which can be started. */
const states: Readonly<Record<string, { readonly state: Condition['state']; readonly power: 'running' | 'stopped' }>> =
  {
    PENDING: { state: 'pending', power: 'running' },
    PROVISIONING: { state: 'pending', power: 'running' },
    STAGING: { state: 'pending', power: 'running' },
    RUNNING: { state: 'ready', power: 'running' },
    REPAIRING: { state: 'pending', power: 'running' },
    PENDING_STOP: { state: 'pending', power: 'stopped' },
    STOPPING: { state: 'pending', power: 'stopped' },
    STOPPED: { state: 'ready', power: 'stopped' },
    TERMINATED: { state: 'ready', power: 'stopped' },
    SUSPENDING: { state: 'pending', power: 'stopped' },
    SUSPENDED: { state: 'ready', power: 'stopped' },
    DEPROVISIONING: { state: 'deleting', power: 'stopped' },
  };

const stateOf = ({ status }: Instance): Condition['state'] => states[String(status)]?.state ?? 'pending';
const powerOf = ({ status }: Instance): 'running' | 'stopped' => states[String(status)]?.power ?? 'running';

/** Why it does not run, in the words of Compute Engine, which seldom says more than that it was stopped, and when. */
function endOf(instance: Instance): Pick<Condition, 'reason'> {
  if (powerOf(instance) === 'running') return {};
  const { status, statusMessage, lastStopTimestamp } = instance;
  const since = lastStopTimestamp ? ` since ${lastStopTimestamp}` : '';
  return { reason: statusMessage ? `${status}${since}: ${statusMessage}` : `${status}${since}` };
}

/** Local SSD is `SCRATCH`, and a stop empties it: https://cloud.google.com/compute/docs/disks/local-ssd#data_persistence */
const hasLocalDisk = ({ disks }: Instance): boolean => (disks ?? []).some(({ type }) => type === 'SCRATCH');

/** `autoDelete` decides: https://cloud.google.com/compute/docs/disks/modify-persistent-disk#updateautodelete */
const dataDisksOf = ({ disks }: Instance): readonly DataDisk[] =>
  (disks ?? [])
    .filter(({ boot, type }) => !boot && type !== 'SCRATCH')
    .map(({ source, deviceName, autoDelete }) => ({
      id: source ? lastOf(source) : (deviceName ?? ''),
      isDeletedWithMachine: autoDelete !== false,
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** The disks that go with it, in order of path, because the cloud's order has no meaning. */
function partsOf(instance: Instance, disk: Disk | undefined): readonly Part[] {
  const boot = bootDiskOf(instance);
  const going = (instance.disks ?? []).filter(({ autoDelete }) => autoDelete).flatMap(({ source }) => source ?? []);
  return going
    .map(pathOf)
    .toSorted()
    .map((path) =>
      path === boot ? { part: diskPart, id: (disk && idOf(disk)) ?? path } : { part: 'volume', id: path },
    );
}

/**
 * Settings of a machine that no spec states and that open it to others, as `instances.aggregatedList` has them.
 * https://cloud.google.com/compute/docs/reference/rest/v1/instances
 *
 *   setting            | told where
 *   -------------------+---------------------------------------------------------------------------------------------
 *   further interfaces | there is one besides the first
 *   canIpForward       | it is on
 *   scopes             | there are some besides the one that Setpoint gives, which is all of Google Cloud: IAM narrows it
 *   ssh-keys           | they hash to something else than those that Setpoint sent
 *   startup-script,    | it hashes to something else than the user data that Setpoint sent
 *   user-data          |
 *
 * Keys and scripts are hashed and never told. Without our own hashes (adopted machines) nothing is compared.
 */
function unstatedOf(instance: Instance): readonly Setting[] {
  const metadata = readMetadata(instance.metadata);
  return [
    ...interfacesOf(instance),
    ...(instance.canIpForward
      ? [{ field: 'canIpForward', detail: 'may forward packets of others', statedBy: 'ipForwarding' as const }]
      : []),
    ...scopesOf(instance),
    ...keysOf(metadata),
    ...scriptsOf(metadata),
  ];
}

const interfacesOf = (instance: Instance): readonly Setting[] =>
  furtherInterfaces(instance).map(({ called, subnetwork }) => ({
    field: `interface ${called}`,
    detail: `has the further network interface ${called} in ${lastOf(subnetwork ?? '')}`,
    statedBy: 'interfaces',
  }));

function scopesOf({ serviceAccounts }: Instance): readonly Setting[] {
  const scopes = (serviceAccounts ?? []).flatMap(({ scopes }) => scopes ?? []);
  const further = scopes.filter((scope) => !accountScopes.includes(scope));
  if (further.length === 0 || further.length === scopes.length) return [];
  const detail = `has the further scopes ${further.map(lastOf).toSorted().join(', ')}`;
  return [{ field: 'scopes', detail, statedBy: 'scopes' }];
}

function keysOf(metadata: Labels): readonly Setting[] {
  const sent = metadata[metadataKeys.access];
  const text = metadata['ssh-keys'];
  if (!isComparable(sent) || text === undefined || text === '') return [];
  if (sent !== '' && hashOfKeys(text) === sent) return [];
  return [{ field: 'ssh-keys', detail: 'has other ssh-keys in its metadata than at its creation' }];
}

/** As `access` of a spec is hashed: one user with the keys in their order. Undefined: the keys are of several users. */
function hashOfKeys(text: string): string | undefined {
  const lines = text
    .split('\n')
    .map((line) => ({ user: line.slice(0, line.indexOf(':')), key: line.slice(line.indexOf(':') + 1) }));
  const [first] = lines;
  if (first === undefined || lines.some(({ user }) => user !== first.user)) return undefined;
  return sha256(canonical({ user: first.user, sshKeys: lines.map(({ key }) => key) }));
}

function scriptsOf(metadata: Labels): readonly Setting[] {
  const sent = metadata[metadataKeys.userData];
  if (!isComparable(sent)) return [];
  return ['startup-script', 'user-data'].flatMap((key) => {
    const text = metadata[key];
    if (text === undefined || text === '' || sha256(text) === sent) return [];
    return [{ field: key, detail: `has a ${key} in its metadata that differs from its original user data` }];
  });
}

/** '' says that it was made with none. */
const isComparable = (hash: string | undefined): hash is string =>
  hash !== undefined && /^(?:[0-9a-f]{64})?$/.test(hash);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
