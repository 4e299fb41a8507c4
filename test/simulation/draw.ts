import { type Random, seededRandom } from '../../providers/memory/cloud/random.ts';

/** Everything random in a simulation, drawn from its seed. */
export interface Draw {
  readonly random: Random;
  chance(probability: number): boolean;
  /** From 0 to `below` - 1. */
  int(below: number): number;
  /** Undefined only from an empty list. */
  pick<T>(from: readonly T[]): T | undefined;
  /** A stream of its own, so that draws of one part do not change those of another. */
  branch(name: number): Draw;
}

export function draw(seed: number): Draw {
  const random = seededRandom(seed);
  const int = (below: number): number => Math.floor(random() * below);
  return {
    random,
    int,
    chance: (probability) => random() < probability,
    pick: (from) => from[int(from.length)],
    branch: (name) => draw(Math.imul(seed + 1, 0x9e3779b1) ^ name),
  };
}
