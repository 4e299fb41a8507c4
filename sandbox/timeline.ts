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
