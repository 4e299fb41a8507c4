import { serviceAccountAddress } from '../../kinds/rules.ts';
import { type InstanceDoc, type InstanceOn, instanceOn, type TargetDoc } from '../document.ts';
import { idsOf } from '../fields.ts';
import { error, type Problem } from '../problem.ts';
import { accountOf, type SpecSet, targetsOf } from '../spec-set.ts';
import type { Located, Path, Position } from '../tree.ts';

/** An instance as each of its targets gets it: complete, and such as that cloud can make. */
export function* instanceFields(set: SpecSet): Iterable<Problem> {
  for (const instance of set.instances) {
    yield* adopted(instance);
    yield* neverStarted(instance);
    for (const target of targetsOf(set, instance.value.spec.targets)) {
      yield* complete(instance, target.value);
      yield* makeable(set, instance, target.value);
    }
  }
}

/** A machine that is stopped for its grace is started again where its document is back: its power must not be left to others. */
function* neverStarted({ value: { spec }, at }: Located<InstanceDoc>): Iterable<Problem> {
  const index = spec.ignore.findIndex(({ field }) => field === 'power');
  if (spec.beforeDelete === undefined || index < 0) return;
  const message = '`beforeDelete: stop` stops the machine, and where `power` is ignored nobody starts it again';
  yield error('never-started', at(['spec', 'beforeDelete']), message, { expected: 'one of the two' });
}

/** One id does not say its replica where there are several, and a list has no more ids than replicas. */
function* adopted(instance: Located<InstanceDoc>): Iterable<Problem> {
  const { metadata, spec } = instance.value;
  for (const [target, given] of Object.entries(metadata.adopt ?? {})) {
    const replicas = (Object.hasOwn(spec.on, target) ? spec.on[target]?.replicas : undefined) ?? spec.replicas;
    const at = instance.at(['metadata', 'adopt', target]);
    if (typeof given === 'string' && replicas > 1) {
      const message = `one object cannot be adopted as ${replicas} replicas`;
      const expected = `a list of ids in the order of the replicas: ${target}: [${given}, …]`;
      yield error('adopt-replicas', at, message, { expected });
    }
    const ids = idsOf(given);
    if (ids.length > Math.max(replicas, 1)) {
      const message = `${ids.length} objects cannot be adopted as ${replicas} replicas`;
      yield error('adopt-replicas', at, message, { expected: `at most ${replicas} ids, or replicas: ${ids.length}` });
    }
  }
}

function* complete(instance: Located<InstanceDoc>, target: TargetDoc): Iterable<Problem> {
  const { spec } = instance.value;
  const own = Object.hasOwn(spec.on, target.metadata.name) ? spec.on[target.metadata.name] : undefined;
  const made = instanceOn(instance.value, target.metadata.name);
  const isAdopted = made !== undefined && isWhollyAdopted(instance.value, made, target);
  for (const field of isAdopted ? [] : (['subnet', 'image', 'size'] as const)) {
    if (spec[field] !== undefined || own?.[field] !== undefined) continue;
    const expected = `${field}: … here, or under on: { ${target.metadata.name}: { ${field}: … } }`;
    const message = `\`${field}\` is missing for ${target.metadata.name}`;
    yield error('missing-field', instance.at(['spec', field]), message, { expected });
  }
}

function* makeable(set: SpecSet, instance: Located<InstanceDoc>, target: TargetDoc): Iterable<Problem> {
  const made = instanceOn(instance.value, target.metadata.name);
  const network = set.networks.get(instance.value.spec.network)?.value.spec;
  if (!made) return;
  const { provider } = target.spec;
  const given: InstanceCase = {
    spec: made,
    target: target.spec,
    internet: network?.internet !== false,
    allGroup: network?.allGroup !== false,
    accounts: accountsOf(set, made, target),
    clouds: new Set(targetsOf(set, instance.value.spec.targets).map(({ value }) => value.spec.provider)),
  };
  for (const row of INSTANCE_ROWS) {
    if ((row.cloud ?? provider) !== provider || !row.found(given)) continue;
    if (isOfLaunch(row) && isWhollyAdopted(instance.value, made, target)) continue;
    const at = written(instance, target.metadata.name, row.field);
    const message = `${textOf(row.why, given)} (${target.metadata.name})`;
    yield error('not-expressible', at, message, { expected: textOf(row.instead, given) });
  }
}

const textOf = (text: InstanceRow['why'], given: InstanceCase): string =>
  typeof text === 'string' ? text : text(given);

