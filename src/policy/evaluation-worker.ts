import { parentPort } from 'node:worker_threads';
import type { Expression, Found, Outcome } from '../core/policy/evaluate.ts';
import type { Evaluated, Evaluation } from './evaluator.ts';
import { compileExpression, type Prepared, prepare } from './expressions.ts';

// The thread of evaluator.ts.

type Compiled = (prepared: Prepared) => Outcome;

const remembered = new Map<string, Compiled>();
const MOST_EXPRESSIONS = 10_000;

/** Text that is no expression has no answer: an earlier version of Setpoint may have accepted it. */
function compiled({ text, kinds }: Expression): Compiled {
  const key = JSON.stringify([kinds, text]);
  const known = remembered.get(key);
  if (known !== undefined) return known;
  if (remembered.size >= MOST_EXPRESSIONS) remembered.clear();
  const made = compiledOrFailed(text, kinds);
  remembered.set(key, made);
  return made;
}

function compiledOrFailed(text: string, kinds: Expression['kinds']): Compiled {
  try {
    return compileExpression(text, kinds);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return () => ({ failed });
  }
}

function evaluated({ expressions, givens, until, progress }: Evaluation): Evaluated {
  const rules = expressions.map(compiled);
  let begun = 0;
  return givens.map((given, at) => {
    const prepared = prepare(given);
    const found: Found[] = [];
    for (const [rule, run] of rules.entries()) {
      if (at >= (until[rule] ?? 0)) continue;
      begun += 1;
      Atomics.store(progress, 1, at);
      Atomics.store(progress, 2, rule);
      Atomics.store(progress, 0, begun);
      const outcome = run(prepared);
      if (outcome !== false) found.push({ rule, outcome });
    }
    return found;
  });
}

const port = parentPort;
if (port === null) throw new Error('this file is a thread of evaluator.ts');
port.on('message', (evaluation: Evaluation) => port.postMessage(evaluated(evaluation) satisfies Evaluated));
