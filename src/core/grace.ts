import type { Address, CloudId, Kind } from './resource.ts';

/** The time between the removal of a document and the deletion of its object, in ms, by kind. */
export type GracePeriods = Readonly<Record<Kind, number>>;

const hour = 3_600_000;

/** Of estates that state none, and of generations that were accepted before there was a grace. */
export const usualGrace: GracePeriods = {
  network: 24 * hour,
  subnet: 24 * hour,
  group: 24 * hour,
  'firewall-rule': 0,
  instance: hour,
};

/** No commit lifts its own guard: of each kind the longer one holds. */
export const longerGrace = (one: GracePeriods = usualGrace, other: GracePeriods = one): GracePeriods => ({
  network: Math.max(one.network, other.network),
  subnet: Math.max(one.subnet, other.subnet),
  group: Math.max(one.group, other.group),
  'firewall-rule': Math.max(one['firewall-rule'], other['firewall-rule']),
  instance: Math.max(one.instance, other.instance),
});

/** The guard that let a deletion begin its grace: the mode `enforce`, an approval, or a person's `apply --grace`. */
export type GraceAuthority = 'mode' | 'approval' | 'person';

/**
 * The record that an object is to be deleted: its limit place and its approval are spent, and it runs untouched until then. Times are ms
 * since the epoch, by the store's clock.
 */
export interface Tombstone {
  readonly kind: Kind;
  readonly address: Address;
  /** The newest generation that is known not to want it. */
  readonly generation: number;
  readonly since: number;
  readonly until: number;
  readonly authority: GraceAuthority;
  /** The approvals that it spent; `withdrawn`: a person took one of them back since. */
  readonly approval?: { readonly seqs: readonly number[]; readonly withdrawn: boolean };
}

/**
 * Counts only while each generation since it began is known not to have wanted the object. Otherwise the removal is a new one, with a
 * grace, a limit place and an approval of its own.
 */
export const isStanding = ({ generation }: Tombstone, planned: number): boolean =>
  generation === planned || generation === planned - 1;

/** The changes of tombstones that one plan of the newest generation leads to. */
export interface TombstoneChanges {
  /** Still unwanted in this generation. */
  readonly kept: readonly CloudId[];
  /** Wanted again, or gone. */
  readonly ended: readonly CloudId[];
}

/**
 * The place of a deletion in its grace.
 *
 *   phase  | the tombstone | Setpoint
 *   -------+---------------+------------------------------------------------------
 *   begins | is missing    | records it, and calls no cloud
 *   runs   | stands        | waits
 *   ends   | is over, or a person deletes at once | deletes
 */
export type DeletionGrace =
  | { readonly phase: 'begins'; readonly forMs: number; readonly by?: 'person' }
  | {
      readonly phase: 'runs' | 'ends';
      readonly since: number;
      readonly until: number;
      /** A person let it begin, and did not take that back since. */
      readonly allowed: boolean;
      /** The numbers of the approvals by which it began; absent: it began by none. */
      readonly approvals?: readonly number[];
    };

/** `1 h`, `24 h`, `90 min` or `30 s`. */
export function graceLength(ms: number): string {
  if (ms % hour === 0) return `${ms / hour} h`;
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}