/** The groups of the machines that are service accounts, each account once. */
function accountsOf(set: SpecSet, { network, groups = [] }: InstanceOn, target: TargetDoc): readonly AccountGroup[] {
  const all = set.networks.get(network)?.value.spec.allGroup === false ? groups : ['all', ...groups];
  const accounts = all.flatMap((group) => {
    const address = accountOf(set, { network, name: group }, target);
    return address === undefined ? [] : [[address, { group, address }] as const];
  });
  return [...new Map(accounts.toReversed()).values()].toReversed();
}

interface AccountGroup {
  readonly group: string;
  readonly address: string;
}

/** True where each replica on this target stands for an existing machine. */
const isWhollyAdopted = ({ metadata }: InstanceDoc, { replicas }: InstanceOn, target: TargetDoc): boolean =>
  replicas > 0 && idsOf(metadata.adopt?.[target.metadata.name]).length === replicas;

/** Fields that only a launch needs, or forbids: an existing machine has its own, whatever form they have. */
const isOfLaunch = ({ field: [first, ...rest] }: InstanceRow): boolean =>
  first === 'access' || first === 'image' || first === 'disk' || (first === 'settings' && rest.length === 0);

/**
 * The reason that these machines, which a document adopts, could not be launched anew from it; undefined where they could.
 */
export function unlaunchable(instance: InstanceDoc, spec: InstanceOn, target: TargetDoc): string | undefined {
  if (!isWhollyAdopted(instance, spec, target)) return undefined;
  if (spec.image === undefined) return 'the document needs an image';
  const given: InstanceCase = {
    spec,
    target: target.spec,
    internet: true,
    allGroup: true,
    accounts: [],
    clouds: new Set(),
  };
  const rows = INSTANCE_ROWS.filter(({ cloud = target.spec.provider }) => cloud === target.spec.provider);
  const found = rows.find((row) => isOfLaunch(row) && row.found(given));
  return found && `${textOf(found.why, given)}; the document needs ${textOf(found.instead, given)}`;
}

/** The position of the value that a target gets. */
function written(instance: Located<InstanceDoc>, target: string, field: Path): Position {
  const own = ['spec', 'on', target, ...field];
  return instance.at(instance.wrote(own) ? own : ['spec', ...field]);
}

/** An instance as one target gets it. */
interface InstanceCase {
  readonly spec: InstanceOn;
  readonly target: TargetDoc['spec'];
  readonly internet: boolean;
  /** Its network has the group of all instances. */
  readonly allGroup: boolean;
  /** Its groups that are service accounts. */
  readonly accounts: readonly AccountGroup[];
  /** The providers of all targets of its document. */
  readonly clouds: ReadonlySet<TargetDoc['spec']['provider']>;
}

/**
 * An instance that a cloud cannot make: the position, the problem, its reason with a source, and the fix. No cloud: none can.
 */
interface InstanceRow {
  readonly cloud?: TargetDoc['spec']['provider'];
  readonly field: Path;
  readonly found: (given: InstanceCase) => boolean;
  readonly why: string | ((given: InstanceCase) => string);
  readonly instead: string | ((given: InstanceCase) => string);
}

type Spec = InstanceDoc['spec'];

/** Said, and not of this form: what was left out is another row's matter. */
const unlike = (text: string | undefined, form: RegExp): boolean => text !== undefined && !form.test(text);

const COMPUTE = 'https://cloud.google.com/compute/docs/reference/rest/v1/instances';
const VM = 'https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update';

const EVERYWHERE: readonly InstanceRow[] = [
  {
    field: ['publicIp'],
    found: ({ spec, internet }) => spec.publicIp && !internet,
    why: 'a public address without internet has no effect',
    instead: 'internet: true in the network, or no publicIp',
  },
  {
    field: ['settings'],
    found: ({ spec }) => spec.settings !== undefined && spec.replicas > 0,
    why: 'Setpoint launches no machine with these settings yet: only machines that the document adopts may state them',
    instead: 'no settings, or the ids of all its machines under metadata.adopt',
  },
  {
    // On Azure a row of its own asks for more.
    field: ['access'],
    found: ({ spec: { access }, target }) =>
      target.provider !== 'azure' && (access?.sshKeys ?? []).length > 0 && access?.user === undefined,
    why: 'keys need a login name',
    instead: 'access: { user, sshKeys }',
  },
];

