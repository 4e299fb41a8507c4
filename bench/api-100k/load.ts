import { setTimeout as sleep } from 'node:timers/promises';
import type { Ask } from './ask.ts';
import { type Question, questionAt } from './questions.ts';

/** Milliseconds of each answer, from when it was due to be asked: what waits for others counts. */
export type Took = Readonly<Record<Question['sort'] | 'bare', readonly number[]>>;

export interface Load {
  readonly perSecond: number;
  readonly seconds: number;
}

/**
 * Asks at an even pace, whether or not the answers before have come; and every fourth time a bare page besides, half a step
 * later: neither is measured while the other begins.
 */
export async function underLoad(ask: Ask, bare: Ask, { perSecond, seconds }: Load): Promise<Took> {
  const took = { page: [], past: [], text: [], one: [], bare: [] } satisfies Record<keyof Took, number[]>;
  const timed = async (into: number[], due: number, asking: Promise<void>): Promise<void> => {
    await asking;
    into.push(performance.now() - due);
  };
  const all: Promise<void>[] = [];
  const from = performance.now();
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const due = from + (index * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    const question = questionAt(index);
    all.push(timed(took[question.sort], due, ask(question)));
    if (index % 4 !== 0) continue;
    const between = due + 500 / perSecond;
    await sleep(Math.max(0, between - performance.now()));
    all.push(timed(took.bare, between, bare(pageAt(index))));
  }
  await Promise.all(all);
  return took;
}

/** The pages that are asked for, in turn. */
function pageAt(index: number): Question {
  const question = questionAt(index);
  return question.sort === 'page' ? question : pageAt(index + 1);
}
