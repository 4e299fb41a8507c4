const everyMs = 10;

/** For how long this process stood still at most, since it was asked for. */
export interface Standstill {
  longestMs(): number;
  stop(): void;
}

/** Watches this process' own loop: what holds that up, the machine or a long computation, is a standstill. */
export function watchStandstill(): Standstill {
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