const AWS: readonly InstanceRow[] = [
  {
    field: ['groups'],
    found: ({ spec, allGroup }) => allGroup && new Set(spec.groups).size > 4,
    why: 'AWS takes five groups an instance, and one is the group of all (https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html)',
    instead: 'at most 4 groups',
  },
  {
    field: ['groups'],
    found: ({ spec, allGroup }) => !allGroup && (spec.groups ?? []).length === 0,
    why: 'an instance of AWS is in one group at least (https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-groups.html)',
    instead: 'a group, as the network has no group of all',
  },
  {
    field: ['image'],
    found: ({ spec }) => spec.image !== undefined && !/^ami-[0-9a-f]{4,17}$/.test(spec.image),
    why: 'this is no AWS image',
    instead: 'the id of an image: ami-0abc…',
  },
  {
    field: ['identity'],
    found: ({ spec }) =>
      unlike(spec.identity, /^(?:arn:aws[a-z-]*:iam::\d{12}:instance-profile\/(?:[!-~]+\/)?)?[\w+=,.@-]{1,128}$/),
    why: 'this is no instance profile (https://docs.aws.amazon.com/IAM/latest/APIReference/API_InstanceProfile.html)',
    instead: 'its name, or arn:aws:iam::<account>:instance-profile/<name>',
  },
  {
    field: ['access', 'password'],
    found: ({ spec }) => spec.access?.password !== undefined,
    why: 'AWS sets no passwords',
    instead: 'sshKeys',
  },
];

