import { Declined, type DeclineReason } from '../../ports/queries.ts';
import type { Problem } from '../problem.ts';
import { notFound } from './problems.ts';
import { Refusal } from './refusal.ts';

/** What is declined becomes the problem that is answered; all else stays as it is. */
export async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Declined ? new Refusal(declinedProblem(error)) : error;
  }
}

const said: Readonly<Record<Exclude<DeclineReason, 'unknown'>, Pick<Problem, 'status' | 'title'>>> = {
  forbidden: { status: 403, title: 'Forbidden' },
  conflict: { status: 409, title: 'Conflict' },
  unsound: { status: 422, title: 'Unprocessable Content' },
  'too-many': { status: 429, title: 'Too Many Requests' },
  away: { status: 503, title: 'Service Unavailable' },
};

export const declinedProblem = ({ because, message, more }: Declined): Problem =>
  because === 'unknown'
    ? notFound
    : {
        ...said[because],
        ...{ detail: message, more },
        ...(because === 'too-many' || because === 'away' ? { headers: { 'retry-after': '2' } } : {}),
      };
