import type { Kept, Tracked } from './records.ts';

/** What becomes of a part when its machine is deleted. */
export type DeleteOption = 'Delete' | 'Detach';

export type Allocation = 'Dynamic' | 'Static';

export interface NetworkInterface extends Tracked {
  readonly configurations: readonly IpConfiguration[];
  /** Paths, as their writers spelled them. */
  readonly securityGroup: string | undefined;
  readonly machine: string | undefined;
  readonly kept: Kept;
}

export interface IpConfiguration {
  readonly name: string;
  readonly subnet: string;
  readonly privateAddress: string;
  readonly publicAddress: string | undefined;
  /** Paths of application security groups. */
  readonly groups: readonly string[];
  readonly settings: { readonly primary: boolean; readonly allocation: Allocation };
}

export interface PublicAddress extends Tracked {
  readonly sku: { readonly name: 'Basic' | 'Standard'; readonly tier: string };
  readonly allocation: Allocation;
  /** A dynamic one has none until a running machine uses it. */
  readonly address: string | undefined;
  /** The path of the IP configuration that uses it. */
  readonly usedBy: string | undefined;
  readonly deleteOption: DeleteOption | undefined;
  readonly kept: AddressKept;
}

export interface AddressKept {
  readonly zones: readonly string[] | undefined;
  readonly properties: Kept;
}

export interface VirtualMachine extends Tracked {
  readonly size: string;
  readonly storage: MachineStorage;
  readonly os: OsProfile;
  readonly interfaces: readonly InterfaceReference[];
  readonly power: { readonly state: PowerState; readonly since: number };
  readonly settings: MachineSettings;
}

export interface MachineStorage {
  readonly image: ImageReference;
  /** The path of the OS disk. */
  readonly osDisk: string;
  readonly deleteOption: DeleteOption;
  readonly caching: string;
}

/** As it was written, with the version that it stood for on that day. */
export interface ImageReference {
  readonly written: Kept;
  readonly exactVersion: string | undefined;
  readonly osType: 'Linux' | 'Windows';
}

export interface OsProfile {
  readonly shown: Kept;
  /** Written and never given back. */
  readonly hidden: { readonly customData: string | undefined; readonly adminPassword: string | undefined };
}

export interface InterfaceReference {
  readonly path: string;
  readonly primary: boolean | undefined;
  readonly deleteOption: DeleteOption | undefined;
}

/** https://learn.microsoft.com/azure/virtual-machines/states-billing */
export type PowerState = 'starting' | 'running' | 'stopping' | 'stopped' | 'deallocating' | 'deallocated';

/** Why provisioning failed, as an instance view says it. */
export interface Failing {
  readonly code: string;
  readonly message: string;
}

export interface MachineSettings {
  readonly failing?: Failing;
  readonly createdAt: number;
  readonly zones: readonly string[] | undefined;
  readonly identity: Identity | undefined;
  readonly kept: Kept;
}

export interface Identity {
  readonly type: string;
  /** Of the system-assigned one. */
  readonly principalId: string | undefined;
  /** By the path of each user-assigned one. */
  readonly users: ReadonlyMap<string, { readonly principalId: string; readonly clientId: string }>;
}

export interface Disk extends Tracked {
  readonly sku: string;
  /** In GiB. */
  readonly size: number;
  readonly source: { readonly imageId: string; readonly osType: string; readonly generation: string };
  /** The path of the machine that has it. */
  readonly machine: string | undefined;
  readonly createdAt: number;
  readonly kept: { readonly zones: readonly string[] | undefined };
}
