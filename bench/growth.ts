/** How long work of one size took, in any unit. */
export interface Measured {
  readonly size: number;
  readonly cost: number;
}

/**
 * How cost grows with size: the slope of the least-squares line through the logarithms of both. 1: linear; 2: quadratic.
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
 * The first round is not counted, so that what is measured is compiled.
 */
export async function costsOf(
  sizes: readonly number[],
  rounds: number,
  work: (size: number) => unknown,
): Promise<readonly Measured[]> {
  const least = new Map<number, number>();
  for (let round = 0; round <= rounds; round++) {
    for (const size of sizes) {
      const from = process.cpuUsage();
      await work(size);
      const { user, system } = process.cpuUsage(from);
      if (round > 0) least.set(size, Math.min(least.get(size) ?? Number.POSITIVE_INFINITY, (user + system) / 1000));
    }
  }
  return [...least].map(([size, cost]) => ({ size, cost }));
}
