import type { Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/** One thing that is checked across documents. `today` is a day (2027-01-31): the core knows no clock. */
export type Check = (set: SpecSet, today: string) => Iterable<Problem>;

export const checks: Readonly<Record<string, Check>> = {};
