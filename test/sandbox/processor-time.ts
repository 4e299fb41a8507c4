/** Counts what this thread works, in milliseconds, from now on: waiting for a processor is no work, however busy the machine is. */
export function processorTime(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
