import type { Origin } from '../core/inventory/ownership.ts';
import type { Row } from '../core/inventory/row.ts';
import { Declined } from '../ports/declined.ts';
import { type Grounds, openInForce } from './opened.ts';
import { originsOf } from './origins.ts';

/** Which line of the specs in force decided each field of a line of the inventory; none where they cannot say. */
export async function originsAt(
  { estate: name, place, whose, called }: Row & { readonly estate: string },
  grounds: Grounds,
): Promise<readonly Origin[]> {
  const { estate } = await openInForce(name, grounds).catch(unsaid);
  if (estate === undefined) return [];
  const { scopes } = estate.compiled;
  const desired = scopes.find(({ scope }) => scope === place.scope)?.wanted.desired ?? [];
  const documents = new Set(whose.documents.map(({ address }) => address));
  // why: an atom in its cloud's own spelling has no wish of its name, but its documents have wishes
  const wanted =
    desired.find(({ address }) => address === called.address) ??
    desired.find((one) => one.kind === place.kind && one.documents.some(({ address }) => documents.has(address)));
  return wanted === undefined ? [] : originsOf([wanted], { ...estate, dir: '', scopes });
}

function unsaid(error: unknown): { readonly estate?: undefined } {
  if (error instanceof Declined && error.because === 'conflict') return {};
  throw error;
}
