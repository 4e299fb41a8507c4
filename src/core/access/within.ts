import { type Bounds, boundsFor, type Grant } from './grant.ts';
import { permissionsOf } from './role.ts';

/**
 * Whether these grants give nothing beyond what somebody may give: each permission of each grant within bounds where they have
 * that permission, and are an administrator. Two narrow grants of theirs do not add up to a wide one.
 */
export const isWithin = (grants: readonly Grant[], giver: readonly Grant[]): boolean =>
  grants.every((grant) =>
    (['administer', ...permissionsOf[grant.role]] as const).every((permission) =>
      boundsFor(giver, permission).some((bounds) => encloses(bounds, grant)),
    ),
  );

/** Whether all that lies within `inner` lies within `outer`. What is not bounded encloses all; nothing bounded encloses it. */
export const encloses = (outer: Bounds, inner: Bounds): boolean =>
  (['estates', 'targets', 'owners'] as const).every((by) => {
    const allowed = outer[by];
    return allowed === undefined || (inner[by]?.every((name) => allowed.includes(name)) ?? false);
  });
