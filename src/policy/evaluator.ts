import { Worker } from 'node:worker_threads';
import type { Given } from '../core/policy/change.ts';
import type { Expression, Found } from '../core/policy/evaluate.ts';
import { areShort, type Evaluated, type Evaluation, evaluateNow } from './evaluation.ts';

/** Evaluates every expression for every given resource, and answers for each resource in order. */
export type Evaluate = (expressions: readonly Expression[], givens: readonly Given[]) => Promise<Evaluated>;

/** The pair that ended the thread. */
interface Failed {
  readonly given: number;
  readonly rule: number;
  readonly reason: string;
}

/** Milliseconds of the processor's time for one expression and one resource. Rules that people write take microseconds. */
const usualLimitMs = 1000;

/** Resources in a request: they are copied into the thread, and each takes some microseconds of the sender's time. */
const PIECE = 500;

const watchMs = 50;

/** The limit of the thread's heap. 100 expressions and 500 resources take some megabytes. */
const MOST_MEMORY_MB = 512;

/** Evaluations that are done at once: the thread takes longer to begin. */
const INLINE = 2000;
const INLINE_MS = 20;

/**
 * Evaluates in a thread of its own, so that a process that serves others goes on meanwhile. The thread stays for the next request and
 * keeps no process alive. An expression that takes too long for one resource, or too much memory, has no answer for it, nor for those
 * after it: the thread is ended, and another one does the rest. A few short expressions are evaluated at once.
 */
export function createEvaluator(limitMs = usualLimitMs): Evaluate {
  let worker: Worker | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (evaluation: Evaluation): Promise<Evaluated | Failed> => {
    const used =
      worker ??
      startThread(() => {
        if (worker === used) worker = undefined;
      });
    worker = used;
    const drop = (): void => {
      worker = undefined;
      void used.terminate();
    };
    try {
      const answer = await answerOf(used, evaluation, limitMs);
      if ('given' in answer) drop();
      return answer;
    } catch (error) {
      drop();
      throw error;
    }
  };
  return async (expressions, givens) => {
    const first =
      expressions.length * givens.length <= INLINE && areShort(expressions) ? atOnce(expressions, givens) : [];
    if (first.length === givens.length) return first;
    const rest = givens.slice(first.length);
    const answer = turn.then(() => evaluateInPieces(expressions, rest, ask));
    turn = answer.catch(() => {});
    return [...first, ...(await answer)];
  };
}

/** The answers for the first resources, as many as a few milliseconds are enough for. */
function atOnce(expressions: readonly Expression[], givens: readonly Given[]): Evaluated {
  const end = performance.now() + INLINE_MS;
  const found: (readonly Found[])[] = [];
  for (const given of givens) {
    if (performance.now() > end) break;
    found.push(evaluateNow(expressions, given));
  }
  return found;
}

/** The evaluator of this process. */
export const evaluate: Evaluate = createEvaluator();

async function evaluateInPieces(
  expressions: readonly Expression[],
  givens: readonly Given[],
  ask: (evaluation: Evaluation) => Promise<Evaluated | Failed>,
): Promise<Evaluated> {
  const failed = new Map<number, Failed>();
  const all: (readonly Found[])[] = [];
  while (all.length < givens.length) {
    const from = all.length;
    const until = expressions.map((_, rule) =>
      Math.max(0, (failed.get(rule)?.given ?? Number.MAX_SAFE_INTEGER) - from),
    );
    // why: the thread writes its progress where this one reads it
    const progress = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
    const answer = await ask({ expressions, givens: givens.slice(from, from + PIECE), until, progress });
    if ('given' in answer) {
      failed.set(answer.rule, { ...answer, given: from + answer.given });
      continue;
    }
    for (const [i, found] of answer.entries()) {
      const unanswered = [...failed.values()].flatMap(({ rule, given, reason }) =>
        given <= from + i ? [{ rule, outcome: { failed: reason } }] : [],
      );
      all.push(unanswered.length === 0 ? found : [...found, ...unanswered].toSorted((a, b) => a.rule - b.rule));
    }
  }
  return all;
}

function startThread(ended: () => void): Worker {
  const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB } });
  worker.unref();
  // why: a caller that waits for an answer listens too; between two requests nobody does
  worker.on('error', () => {}).once('exit', ended);
  return worker;
}

/** Beside this file: as it was written, or as it was built. */
const entry = new URL(
  import.meta.url.endsWith('.ts') ? './evaluation-worker.ts' : './evaluation-worker.js',
  import.meta.url,
);

/** The answer of the thread, or the pair on which it has spent too much. */
function answerOf(worker: Worker, evaluation: Evaluation, limitMs: number): Promise<Evaluated | Failed> {
  const { progress } = evaluation;
  return new Promise((resolve, reject) => {
    let [begun, since] = [-1, 0];
    const look = async (): Promise<void> => {
      // why: a thread that has not begun has no usage, and one that ended has reported its own
      const usage = await worker.cpuUsage().catch(() => undefined);
      if (usage === undefined) return;
      const [now, spent] = [Atomics.load(progress, 0), (usage.user + usage.system) / 1000];
      if (now !== begun) [begun, since] = [now, spent];
      else if (now > 0 && spent - since > limitMs) fail(`it takes more than ${limitMs / 1000} s`);
    };
    // why: the thread keeps no process alive, and its answer is awaited
    const watch = setInterval(() => void look(), watchMs);
    const end = (answer: Evaluated | Failed): void => {
      clearInterval(watch);
      worker.off('message', end).off('error', broken).off('exit', gone);
      resolve(answer);
    };
    const fail = (reason: string): void =>
      end({ given: Atomics.load(progress, 1), rule: Atomics.load(progress, 2), reason });
    const broken = (error: Error): void => {
      clearInterval(watch);
      if (Atomics.load(progress, 0) === 0) reject(error);
      fail(`it ended its thread: ${error.message}`);
    };
    const gone = (): void => broken(new Error('it ended without an answer'));
    worker.on('message', end).on('error', broken).on('exit', gone);
    try {
      worker.postMessage(evaluation);
    } catch (error) {
      clearInterval(watch);
      reject(error);
    }
  });
}