const GCP: readonly InstanceRow[] = [
  {
    field: ['targets'],
    found: ({ target }) => target.zone === undefined,
    why: 'GCP instances need a zone, and the target has none',
    instead: 'zone in the target',
  },
  {
    // sourceImage of AttachedDiskInitializeParams
    field: ['image'],
    found: ({ spec }) =>
      spec.image !== undefined &&
      !/^(?:https:\/\/(?:www|compute)\.googleapis\.com\/compute\/v1\/)?(?:projects\/[a-z0-9.:-]+\/)?global\/images\/(?:family\/)?[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(
        spec.image,
      ),
    why: `this is no GCP image (${COMPUTE})`,
    instead: 'projects/<project>/global/images/<name>, or …/images/family/<family>',
  },
  {
    field: ['size'],
    found: ({ spec }) => !/^(?:[\w.:/-]+\/machineTypes\/)?[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/.test(spec.size),
    why: 'this is no GCP machine type (https://cloud.google.com/compute/docs/machine-resource)',
    instead: 'its name, such as e2-small or n2-custom-4-8192',
  },
  {
    // Network tags: 64 a machine, https://cloud.google.com/vpc/docs/add-remove-network-tags
    field: ['groups'],
    found: ({ spec }) => new Set(spec.groups).size > 63,
    why: 'GCP takes 64 tags an instance, and one is that of all (https://cloud.google.com/vpc/docs/add-remove-network-tags)',
    instead: 'at most 63 groups',
  },
  {
    field: ['disk', 'type'],
    found: ({ spec }) => unlike(spec.disk?.type, /^(?:[\w.:/-]+\/diskTypes\/)?(?:pd|hyperdisk)-[a-z-]+$/),
    why: 'this is no GCP disk type (https://cloud.google.com/compute/docs/disks)',
    instead: 'pd-balanced, pd-ssd, pd-standard or hyperdisk-balanced',
  },
  {
    // diskSizeGb of AttachedDiskInitializeParams: at least 10; Hyperdisk Balanced at least 4
    field: ['disk', 'size'],
    found: ({ spec: { disk } }) =>
      disk?.size !== undefined && disk.size < (disk.type?.includes('hyperdisk-') === true ? 4 : 10),
    why: `GCP makes no boot disk so small (${COMPUTE})`,
    instead: '10 GiB or more; 4 of hyperdisk-balanced',
  },
  {
    field: ['disk', 'encrypted'],
    found: ({ spec }) => spec.disk?.encrypted === false,
    why: 'GCP encrypts every disk (https://cloud.google.com/compute/docs/disks/disk-encryption)',
    instead: 'encrypted: true, or leave it out',
  },
  {
    field: ['identity'],
    found: ({ spec }) =>
      unlike(spec.identity, /^(?:[a-z][a-z0-9-]{4,28}[a-z0-9]|[a-z0-9-]+@[a-z0-9.:-]+\.gserviceaccount\.com)$/),
    why: 'this is no service account (https://cloud.google.com/iam/docs/service-accounts-create)',
    instead:
      '<name>@<project>.iam.gserviceaccount.com, or <name> alone of one of this project: 6 to 30 lower-case letters, digits and -, beginning with a letter and not ending with -',
  },
  {
    field: ['groups'],
    found: ({ accounts }) => accounts.length > 1,
    why: 'two of the groups are service accounts, and a machine of GCP runs as one (https://cloud.google.com/compute/docs/access/service-accounts)',
    instead: 'one of the two',
  },
  {
    field: ['ignore'],
    found: ({ spec, accounts }) => accounts.length > 0 && spec.ignore.some(({ field }) => field === 'identity'),
    why: 'a group of the machine is a service account, and its identity puts it there',
    instead: 'no `ignore` of identity, or a group that is a network tag',
  },
  {
    field: ['identity'],
    found: ({ spec: { identity }, target: { account }, accounts: [group] }) =>
      group !== undefined && identity !== undefined && serviceAccountAddress(identity, account) !== group.address,
    why: ({ accounts: [group] }) =>
      `the group ${group?.group} of the machine is the service account ${group?.address}, and this is another`,
    instead: 'no identity: a machine runs as the service account of its group',
  },
  {
    field: ['access', 'password'],
    found: ({ spec }) => spec.access?.password !== undefined,
    why: 'GCP sets no passwords',
    instead: 'sshKeys',
  },
];

/** osProfile.adminUsername, "Disallowed values". */
const REFUSED_USERS: ReadonlySet<string> = new Set(
  (
    'administrator admin user user1 test user2 test1 user3 admin1 1 123 a actuser adm admin2 aspnet backup console david ' +
    'guest john owner root server sql support support_388945a0 sys test2 test3 user4 user5'
  ).split(' '),
);

/**
 * Azure provisions RSA of 2048 bits or more and Ed25519: https://learn.microsoft.com/azure/virtual-machines/linux/create-ssh-keys-detailed.
 * The shortest such RSA key has 277 bytes (RFC 4253, 6.6), which is 372 digits of base64.
 */
function azureKey(key: string): boolean {
  const [kind, digits = ''] = key.split(' ');
  return kind === 'ssh-ed25519' || (kind === 'ssh-rsa' && digits.length >= 372);
}

const badKey = (access: Spec['access']): boolean => (access?.sshKeys ?? []).some((key) => !azureKey(key));

/** Those that may be an OS disk: https://learn.microsoft.com/azure/virtual-machines/disks-types */
const OS_DISKS: readonly string[] = [
  'Standard_LRS',
  'StandardSSD_LRS',
  'StandardSSD_ZRS',
  'Premium_LRS',
  'Premium_ZRS',
];

const AZURE: readonly InstanceRow[] = [
  {
    field: ['access'],
    found: ({ spec: { access } }) =>
      access?.user === undefined || ((access.sshKeys ?? []).length === 0 && access.password === undefined),
    why: `Azure needs a login at creation (${VM}#osprofile)`,
    instead: 'access: { user, sshKeys } or { user, password: { env } }',
  },
  {
    field: ['access', 'user'],
    found: ({ spec }) => spec.access?.user !== undefined && REFUSED_USERS.has(spec.access.user),
    why: `Azure takes no login of this name (${VM}#osprofile)`,
    instead: 'a name that is hard to guess, such as ops; not admin, root, test or user',
  },
  {
    field: ['access', 'sshKeys'],
    found: ({ spec }) => badKey(spec.access),
    why: 'Azure takes no key of this kind (https://learn.microsoft.com/azure/virtual-machines/linux/create-ssh-keys-detailed)',
    instead: 'ssh-ed25519, or ssh-rsa of 2048 bits or more',
  },
  {
    // imageReference: publisher, offer, sku, version; or an id of an image or of one in a gallery
    field: ['image'],
    found: ({ spec }) =>
      spec.image !== undefined &&
      !/^(?:[\w.-]+:[\w.-]+:[\w.-]+:(?:latest|\d+\.\d+\.\d+)|\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Compute\/(?:images\/[^/]+|galleries\/[^/]+\/images\/[^/]+(?:\/versions\/[^/]+)?)|\/(?:shared|community)Galleries\/[^/]+\/images\/[^/]+(?:\/versions\/[^/]+)?)$/i.test(
        spec.image,
      ),
    why: `this is no Azure image (${VM}#imagereference)`,
    instead: '<publisher>:<offer>:<sku>:<version, or latest>, or the id of an image',
  },
  {
    field: ['size'],
    found: ({ spec }) => !/^(?:Standard|Basic)_[A-Za-z0-9][A-Za-z0-9_-]*$/i.test(spec.size),
    why: 'this is no Azure size (https://learn.microsoft.com/azure/virtual-machines/sizes/overview)',
    instead: 'a size such as Standard_B2s or Standard_D2s_v5',
  },
  {
    // Application security groups: 20 an IP configuration
    field: ['groups'],
    found: ({ spec }) => new Set(spec.groups).size > 19,
    why: 'Azure takes 20 groups a machine, and one is the group of all (https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits#azure-resource-manager-virtual-networking-limits)',
    instead: 'at most 19 groups',
  },
  {
    field: ['disk', 'type'],
    found: ({ spec }) =>
      spec.disk?.type !== undefined && !OS_DISKS.some((type) => type.toLowerCase() === spec.disk?.type?.toLowerCase()),
    why: 'Azure takes no such OS disk (https://learn.microsoft.com/azure/virtual-machines/disks-types)',
    instead: OS_DISKS.join(', '),
  },
  {
    field: ['disk', 'size'],
    found: ({ spec }) => (spec.disk?.size ?? 0) > 4095,
    why: 'Azure makes no OS disk so large (https://learn.microsoft.com/azure/virtual-machines/managed-disks-overview#os-disk)',
    instead: 'at most 4095 GiB',
  },
  {
    field: ['disk', 'encrypted'],
    found: ({ spec }) => spec.disk?.encrypted === false,
    why: 'Azure encrypts every managed disk (https://learn.microsoft.com/azure/virtual-machines/disk-encryption)',
    instead: 'encrypted: true, or leave it out',
  },
  {
    field: ['identity'],
    found: ({ spec }) =>
      unlike(
        spec.identity,
        /^(?:\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.ManagedIdentity\/userAssignedIdentities\/)?[A-Za-z0-9][\w-]{2,127}$/i,
      ),
    why: 'this is no user-assigned identity (https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules#microsoftmanagedidentity)',
    instead: 'its name (3 to 128 letters, digits, - and _) in the resource group of the target, or its id',
  },
];

type SettingName = keyof NonNullable<InstanceOn['settings']>;

/** The clouds that have a setting; the memory provider has none. */
const SETTING_CLOUDS: Readonly<Record<SettingName, readonly TargetDoc['spec']['provider'][]>> = {
  keyPair: ['aws'],
  spot: ['aws', 'gcp', 'azure'],
  ipForwarding: ['aws', 'gcp', 'azure'],
  metadataTokens: ['aws'],
  scopes: ['gcp'],
  privateIp: ['aws', 'gcp', 'azure'],
  staticPublicIp: ['aws', 'gcp', 'azure'],
  zone: ['azure'],
  availabilitySet: ['azure'],
  bootDiagnostics: ['azure'],
  dataDisks: ['aws', 'gcp', 'azure'],
  interfaces: ['aws', 'gcp', 'azure'],
};

/** Google Cloud and Azure show such an address as the public one; on AWS it takes the place of the ephemeral one. */
const withoutPublicIp = ({ spec }: InstanceCase): boolean =>
  spec.settings?.staticPublicIp !== undefined && !spec.publicIp;

const ADDRESSES: readonly InstanceRow[] = [
  ...(['privateIp', 'staticPublicIp'] as const).map((name) => ({
    field: ['settings', name],
    found: ({ spec }: InstanceCase) => spec.settings?.[name] !== undefined && spec.replicas > 1,
    why: 'several machines cannot have one address',
    instead: 'a document for each machine, with replicas: 1',
  })),
  ...(['gcp', 'azure'] as const).map((cloud) => ({
    cloud,
    field: ['settings', 'staticPublicIp'],
    found: withoutPublicIp,
    why: 'a machine with a static public address has a public address',
    instead: 'publicIp: true',
  })),
];

const SETTINGS: readonly InstanceRow[] = Object.entries(SETTING_CLOUDS).map(([name, clouds]) => ({
  field: ['settings', name],
  // why: the entries are of exactly these keys
  found: ({ spec, target }) => spec.settings?.[name as SettingName] !== undefined && !clouds.includes(target.provider),
  why: 'this cloud has no such setting',
  instead: (given) =>
    clouds.some((cloud) => given.clouds.has(cloud))
      ? `${name} on targets of ${clouds.join(', ')} only, under on: { <target>: { settings: { … } } }`
      : `no ${name}: only ${clouds.join(', ')} has it`,
}));

const of = (cloud: TargetDoc['spec']['provider'], rows: readonly InstanceRow[]): readonly InstanceRow[] =>
  rows.map((row) => ({ cloud, ...row }));

const INSTANCE_ROWS: readonly InstanceRow[] = [
  ...EVERYWHERE,
  ...SETTINGS,
  ...ADDRESSES,
  ...of('aws', AWS),
  ...of('gcp', GCP),
  ...of('azure', AZURE),
];
