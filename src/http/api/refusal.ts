import type { Problem } from '../problem.ts';

/** Thrown by whoever handles a request: the problem is the answer. Its words repeat nothing of the request. */
export class Refusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.title);
    this.name = 'Refusal';
    this.problem = problem;
  }
}
