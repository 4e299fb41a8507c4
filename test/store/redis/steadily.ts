/**
 * A check of who goes when, which a worker that the machine holds up for a moment changes, and rightly: a check that
 * fails while this process stood still is made again, five times at most.
 */
export async function steadily(check: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const pulse = pulseOfLoop();
    try {
      await check();
      return;
    } catch (error) {
      if (tries === 5 || pulse.longestMs() < 50) throw error;
    } finally {
      pulse.stop();
    }
  }
}

/** For how long this process stood still at most. */
function pulseOfLoop(): { longestMs(): number; stop(): void } {
  const everyMs = 10;
  let [longest, last] = [0, performance.now()];
  const beat = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last - everyMs);
    last = now;
  };
  const timer = setInterval(beat, everyMs);
  return {
    longestMs: () => {
      beat();
      return longest;
    },
    stop: () => clearInterval(timer),
  };
}
