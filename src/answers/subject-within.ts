import { type Bounds, covers, type Subject } from '../core/access/grant.ts';
import type { PauseSubject } from '../core/pause.ts';
import type { OpenedEstate } from '../estate/load.ts';

/** Whether all that may be held lies within one of these. */
export const subjectWithin = (
  bounds: readonly Bounds[],
  of: PauseSubject,
  estate: Pick<OpenedEstate, 'name' | 'compiled'>,
): boolean => bounds.some((one) => covers(one, subjectOf(of, estate)));

/** What is in no specs any more is everybody's who has all of the estate. */
export function subjectOf(
  of: PauseSubject,
  { name: estate, compiled }: Pick<OpenedEstate, 'name' | 'compiled'>,
): Subject {
  switch (of.by) {
    case 'estate':
      return { estate };
    case 'target':
      return { estate, targets: [of.name] };
    case 'owner':
      return { estate, owner: of.name };
    case 'address': {
      const scope = compiled.scopes.find(({ scope: key }) => of.name.startsWith(`${key}/`));
      const desired = scope?.wanted.desired.find(({ address }) => address === of.name);
      const document = scope?.wanted.documents.get(desired?.documents[0]?.address ?? of.name);
      return document === undefined ? { estate } : { estate, targets: document.targets, owner: document.owner ?? '' };
    }
  }
}
