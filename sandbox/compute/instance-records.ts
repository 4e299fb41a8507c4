import type { Resource } from './records.ts';

/** Machines and their disks as a project holds them; both lie in zones. */

export type Labels = ReadonlyMap<string, string>;

export interface Instance extends Resource {
  readonly power: Power;
  readonly hardware: Hardware;
  readonly nic: Nic;
  readonly disks: readonly AttachedDisk[];
  readonly marks: Marks;
  readonly settings: InstanceSettings;
}

/** https://docs.cloud.google.com/compute/docs/instances/instance-lifecycle; a stopped machine is TERMINATED. */
export type Status = 'PROVISIONING' | 'STAGING' | 'RUNNING' | 'STOPPING' | 'TERMINATED';

export interface Power {
  readonly status: Status;
  readonly startedAt: number | undefined;
  readonly stoppedAt: number | undefined;
}

export interface Hardware {
  readonly machineType: string;
  readonly cpuPlatform: string;
  readonly canIpForward: boolean;
  readonly shielded: Shielded;
}

export interface Shielded {
  readonly secureBoot: boolean;
  readonly vtpm: boolean;
  readonly integrityMonitoring: boolean;
}

export interface Nic {
  readonly name: string;
  /** The id of the network. */
  readonly network: string;
  /** The id of the subnetwork. */
  readonly subnetwork: string;
  readonly address: string;
  readonly access: AccessConfig | undefined;
}

export interface AccessConfig {
  readonly name: string;
  readonly tier: NetworkTier;
  /** Ephemeral: absent while the machine is stopped, another one after each start. */
  readonly natIp: string | undefined;
}

export type NetworkTier = 'PREMIUM' | 'STANDARD';

export interface AttachedDisk {
  /** The id of the disk. */
  readonly diskId: string;
  readonly deviceName: string;
  readonly boot: boolean;
  readonly autoDelete: boolean;
  readonly mode: DiskMode;
}

export type DiskMode = 'READ_WRITE' | 'READ_ONLY';

export interface Marks {
  readonly labels: Labels;
  readonly tags: readonly string[];
  readonly metadata: Labels;
}

export interface InstanceSettings {
  readonly deletionProtection: boolean;
  readonly scheduling: Scheduling;
  readonly serviceAccounts: readonly ServiceAccount[];
}

export interface Scheduling {
  readonly onHostMaintenance: 'MIGRATE' | 'TERMINATE';
  readonly automaticRestart: boolean;
  readonly preemptible: boolean;
  readonly provisioningModel: 'STANDARD' | 'SPOT';
}

export interface ServiceAccount {
  readonly email: string;
  readonly scopes: readonly string[];
}

export interface Disk extends Resource {
  readonly type: string;
  readonly sizeGb: number;
  readonly labels: Labels;
  readonly source: DiskSource | undefined;
  /** Ids of the instances that hold it. */
  readonly users: readonly string[];
  readonly touched: { readonly attachedAt: number | undefined; readonly detachedAt: number | undefined };
}

/** The image it was made from, as it then was. */
export interface DiskSource {
  readonly project: string;
  readonly image: string;
  readonly imageNumber: string;
  readonly architecture: 'X86_64' | 'ARM64';
  readonly licenses: readonly string[];
}
