import { setTimeout as pause } from 'node:timers/promises';
import type { Ended, JobHandler, Queue, Where, WorkerPool } from '../../../src/ports/queue.ts';

/** Reconciles that a test looks at and lets go on: none ends before the test says so, unless `open`. */
export interface Shop {
  /** Scopes in the order in which their passes began. */
  readonly begun: string[];
  readonly poisoned: { readonly scope: string; readonly why: string }[];
  /** The highest number of reconciles of one scope at once. */
  readonly most: () => number;
  /** Reasons of reconciles that were told to end. */
  readonly aborted: Error[];
  /** Ends the oldest pass that runs of this scope. */
  end(scope: string, how?: Ended | Error): void;
  readonly shift: JobHandler;
}

export interface Manner {
  readonly atOnce?: number;
  /** The work of a reconcile. Without it, a reconcile waits for `end`. */
  readonly by?: (where: Where, signal: AbortSignal) => Promise<Ended>;
  /** Reconciles go on when they are told to end. */
  readonly deaf?: boolean;
}

interface Open {
  readonly scope: string;
  readonly settle: PromiseWithResolvers<Ended>;
}

export function shop({ atOnce = 1, by, deaf = false }: Manner = {}): Shop {
  const open: Open[] = [];
  const made: Omit<Shop, 'shift' | 'most' | 'end'> = { begun: [], poisoned: [], aborted: [] };
  let most = 0;
  const wait = async (scope: string, signal: AbortSignal): Promise<Ended> => {
    const settle = Promise.withResolvers<Ended>();
    if (!deaf) signal.addEventListener('abort', () => settle.reject(signal.reason));
    open.push({ scope, settle });
    most = Math.max(most, open.filter((one) => one.scope === scope).length);
    return settle.promise.finally(() =>
      open.splice(
        open.findIndex((one) => one.settle === settle),
        1,
      ),
    );
  };
  return {
    ...made,
    most: () => most,
    end: (scope, how = 'done') => {
      const settle = open.find((one) => one.scope === scope)?.settle;
      if (!settle) throw new Error(`no pass of ${scope} runs`);
      if (how instanceof Error) settle.reject(how);
      else settle.resolve(how);
    },
    shift: {
      atOnce,
      reconcile: (where, signal) => {
        made.begun.push(where.scope);
        signal.addEventListener('abort', () => made.aborted.push(signal.reason));
        return by ? by(where, signal) : wait(where.scope, signal);
      },
      poisoned: async ({ scope }, why) => {
        made.poisoned.push({ scope, why });
      },
    },
  };
}

/** Works until `look` is over, then stops the crew. */
export async function working(queue: Queue, { shift }: Shop, look: (crew: WorkerPool) => Promise<void>): Promise<void> {
  const crew = await queue.work(shift);
  try {
    await look(crew);
  } finally {
    await crew.stop();
  }
}

export const at = (scope: string, estate = 'shop'): Where => ({ estate, scope: `aws/1/${scope}` });

/** Short names of the started jobs, as `at` got them. */
export const names = (scopes: readonly string[]): readonly string[] =>
  scopes.map((scope) => scope.replace('aws/1/', ''));

/** Long enough for anything that would come to have come. */
export const quiet = (ms = 400): Promise<void> => pause(ms);
