/** Milliseconds since 1970 on the sandbox's own time. Everything that waits or ages in the sandbox reads this clock. */
export interface Clock {
  now(): number;
  /** Resolves once `ms` of this clock have passed. On a manual clock that takes an `advance`. */
  sleep(ms: number): Promise<void>;
  /** Moves the clock forward at once; waking everyone whose time has come. */
  advance(ms: number): void;
}

/** `rate` is sandbox milliseconds per real one: 1 real time, 60 a minute a second, 0 only by hand. */
export interface ClockOptions {
  readonly rate?: number;
  /** Where the clock starts; default: now. */
  readonly start?: number;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
  readonly timer: NodeJS.Timeout | undefined;
}

export function makeClock({ rate = 1, start = Date.now() }: ClockOptions = {}): Clock {
  if (!(rate >= 0)) throw new RangeError(`clock rate must be 0 or more, not ${rate}`);
  const born = performance.now();
  let offset = 0;
  const sleepers = new Set<Sleeper>();
  const now = (): number => Math.floor(start + offset + (performance.now() - born) * rate);

  const wakeDue = (): void => {
    for (const sleeper of [...sleepers].filter((s) => s.until <= now())) {
      sleepers.delete(sleeper);
      clearTimeout(sleeper.timer);
      sleeper.wake();
    }
  };

  return {
    now,
    sleep: (ms) =>
      new Promise((wake) => {
        const timer = rate > 0 ? setTimeout(wakeDue, Math.ceil(ms / rate) + 1) : undefined;
        timer?.unref();
        sleepers.add({ until: now() + ms, wake, timer });
        if (ms <= 0) wakeDue();
      }),
    advance: (ms) => {
      if (!(ms >= 0)) throw new RangeError(`a clock only goes forward, not by ${ms} ms`);
      offset += ms;
      wakeDue();
    },
  };
}
