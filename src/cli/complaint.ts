import { printableLines } from '../core/text.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';

/** Where it is, why it is so, what to do next: each a sentence for people. */
export interface Advice {
  readonly where?: string;
  readonly why?: string;
  readonly next?: string;
  readonly code?: ExitCode;
  readonly cause?: unknown;
}

/** An error that a person can act on: shown without a stack trace. Everything else that is thrown is a defect of ours. */
export class Complaint extends Error {
  readonly advice: Advice;
  readonly code: ExitCode;

  constructor(what: string, advice: Advice = {}) {
    super(what, advice.cause === undefined ? {} : { cause: advice.cause });
    this.name = 'Complaint';
    this.advice = advice;
    this.code = advice.code ?? exitCodes.error;
  }
}

/** The lines on stderr: what, then the advice there is, indented: whatever others said into it begins no line of ours. */
export function complaintText(complaint: Complaint): string {
  const { where, why, next } = complaint.advice;
  const lines = [
    indent(complaint.message),
    ...(where === undefined ? [] : [`  where: ${indent(where)}`]),
    ...(why === undefined ? [] : [`  why:   ${indent(why)}`]),
    ...(next === undefined ? [] : [`  next:  ${indent(next)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same as the one object of `--json`. */
export function complaintJson(complaint: Complaint): object {
  const { where, why, next } = complaint.advice;
  return {
    error: {
      what: complaint.message,
      ...(where === undefined ? {} : { where }),
      ...(why === undefined ? {} : { why }),
      ...(next === undefined ? {} : { next }),
    },
    exitCode: complaint.code,
  };
}

const indent = (text: string): string => printableLines(text).replaceAll('\n', '\n         ');
