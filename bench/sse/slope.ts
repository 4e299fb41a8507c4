/** How much a value grows from one sample to the next, by the line of least squares; NaN of fewer than two. */
export function slope(samples: readonly number[]): number {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  let [above, below] = [0, 0];
  for (const [index, value] of samples.entries()) {
    above += (index - middle) * (value - mean);
    below += (index - middle) ** 2;
  }
  return above / below;
}
