/** The cost of work of one size, in any unit. */
export interface Measured {
  readonly size: number;
  readonly cost: number;
}

/**
 * The growth of cost with size: the slope of the least-squares line through the logarithms of both. 1: linear; 2: quadratic.
 */
export function exponentOf(points: readonly Measured[]): number {
  const logs = points.map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) }));
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(logs.map((log) => log.x));
  const y = mean(logs.map((log) => log.y));
  const covariance = mean(logs.map((log) => (log.x - x) * (log.y - y)));
  return covariance / mean(logs.map((log) => (log.x - x) ** 2));
}

/**
 * The processor time that `work` takes at each size, ms: the least of so many rounds, as other work on the machine only ever adds.
 * The first round is not counted, so that what is measured is compiled. Small work is repeated within a round: otherwise it would
 * end before the first collection of its garbage, and only large work would pay for that.
 */
export async function costsOf(
  sizes: readonly number[],
  rounds: number,
  work: (size: number) => unknown,
): Promise<readonly Measured[]> {
  const least = new Map<number, number>();
  const enough = Math.max(...sizes) / 4;
  for (let round = 0; round <= rounds; round++) {
    for (const size of sizes) {
      const repeats = Math.max(1, Math.round(enough / size));
      const from = process.cpuUsage();
      for (let n = 0; n < repeats; n++) await work(size);
      const { user, system } = process.cpuUsage(from);
      const cost = (user + system) / 1000 / repeats;
      if (round > 0) least.set(size, Math.min(least.get(size) ?? Number.POSITIVE_INFINITY, cost));
    }
  }
  return [...least].map(([size, cost]) => ({ size, cost }));
}
