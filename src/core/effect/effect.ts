import type { DocumentRef } from '../desired.ts';
import type { Ref } from '../resource.ts';
import type { ServiceEntry } from './services.ts';

/**
 * The meaning of a plan for traffic. Only machines count that stand before and after: a new machine is not opened, and a deleted
 * one is not cut. Most dangerous first.
 *
 * - `opens`, `cuts`: traffic that the plan lets through or ends, for certain.
 * - `unknown`: traffic that it may open or cut, with the reason that Setpoint cannot tell.
 * - `idle`: new rules that apply to no machine that stands.
 * - `gaps`: reasons for which all of the above may be incomplete, such as a listing that failed.
 */
export interface Effect {
  readonly opens: readonly TrafficChange[];
  readonly cuts: readonly TrafficChange[];
  readonly unknown: readonly UnknownChange[];
  readonly idle: readonly IdleRule[];
  readonly gaps: readonly string[];
}

/** Traffic from each of `from` to each of `to`. `services`: never empty. `by`: the changed resources that cause it, sorted. */
export interface TrafficChange {
  readonly from: End;
  readonly to: End;
  readonly services: readonly ServiceEntry[];
  readonly by: readonly Ref[];
}

export interface UnknownChange extends TrafficChange {
  readonly change: 'opens' | 'cuts';
  readonly reasons: readonly string[];
}

/** One end of the traffic. At least one end of a change is `instances`. */
export type End = Outside | Instances;

/** Addresses outside of the network. `isAnyone`: the whole world, or so wide that it may as well be. */
export interface Outside {
  readonly kind: 'block';
  readonly cidr: string;
  readonly isAnyone: boolean;
}

/**
 * Machines of one network. `network`, `groups`, `names`: for people.
 *
 * - `instances`: their addresses, of unmanaged ones their ids; sorted, never empty.
 * - `groups`: groups of which all machines are in it.
 * - `names`: of the machines in none of these groups. Both empty: all machines of the network.
 * - `exposed`: where the other end is a block: those with a public address and a route to it. `maybeExposed`: where that is unknown.
 */
export interface Instances {
  readonly kind: 'instances';
  readonly network: string;
  readonly instances: readonly Ref[];
  readonly groups: readonly string[];
  readonly names: readonly string[];
  readonly exposed?: number;
  readonly maybeExposed?: number;
}

/** `toCome`: machines that the plan creates and that it will apply to. */
export interface IdleRule {
  readonly rule: Ref;
  readonly document?: DocumentRef;
  readonly toCome: number;
}
