/**
 * The processor time that loading or listing thousands of things may take, in milliseconds. Each takes one or two seconds;
 * shared processors can be several times slower for a while, and only work for each pair of things takes minutes.
 */
export const PATIENCE_MS = 60_000;

/** Counts the processor time of this thread from now on, in milliseconds. Waiting for a processor is no work. */
export function processorTime(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
