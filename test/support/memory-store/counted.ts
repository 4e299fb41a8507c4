import { countOfPlaces, healingWindowMs, type Place, placeKey } from '../../../src/core/ledger/estate-count.ts';
import { budgetOf } from '../../../src/core/limits.ts';
import type { Spent } from '../../../src/ports/inventory.ts';
import type { CountedPlace, EstateMemory } from './memory.ts';

/** Places that count against `generation` at this moment. */
export function countedAt(estate: EstateMemory, generation: number, now: number): readonly CountedPlace[] {
  return [...estate.places.values()].filter((place) =>
    place.by === 'generation' ? place.generation === generation : place.at > now - healingWindowMs,
  );
}

/** What is only made is not owned yet. */
export function ownedBy(estate: EstateMemory, places: readonly Place[]): number {
  const ran = places.filter(({ as }) => budgetOf[as] === 'deletes');
  const claimed = [...estate.scopes.values()].flatMap(({ claims }) => [...claims.values()]);
  return new Set([...claimed, ...ran].map(({ address }) => address)).size;
}

export function spentBy(estate: EstateMemory, generation: number, now: number): Spent {
  const ran = countedAt(estate, generation, now);
  const tally = (by: CountedPlace['by']) => {
    const own = ran.filter((place) => place.by === by);
    return countOfPlaces([...new Map(own.map((place) => [placeKey(place), place])).values()]);
  };
  return { generation: tally('generation'), healing: tally('healing'), owned: ownedBy(estate, ran) };
}
