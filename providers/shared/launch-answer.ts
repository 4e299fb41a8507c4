import type { Failure, Result } from '../../src/core/failure.ts';
import type { LaunchAnswer } from '../../src/ports/provider.ts';

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

/** Asks once a session; an answer that failed is asked for again. */
export async function once<T>(
  answers: Map<string, Promise<Result<T>>>,
  key: string,
  ask: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const asked = answers.get(key) ?? ask();
  answers.set(key, asked);
  const answer = await asked;
  if (!answer.ok && answers.get(key) === asked) answers.delete(key);
  return answer;
}

/** `name`: the cloud's own. A negative limit is none. */
export interface Quota {
  readonly name: string;
  readonly limit: number;
  readonly used: number;
}

export type Quotas = ReadonlyMap<string, Quota>;

/** `needs`: how much of which quota, by the keys of `quotas`, one machine more takes. The cloud does not name every quota that it has: those say nothing. */
export function withinQuotas(quotas: Quotas, needs: ReadonlyMap<string, number>, place: string): LaunchAnswer {
  for (const [key, needed] of needs) {
    const quota = quotas.get(key);
    if (quota === undefined || needed <= 0) continue;
    const { name, limit, used } = quota;
    if (limit < 0 || used + needed <= limit) continue;
    return impossible(
      {
        kind: 'terminal',
        quota: true,
        code: 'QuotaExceeded',
        message: `${used} of ${limit} are in use, and ${needed} more are needed.`,
      },
      `the quota ${name} of ${place} has no room for the machine: ask the cloud to raise it, or delete machines there`,
    );
  }
  return possible;
}

/** `free`: undefined where the cloud does not tell it. */
export const withAddress = (free: number | undefined, subnet: string): LaunchAnswer =>
  free === undefined || free > 0
    ? possible
    : impossible(
        { kind: 'terminal', code: 'SubnetIsFull', message: 'The cloud counts no free address there.' },
        `subnet ${subnet} is full: delete machines there, or place these in another subnet`,
      );
