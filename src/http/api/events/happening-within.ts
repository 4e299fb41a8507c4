import { type Bounds, seesAll, visibleTargets } from '../../../core/access/grant.ts';
import type { Happening } from '../../../ports/events.ts';

/**
 * What happened, as it is told to who sees something of it: to whoever does not see all of the estate without the names of targets
 * that they do not see, and of a pass without who asked for it and why. The same one where nothing is left out.
 */
export function happeningWithin(happening: Happening, seen: readonly Bounds[]): Happening {
  const { estate, type, about } = happening;
  if (seesAll(seen, estate)) return happening;
  const { reason, ...rest } = about;
  const told = type === 'pass' && reason !== undefined ? { ...happening, about: rest } : happening;
  if (told.targets === undefined) return told;
  const targets = visibleTargets(seen, { estate, targets: told.targets });
  return targets.length === told.targets.length ? told : { ...told, targets };
}
