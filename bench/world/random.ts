/** Numbers from a seed, the same on every machine (mulberry32): a failing document can be made again. */
export interface Random {
  /** From 0 up to and without `below`. */
  readonly whole: (below: number) => number;
  readonly pick: <T>(items: readonly T[], otherwise: T) => T;
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (below: number): number => Math.floor(next() * below);
  return { whole, pick: (items, otherwise) => items[whole(items.length)] ?? otherwise };
}
