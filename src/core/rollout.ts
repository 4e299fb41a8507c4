/** The rollout of a change: the sizes of its waves, in order. A last wave has the rest. */
export type Rollout = readonly WaveSize[];

/** A count, a share of all (0.1 is 10%), or whatever is left. */
export type WaveSize = number | { readonly share: number } | 'rest';

/** 0.07 × 100 is 7.000000000000001 in binary. */
const rounding = 1e-9;

/**
 * The number of finished resources after each wave: `[1, 10%, rest]` of 20 is 1, 3 and 20. Ascending; the last one is all. A
 * share is rounded up, and a wave for which nothing is left is none.
 */
export function boundsOf(rollout: Rollout, total: number): readonly number[] {
  const bounds: number[] = [];
  let reached = 0;
  for (const wave of [...rollout, 'rest' as const]) {
    if (reached >= total) break;
    reached = Math.min(total, reached + sizeOf(wave, total));
    bounds.push(reached);
  }
  return bounds;
}

function sizeOf(wave: WaveSize, total: number): number {
  if (wave === 'rest') return total;
  return typeof wave === 'number' ? wave : Math.ceil(wave.share * total - rounding);
}
