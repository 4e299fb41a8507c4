import type { Place } from '../../../src/core/ledger/estate-count.ts';
import { healingWindowMs } from '../../../src/core/ledger/healing-window.ts';
import type { Spent } from '../../../src/ports/inventory.ts';
import type { CountedPlace, EstateMemory } from './memory.ts';

/** Places that count against `generation` at this moment. */
export function countedAt(estate: EstateMemory, generation: number, now: number): readonly CountedPlace[] {
  return [...estate.places.values()].filter((place) =>
    place.by === 'generation' ? place.generation === generation : place.at > now - healingWindowMs,
  );
}

export function ownedBy(estate: EstateMemory, ran: readonly Place[]): number {
  const claimed = [...estate.scopes.values()].flatMap(({ claims }) => [...claims.values()]);
  return new Set([...claimed, ...ran].map(({ address }) => address)).size;
}

export function spentBy(estate: EstateMemory, generation: number, now: number): Spent {
  const ran = countedAt(estate, generation, now);
  const tally = (by: CountedPlace['by']) => {
    const count = (as: Place['as']) =>
      new Set(ran.filter((place) => place.by === by && place.as === as).map(({ subject }) => subject)).size;
    return { deletes: count('delete'), replaces: count('replace') };
  };
  return { generation: tally('generation'), healing: tally('healing'), owned: ownedBy(estate, ran) };
}
