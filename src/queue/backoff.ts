/**
 * A pause before try number `tries` + 1, in milliseconds: anything up to a ceiling that doubles with each failure (full
 * jitter, https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). `random`: in [0, 1).
 */
export function backoff(tries: number, { firstMs, capMs }: Ceiling, random: () => number = Math.random): number {
  const ceiling = Math.min(capMs, firstMs * 2 ** Math.max(0, tries - 1));
  return Math.floor(random() * ceiling);
}

export interface Ceiling {
  readonly firstMs: number;
  readonly capMs: number;
}
