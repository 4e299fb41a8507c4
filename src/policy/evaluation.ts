import type { Given } from '../core/policy/change.ts';
import type { Expression, Found, Outcome } from '../core/policy/evaluate.ts';
import { imageText } from '../core/policy/image.ts';
import { messageOf } from '../core/text.ts';
import {
  compileExpression,
  type ExpressionForm,
  type ExpressionSubject,
  formOf,
  type Prepared,
  prepare,
} from './expressions.ts';

/**
 * - `until`: by expression, the position of the first given resource that it is not evaluated for.
 * - `progress`: the number of evaluations begun, and the positions of the last one's resource and expression.
 */
export interface Evaluation {
  readonly expressions: readonly Expression[];
  readonly givens: readonly Given[];
  readonly until: readonly number[];
  readonly progress: Int32Array;
}

/** The findings of each resource, in order. */
export type Evaluated = readonly (readonly Found[])[];

interface Compiled extends ExpressionForm {
  readonly run: (prepared: Prepared) => Outcome;
}

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
    return { run: compileExpression(text, kinds), ...formOf(text, kinds) };
  } catch (error) {
    const failed = messageOf(error);
    return { run: () => ({ failed }), isShort: true, subject: 'resource', isAboutImage: false, isAboutEffect: false };
  }
}

/** Evaluates all of it at once. */
export function evaluateAll({ expressions, givens, until, progress }: Evaluation): Evaluated {
  const rules = expressions.map(compiled);
  let begun = 0;
  return givens.map((given, at) => {
    const prepared = prepare(given);
    const found: Found[] = [];
    for (const [rule, { run, isAboutImage: asksForImage }] of rules.entries()) {
      if (at >= (until[rule] ?? 0)) continue;
      begun += 1;
      Atomics.store(progress, 1, at);
      Atomics.store(progress, 2, rule);
      Atomics.store(progress, 0, begun);
      const outcome = run(prepared);
      if (outcome !== false) found.push(asksForImage ? ofImage(rule, outcome, given) : { rule, outcome });
    }
    return found;
  });
}

/** With the facts of the image. An expression that has no answer for want of them has the reason of the reading. */
function ofImage(rule: number, outcome: Found['outcome'], { image }: Given): Found {
  if (image === undefined) return { rule, outcome };
  if (!('unread' in image)) return { rule, outcome, facts: imageText(image) };
  return { rule, outcome: outcome === true ? true : { failed: image.unread } };
}

/** True where each of the expressions takes some microseconds for any resource. */
export const areShort = (expressions: readonly Expression[]): boolean =>
  expressions.every((expression) => compiled(expression).isShort);

/** The facts without which nobody can evaluate the expression. */
export const subjectOfExpression = (expression: Expression): ExpressionSubject => compiled(expression).subject;

/** True where the expression is about the image of a machine, whatever else it is about. */
export const concernsImage = (expression: Expression): boolean => compiled(expression).isAboutImage;

/** True where the expression is about the effect of a change on traffic. */
export const concernsEffect = (expression: Expression): boolean => compiled(expression).isAboutEffect;

/** Evaluates expressions for one resource, at once: for short ones, which all rules about changes are. */
export function evaluateNow(expressions: readonly Expression[], given: Given): readonly Found[] {
  const until = expressions.map(() => Number.MAX_SAFE_INTEGER);
  return evaluateAll({ expressions, givens: [given], until, progress: new Int32Array(3) })[0] ?? [];
}
