import { suggest } from '../../core/documents/problem.ts';
import type { PauseSubject } from '../../core/pause.ts';
import type { Names } from '../../queries/pauses.ts';
import { Complaint } from '../complaint.ts';
import { findAddress } from './find-address.ts';

/** The same subject by its whole name; one that there is not is a complaint that says what there is. */
export function foundSubject(given: PauseSubject, names: Names): PauseSubject {
  if (given.by === 'estate') return given;
  if (given.by === 'address') return { ...given, name: findAddress(given.name, names.address) };
  const known = names[given.by];
  if (known.has(given.name)) return given;
  const near = suggest(given.name, known);
  throw new Complaint(`There is no ${given.by} "${given.name}".`, {
    next: `${near === undefined ? '' : `Did you mean ${near}? `}${listed(given.by, known)}`,
  });
}

const listed = (by: string, known: ReadonlySet<string>): string =>
  known.size === 0 ? `There is no ${by} at all.` : `There are: ${[...known].sort().slice(0, most).join(', ')}`;

const most = 20;
