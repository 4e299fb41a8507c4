import type { Clock } from '../ports/clock.ts';

/** Whether something that a worker cannot do without has answered lately. */
export interface Reach {
  readonly name: string;
  /** False: it is told, and the process is ready without it. */
  readonly needed: boolean;
  /** Asks nobody: how often this is read makes no load. */
  look(): Look;
  stop(): void;
}

/** `why`: what went wrong last, and since when, for people. */
export type Look = { readonly ok: true } | { readonly ok: false; readonly why: string };

export interface Reaching {
  /** `database`, `queue`. */
  readonly name: string;
  /** Default true; see `Reach`. */
  readonly needed?: boolean;
  /** One small question. Rejects where there is no answer; one that comes late is none. */
  readonly ping: (signal: AbortSignal) => Promise<unknown>;
  readonly clock: Clock;
}

const everyMs = 2000;
const patienceMs = 3000;
/** A restart of a database is a matter of seconds, and passes wait for it: a worker that missed one question is still ready. */
const lateMs = 7000;

/** Asks every two seconds from now on, until stopped. */
export function watchReach({ name, needed = true, ping, clock }: Reaching): Reach {
  const stopped = new AbortController();
  const began = clock.now();
  let last: number | undefined;
  let why = 'not asked yet';

  const ask = async (): Promise<void> => {
    try {
      await answered(ping, clock, stopped.signal);
      last = clock.now();
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
  };

  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await ask();
      await clock.sleep(everyMs, stopped.signal).catch(() => undefined);
    }
  };
  void watch();

  return {
    name,
    needed,
    look: () => {
      const silentMs = clock.now() - (last ?? began);
      if (last !== undefined && silentMs <= lateMs) return { ok: true };
      const since = last === undefined ? 'never reached' : `last reached ${Math.round(silentMs / 1000)} s ago`;
      return { ok: false, why: `${since}: ${why}` };
    },
    stop: () => stopped.abort(),
  };
}

async function answered(ping: Reaching['ping'], clock: Clock, stop: AbortSignal): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([stop, over.signal]);
  const late = clock.sleep(patienceMs, signal).then(() => {
    throw new Error(`no answer within ${patienceMs / 1000} s`);
  });
  try {
    await Promise.race([ping(signal), late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}
