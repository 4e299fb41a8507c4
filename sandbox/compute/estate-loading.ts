import { JsonProblem } from '../json-problem.ts';
import { Refused } from '../refused.ts';
import type { Project } from './project.ts';

/** An estate half loaded. */
export interface Loading {
  readonly project: Project;
  readonly now: number;
  /** Where in the document we are. */
  readonly path: string;
}

/** The same, further in. */
export function within(loading: Loading, step: string): Loading {
  return { ...loading, path: `${loading.path}.${step}` };
}

/** What the API itself would refuse is told with its place in the document. */
export function explained<T>({ path }: Pick<Loading, 'path'>, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refused) throw new JsonProblem(`${path}: ${error.refusal.message}`, { cause: error });
    throw error;
  }
}
