import { printableLines } from '../core/text.ts';

/**
 * Exit codes of `setpoint`.
 *
 *   0 done   1 error   2 changes or drift (only with --detailed-exitcode)
 *   3 refused by policy, limit, approval, lease or staleness   4 partly applied
 *
 * Of `reach`: 0 yes, 2 no, 3 unknown. 1 stays an error, so that nobody takes a failure for a no.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

export const exitCodes = { done: 0, error: 1, changes: 2, refused: 3, partly: 4 } as const satisfies Record<
  string,
  ExitCode
>;

/** The place, the reason and the next step: each a sentence for people. */
interface ErrorDetails {
  readonly where?: string;
  readonly why?: string;
  readonly next?: string;
  readonly code?: ExitCode;
  readonly cause?: unknown;
}

/** An error that a person can act on: shown without a stack trace. Everything else that is thrown is a defect of ours. */
export class UserError extends Error {
  readonly details: ErrorDetails;
  readonly code: ExitCode;

  constructor(what: string, details: ErrorDetails = {}) {
    super(what, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'UserError';
    this.details = details;
    this.code = details.code ?? exitCodes.error;
  }
}

/** The lines on stderr: what, then the details there is, indented: whatever others said into it begins no line of ours. */
export function errorText(error: UserError): string {
  const { where, why, next } = error.details;
  const lines = [
    indent(error.message),
    ...(where === undefined ? [] : [`  where: ${indent(where)}`]),
    ...(why === undefined ? [] : [`  why:   ${indent(why)}`]),
    ...(next === undefined ? [] : [`  next:  ${indent(next)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same as the one object of `--json`. */
export function errorJson(error: UserError): object {
  const { where, why, next } = error.details;
  return {
    error: {
      what: error.message,
      where,
      why,
      next,
    },
    exitCode: error.code,
  };
}

const indent = (text: string): string => printableLines(text).replaceAll('\n', '\n         ');
