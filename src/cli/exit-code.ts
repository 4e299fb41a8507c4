/**
 * What a run of `setpoint` answers to its shell.
 *
 *   0 done   1 error   2 changes or drift (only with --detailed-exitcode)
 *   3 refused by policy, limit, approval, lease or staleness   4 partly applied
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

export const exitCodes = { done: 0, error: 1, changes: 2, refused: 3, partly: 4 } as const satisfies Record<
  string,
  ExitCode
>;
