import { invalid, required } from './errors.ts';
import type { InstanceMessage } from './instance-message.ts';
import type { Hardware, InstanceSettings, Scheduling, ServiceAccount } from './instance-records.ts';
import { type Architecture, type MachineType, machineTypeNamed } from './machine-types.ts';
import { nameIn, referenceTo } from './place.ts';
import type { Project } from './project.ts';
import type { Scope } from './records.ts';

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

export function hardwareOf({ chip, name }: MachineType, given: InstanceMessage): Hardware {
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

export function settingsOf(project: Project, given: InstanceMessage): InstanceSettings {
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
