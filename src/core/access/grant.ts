import { type Permission, permissionsOf, type Role } from './role.ts';

/** A role, and where it holds. What is left out is not bounded; an empty list would hold nowhere. */
export interface Grant extends Bounds {
  readonly role: Role;
}

export interface Bounds {
  readonly estates?: readonly string[];
  /** Names of targets. */
  readonly targets?: readonly string[];
  /** As in `metadata.owner`. */
  readonly owners?: readonly string[];
}

/** What is asked about. `targets`: those that it is of; `owner`: whose it is, '' of nobody. Left out: all of them. */
export interface Subject {
  readonly estate: string;
  readonly targets?: readonly string[];
  readonly owner?: string;
}

/** Where somebody has a permission: empty where nowhere. What a store narrows its questions by. */
export const boundsFor = (grants: readonly Grant[], permission: Permission): readonly Bounds[] =>
  grants.filter(({ role }) => permissionsOf[role].includes(permission));

/** Whether one of the grants lets this be done to all of the subject. */
export const mayDo = (grants: readonly Grant[], permission: Permission, subject: Subject): boolean =>
  boundsFor(grants, permission).some((bounds) => covers(bounds, subject));

/**
 * Whether all of the subject lies within. What is of several targets lies within where one of them does.
 *
 *   bounded by | subject leaves it out | subject says it
 *   nothing    | within                | within
 *   names      | not within            | within where a name is the same
 */
export function covers({ estates, targets, owners }: Bounds, subject: Subject): boolean {
  if (estates !== undefined && !estates.includes(subject.estate)) return false;
  if (targets !== undefined && !(subject.targets ?? []).some((name) => targets.includes(name))) return false;
  return owners === undefined || (subject.owner !== undefined && owners.includes(subject.owner));
}
