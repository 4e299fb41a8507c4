import { type WithheldDrift, withheldDriftIn, withheldStatuses } from '../core/inventory/withheld-drift.ts';
import type { EstateAsked, Planned } from '../ports/answers.ts';
import type { Store } from '../ports/store.ts';
import { rowsWith } from './half-replaced.ts';

/** Drift that workers leave alone, by the newest looks, as far as `seen` shows it. */
export async function withheldDrift(
  { estate, seen, targets }: EstateAsked,
  store: Pick<Store, 'rows'>,
): Promise<readonly WithheldDrift[]> {
  const filter = { estates: [estate], ...(targets === undefined ? {} : { targets }) };
  return withheldDriftIn(await rowsWith({ statuses: withheldStatuses, seen, filter }, store));
}

/** The same answer, with the drift that workers leave alone. */
export async function withWithheld(planned: Planned, asked: EstateAsked, store: Pick<Store, 'rows'>): Promise<Planned> {
  const withheld = await withheldDrift(asked, store);
  return withheld.length === 0 ? planned : { ...planned, bound: { ...planned.bound, withheldDrift: withheld } };
}
