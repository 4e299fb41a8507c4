import type { Failure } from '../../src/core/failure.ts';
import type { LaunchAnswer } from '../../src/ports/launch-check.ts';

export const possible: LaunchAnswer = { as: 'possible' };

/** `why`: for people, before what the cloud said. */
export const impossible = (failure: Failure, why: string): LaunchAnswer => ({
  as: 'impossible',
  failure: { ...failure, message: `${why}. ${failure.message}` },
});

export const unknown = (failure: Failure): LaunchAnswer => ({ as: 'unknown', failure });

/** Asks one after the other until something is impossible; what could not be asked does not hide that. */
export async function firstObstacle(questions: readonly (() => Promise<LaunchAnswer>)[]): Promise<LaunchAnswer> {
  let untold: LaunchAnswer = possible;
  for (const ask of questions) {
    const answer = await ask();
    if (answer.as === 'impossible') return answer;
    if (answer.as === 'unknown') untold = answer;
  }
  return untold;
}
