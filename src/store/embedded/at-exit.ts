const last = new Set<() => void>();

/** Runs `work` when the process exits without having taken it back: after an error nobody caught, or `process.exit`. Synchronous. */
export function atExit(work: () => void): { takeBack(): void } {
  if (last.size === 0) process.once('exit', runAll);
  last.add(work);
  return {
    takeBack: () => {
      last.delete(work);
      if (last.size === 0) process.off('exit', runAll);
    },
  };
}

function runAll(): void {
  for (const work of last) work();
}
