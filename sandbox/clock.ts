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
  /** Default: now. */
  readonly start?: number;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
  timer: NodeJS.Timeout | undefined;
}

/** https://nodejs.org/api/timers.html#settimeoutcallback-delay-args: a longer one rings at once. */
const longestTimer = 2_147_483_647;

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

  /** A timer counts from the beginning of the loop's turn, so after a long turn it rings before its time: then it is set again. */
  const ring = (sleeper: Sleeper): void => {
    wakeDue();
    if (sleepers.has(sleeper)) arm(sleeper);
  };
  const arm = (sleeper: Sleeper): void => {
    if (rate === 0) return;
    const ms = Math.min(longestTimer, Math.ceil((sleeper.until - now()) / rate) + 1);
    sleeper.timer = setTimeout(ring, ms, sleeper).unref();
  };

  return {
    now,
    sleep: (ms) =>
      new Promise((wake) => {
        const sleeper: Sleeper = { until: now() + ms, wake, timer: undefined };
        sleepers.add(sleeper);
        if (ms <= 0) wakeDue();
        else arm(sleeper);
      }),
    advance: (ms) => {
      if (!(ms >= 0)) throw new RangeError(`a clock only goes forward, not by ${ms} ms`);
      offset += ms;
      wakeDue();
    },
  };
}

interface Due {
  readonly at: number;
  readonly happen: () => void;
}

/** Future steps of state machines on the sandbox's clock, in order of time. */
export interface Timeline {
  schedule(at: number, happen: () => void): void;
  /** Lets everything happen that is due by `now`, also what that in turn schedules. */
  catchUp(now: number): void;
}

export function makeTimeline(): Timeline {
  const due: Due[] = [];
  return {
    schedule: (at, happen) => {
      let low = 0;
      let high = due.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((due[middle]?.at ?? 0) > at) low = middle + 1;
        else high = middle;
      }
      due.splice(low, 0, { at, happen });
    },
    catchUp: (now) => {
      for (let next = due.at(-1); next && next.at <= now; next = due.at(-1)) {
        due.pop();
        next.happen();
      }
    },
  };
}
