import { type Bounds, covers } from './grant.ts';

interface TargetsOf {
  readonly estate: string;
  readonly targets: readonly string[];
}

/** Of these targets those of which something may be seen, by whatever owner: others are not named. */
export const targetsWithin = (seen: readonly Bounds[], { estate, targets }: TargetsOf): readonly string[] =>
  targets.filter((name) => seen.some(({ owners: _, ...bounds }) => covers(bounds, { estate, targets: [name] })));

/** Whether all of each of these targets may be seen, whose ever it is. Of none it is for those who see all of the estate. */
export const seesTargets = (seen: readonly Bounds[], { estate, targets }: TargetsOf): boolean =>
  seen.some((bounds) => covers(bounds, { estate })) ||
  (targets.length > 0 && targets.every((name) => seen.some((bounds) => covers(bounds, { estate, targets: [name] }))));
