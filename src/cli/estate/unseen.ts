import type { ScopePlan } from '../../core/action.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';

/**
 * What keeps a plan from being the whole truth: a cloud that did not answer is no cloud without changes.
 *
 *   a listing that failed, credentials of another account | 1
 *   another store's marks: nothing may be written         | 3
 */
export function unseenCode(plans: readonly ScopePlan[]): ExitCode | undefined {
  const types = new Set(plans.flatMap(({ findings }) => findings.map(({ type }) => type)));
  if (types.has('incomplete') || types.has('wrong-account')) return exitCodes.error;
  return types.has('foreign-store') ? exitCodes.refused : undefined;
}
