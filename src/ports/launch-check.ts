import type { Failure } from '../core/failure.ts';
import type { Address, CloudId } from '../core/resource.ts';

/** A machine that is to be made, or to take another size, as far as a cloud can be asked about it before anything is changed. */
export interface LaunchQuestion {
  /** Of the machine: it names the zone on Google Cloud, the resource group on Azure. */
  readonly address: Address;
  /** Absent: it stands already and boots from what it has. */
  readonly image?: string;
  readonly size: string;
  /** Absent: it does not stand yet. */
  readonly subnet?: CloudId;
  /** Whether it stands beside all others: then it needs a free address there, and quota. One that takes the place of another after its end does not. */
  readonly needsRoom: boolean;
  readonly publicIp: boolean;
}

/**
 * `impossible`: by the cloud's own word, and nothing but a change of the spec or of the cloud helps. `unknown`: the cloud could not be
 * asked, as for want of a permission: that says nothing of the machine.
 */
export type LaunchAnswer =
  | { readonly as: 'possible' }
  | { readonly as: 'impossible' | 'unknown'; readonly failure: Failure };
