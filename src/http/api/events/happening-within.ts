import type { Bounds } from '../../../core/access/grant.ts';
import { seesAll } from '../../../core/access/sees-all.ts';
import { targetsWithin } from '../../../core/access/targets-within.ts';
import type { Happening } from '../../../ports/happenings.ts';

/** What happened, as it is told to who sees something of it: without the names of targets that they do not see. */
export function happeningWithin(happening: Happening, seen: readonly Bounds[]): Happening {
  const { estate } = happening;
  if (happening.targets === undefined || seesAll(seen, estate)) return happening;
  const targets = targetsWithin(seen, { estate, targets: happening.targets });
  return targets.length === happening.targets.length ? happening : { ...happening, targets };
}
