import type { BeforeHistory } from '../../ports/rows.ts';
import type { Problem } from '../problem.ts';
import { badInput } from './problems.ts';

/** Since when it is kept is no secret of an estate: it is the same for all. */
export const beforeHistory = ({ since, message }: BeforeHistory): Problem => ({
  ...badInput([{ in: 'query', at: 'asOf', expected: `a time since ${new Date(since).toISOString()}` }]),
  detail: message,
});
