/** The permissions of callers; each route names the one that it needs. */
export const permissions = ['read', 'plan', 'approve', 'operate', 'administer'] as const;
export type Permission = (typeof permissions)[number];

export const roles = ['viewer', 'planner', 'approver', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/**
 * read: ask what there is · plan: what would a change do · approve: let pass what is withheld · operate: bring posted specs
 * into force, pause, resume, ask for a reconcile · administer: give and take access.
 */
export const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ['read'],
  planner: ['read', 'plan'],
  approver: ['read', 'plan', 'approve'],
  operator: ['read', 'plan', 'operate'],
  admin: ['read', 'plan', 'approve', 'operate', 'administer'],
};

/**
 * A role and its bounds. An absent bound limits nothing; an empty list would allow nothing. `approvalRoles`: the roles in approvals that
 * policies ask for; absent: none.
 */
export interface Grant extends Bounds {
  readonly role: Role;
  readonly approvalRoles?: readonly string[];
}

export interface Bounds {
  readonly estates?: readonly string[];
  /** Names of targets. */
  readonly targets?: readonly string[];
  /** As in `metadata.owner`. */
  readonly owners?: readonly string[];
}

/** The subject of a check. `targets`: its targets; `owner`: its owner, '' of nobody. Left out: all of them. */
export interface Subject {
  readonly estate: string;
  readonly targets?: readonly string[];
  readonly owner?: string;
}

/** The bounds of a permission: empty where there are none. A store narrows its queries by them. */
export const boundsFor = (grants: readonly Grant[], permission: Permission): readonly Bounds[] =>
  grants.filter(({ role }) => permissionsOf[role].includes(permission));

/** True where one of the grants allows this for all of the subject. */
export const mayDo = (grants: readonly Grant[], permission: Permission, subject: Subject): boolean =>
  boundsFor(grants, permission).some((bounds) => covers(bounds, subject));

/**
 * True where all of the subject lies within. A subject of several targets lies within where one of them does.
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

type Loose = { readonly role: Role } & {
  readonly [K in 'estates' | 'targets' | 'owners' | 'approvalRoles']?: readonly string[] | undefined;
};

/** A grant and nothing else: what is not bounded is left out. */
export const bareGrant = ({ role, estates, targets, owners, approvalRoles }: Loose): Grant => ({
  role,
  ...(approvalRoles === undefined ? {} : { approvalRoles }),
  ...(estates === undefined ? {} : { estates }),
  ...(targets === undefined ? {} : { targets }),
  ...(owners === undefined ? {} : { owners }),
});

/** True where any of an estate lies within the bounds: those without estates reach all. `covers` checks the rest. */
export const reaches = ({ estates }: Bounds, estate: string): boolean => estates?.includes(estate) ?? true;

/** The estates, of these, that one or another of the bounds reaches. */
export const reachableEstates = (within: readonly Bounds[], estates: readonly string[]): readonly string[] =>
  estates.filter((name) => within.some((bounds) => reaches(bounds, name)));

/** Nothing stands between somebody and all of an estate. */
export const seesAll = (seen: readonly Bounds[], estate: string): boolean =>
  seen.some((bounds) => covers(bounds, { estate }));

interface TargetsOf {
  readonly estate: string;
  readonly targets: readonly string[];
}

/** Of these targets those of which something may be seen, by whatever owner: others are not named. */
export const visibleTargets = (seen: readonly Bounds[], { estate, targets }: TargetsOf): readonly string[] =>
  targets.filter((name) => seen.some(({ owners: _, ...bounds }) => covers(bounds, { estate, targets: [name] })));

/** True where all of each of these targets is visible, of every owner. For no targets: where all of the estate is visible. */
export const seesTargets = (seen: readonly Bounds[], { estate, targets }: TargetsOf): boolean =>
  seen.some((bounds) => covers(bounds, { estate })) ||
  (targets.length > 0 && targets.every((name) => seen.some((bounds) => covers(bounds, { estate, targets: [name] }))));

/**
 * True where these grants give nothing beyond the giver's own: each permission of each grant lies within bounds where the giver
 * has that permission, and is an administrator. Two narrow grants of the giver do not add up to a wide one.
 */
export const grantsNoMoreThan = (grants: readonly Grant[], giver: readonly Grant[]): boolean =>
  grants.every(
    (grant) =>
      (['administer', ...permissionsOf[grant.role]] as const).every((permission) =>
        boundsFor(giver, permission).some((bounds) => encloses(bounds, grant)),
      ) &&
      (grant.approvalRoles ?? []).every((role) => boundsOfApprovers(giver, role).some((one) => encloses(one, grant))),
  );

/** Where somebody approves in this approval role. */
export const boundsOfApprovers = (grants: readonly Grant[], approvalRole: string): readonly Bounds[] =>
  grants.filter(
    ({ role, approvalRoles = [] }) => permissionsOf[role].includes('approve') && approvalRoles.includes(approvalRole),
  );

/** Where somebody approves in each of their approval roles. */
export const approvalRolesIn = (grants: readonly Grant[]): Readonly<Record<string, readonly Bounds[]>> =>
  Object.fromEntries(
    [...new Set(grants.flatMap(({ approvalRoles = [] }) => approvalRoles))].map((role) => [
      role,
      boundsOfApprovers(grants, role),
    ]),
  );

/**
 * True where all that lies within `inner` lies within `outer`. Without bounds `outer` encloses all; nothing restricted encloses
 * an `inner` without bounds.
 */
export const encloses = (outer: Bounds, inner: Bounds): boolean =>
  (['estates', 'targets', 'owners'] as const).every((by) => {
    const allowed = outer[by];
    return allowed === undefined || (inner[by]?.every((name) => allowed.includes(name)) ?? false);
  });
