import type { Dialect } from '../compile/dialect.ts';
import type { Desired } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Mark, Observed } from '../observed.ts';

interface Marking {
  readonly knowledge: Pick<Knowledge, 'store' | 'estate' | 'settled'>;
  readonly holds: Pick<Dialect['holds'], 'equalMarks'>;
}

/** True where a document adopts this object, or did when it was written last. */
export const isAdopted = (
  { terms }: Pick<Desired, 'terms'>,
  { id }: Pick<Observed, 'id'>,
  { settled }: Pick<Knowledge, 'settled'>,
): boolean => terms.claim?.adopt === id || settled.get(id)?.terms.adopted === true;

/**
 * True where the mark of this object names the estate and the store alone, so that one call marks many.
 *
 *   the object                                          | its mark
 *   ----------------------------------------------------+------------------------------------------
 *   made by Setpoint                                    | with its address, deletion policy and intent
 *   adopted, on a cloud without equal marks             | the same
 *   adopted, and its mark has an address: written by an | the same: no call, or one that corrects it
 *   older version, or copied                            |
 *   adopted, and its way to the internet changes        | the same: its parts are found by the address
 *   adopted otherwise                                   | estate and store
 */
export const bearsEqualMark = (
  desired: Pick<Desired, 'terms'>,
  observed: Pick<Observed, 'id' | 'signs'>,
  changes: readonly FieldChange[],
  { knowledge, holds }: Marking,
): boolean =>
  holds.equalMarks === true &&
  isAdopted(desired, observed, knowledge) &&
  observed.signs.mark?.address === undefined &&
  !changes.some(({ field }) => field === 'internet');

/** Ours by the store, but the cloud object lacks our mark or carries an old one: it is written again. */
export function markChange(
  desired: Desired,
  observed: Observed,
  changes: readonly FieldChange[],
  { knowledge, holds }: Marking,
): readonly FieldChange[] {
  const { store, estate } = knowledge;
  const { signs } = observed;
  if (store === undefined || signs.container !== undefined || desired.kind !== observed.kind) return [];
  const { mark } = signs;
  const from = mark === undefined ? undefined : describe(mark, store);
  const to = bearsEqualMark(desired, observed, changes, { knowledge, holds })
    ? describe({ estate, store }, store)
    : `${desired.address} ${desired.terms.deletionPolicy}`;
  if (from === to) return [];
  return [from === undefined ? { field: 'mark', to } : { field: 'mark', from, to }];
}

/** True of a change to a mark that names an address. */
export const namesAddress = ({ to }: FieldChange): boolean => typeof to === 'string' && !to.startsWith(equalPrefix);

/** No address begins so: it begins with the name of a cloud, and a slash. */
const equalPrefix = 'estate ';

const describe = ({ address, deletionPolicy, store, estate }: Mark, ours: string): string =>
  `${address === undefined ? equalPrefix + estate : `${address} ${deletionPolicy ?? 'retain'}`}${store === ours ? '' : ` of store ${store}`}`;
