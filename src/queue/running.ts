import type { Job } from 'bullmq';
import type { Where } from '../ports/queue.ts';

/** A pass that runs in this process, and the lock under which it does. */
export interface Run {
  readonly job: Job<Where>;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** The passes that run in this process. Each is told to end when its job's lock is lost. */
export interface Running {
  /** Until the pass has ended. */
  during<T>(job: Job<Where>, token: string, pass: (signal: AbortSignal) => Promise<T>): Promise<T>;
  renewed(ids: readonly string[]): void;
  lose(ids: readonly string[]): void;
  /** Tells all to end, those too that begin from now on. */
  abort(why: Error): void;
  list(): readonly Run[];
}

/** `lockMs`: a job whose lock was not renewed for so long is lost, though no server said so: it may be out of reach. */
export function runningPasses(lockMs: number): Running {
  const runs = new Map<string, Kept>();
  let ended: Error | undefined;
  return {
    during: async (job, token, pass) => {
      const kept = keep({ job, token }, lockMs);
      const id = job.id ?? token;
      runs.set(id, kept);
      if (ended) kept.abort.abort(ended);
      try {
        return await pass(kept.signal);
      } finally {
        clearTimeout(kept.lapse);
        if (runs.get(id) === kept) runs.delete(id);
      }
    },
    renewed: (ids) => {
      for (const id of ids) {
        const kept = runs.get(id);
        if (kept && !kept.signal.aborted) lapseLater(kept, lockMs);
      }
    },
    lose: (ids) => {
      for (const id of ids) runs.get(id)?.abort.abort(new JobLost());
    },
    abort: (why) => {
      ended = why;
      for (const { abort } of runs.values()) abort.abort(why);
    },
    list: () => [...runs.values()],
  };
}

/** The reason of a signal whose pass another worker may have taken over. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
  constructor() {
    super('the lock of this job is lost: another worker may have taken it over');
  }
}

interface Kept extends Run {
  readonly abort: AbortController;
  lapse?: NodeJS.Timeout;
}

function keep({ job, token }: Pick<Run, 'job' | 'token'>, lockMs: number): Kept {
  const abort = new AbortController();
  const kept: Kept = { job, token, abort, signal: abort.signal };
  // why: it has been told, and one that does not listen may never end: a timer would keep the process.
  abort.signal.addEventListener('abort', () => clearTimeout(kept.lapse));
  lapseLater(kept, lockMs);
  return kept;
}

function lapseLater(kept: Kept, lockMs: number): void {
  clearTimeout(kept.lapse);
  kept.lapse = setTimeout(() => kept.abort.abort(new JobLost()), lockMs);
}
