import { hash, type Mutant } from './mutants.ts';

/**
 * The same mutants for everybody: those whose hash with the seed is lowest. A larger sample contains the smaller, and an
 * edit of one file leaves the choice in the others as it was, but for the few that its own mutants displace.
 */
export function sampleOf(mutants: readonly Mutant[], seed: number, size: number): readonly Mutant[] {
  const ranked = mutants.map((mutant) => ({ mutant, rank: hash(`${seed} ${mutant.id}`) }));
  return ranked
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}
