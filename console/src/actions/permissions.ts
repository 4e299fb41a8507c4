import { useQuery } from '@tanstack/react-query';
import type { HeldGrant } from '../api.d.ts';
import { whoami } from '../queries.ts';

export type Permission = HeldGrant['permissions'][number];

/** `any`: the console does not know them, so Setpoint decides. Absent: all of the estate. */
type Names = readonly string[] | 'any';

export interface Subject {
  readonly estate: string;
  readonly targets?: Names;
  readonly owners?: Names;
}

/** True where a grant of the person may permit this. Setpoint itself decides: this keeps buttons off the page that it would refuse. */
export function useMay(): (permission: Permission, subject: Subject) => boolean {
  const { data } = useQuery(whoami);
  return (permission, subject) =>
    data?.grants.some((grant) => grant.permissions.includes(permission) && covers(grant, subject)) ?? false;
}

function covers({ estates, targets, owners }: HeldGrant, subject: Subject): boolean {
  if (estates !== undefined && !estates.includes(subject.estate)) return false;
  return hasAny(targets, subject.targets) && hasAny(owners, subject.owners);
}

const hasAny = (bound: readonly string[] | undefined, names: Names = []): boolean =>
  bound === undefined || names === 'any' || names.some((name) => bound.includes(name));
