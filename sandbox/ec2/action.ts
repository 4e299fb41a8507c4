import type { AnswerFaults } from '../protocol.ts';
import { type Fields, flag, type Input } from './query.ts';
import type { Region } from './region.ts';

export interface Context {
  readonly region: Region;
  /** On the sandbox's clock. */
  readonly now: number;
  readonly answerFaults: AnswerFaults;
}

/** One EC2 action. `run` answers the XML inside the response element. */
export interface Action {
  readonly name: string;
  readonly fields: Fields;
  readonly mutates: boolean;
  readonly run: (context: Context, input: unknown) => string;
}

interface Definition<F extends Fields> {
  readonly name: string;
  readonly fields: F;
  readonly run: (context: Context, input: Input<F>) => string;
}

/** The parameter of nearly every action; those without it refuse it like any unknown one. */
export const dryRun = { DryRun: flag } as const;

export function read<const F extends Fields>(definition: Definition<F>): Action {
  return erased(definition, false);
}

export function write<const F extends Fields>(definition: Definition<F>): Action {
  return erased(definition, true);
}

function erased<F extends Fields>({ name, fields, run }: Definition<F>, mutates: boolean): Action {
  return { name, fields, mutates, run: (context, input) => run(context, input as Input<F>) }; // why: `decode` made it by these very fields
}
