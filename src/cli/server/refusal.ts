import { printable } from '../../core/text.ts';
import { Complaint } from '../complaint.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { formatDuration } from '../output/duration.ts';
import { boundedText } from './bounded.ts';
import { want } from './want.ts';

/** A server's refusal, as RFC 9457 has it: https://www.rfc-editor.org/rfc/rfc9457 */
export class Refused extends Complaint {
  readonly status: number;
  readonly problem: ServerProblem;

  /** `expiredMs`: for how long the token has been of no use, where that is known. */
  constructor(status: number, problem: ServerProblem, url: string, expiredMs?: number) {
    const errors = problem.errors ?? [];
    // why: where there are errors the detail only points at them, for programs
    const heads = errors.length > 0 ? errors.map(errorText) : [problem.detail ?? problem.title];
    const why = [...heads, ...(problem.why ?? [])]
      .flatMap((one) => (one === undefined ? [] : [printable(one).slice(0, longest)]))
      .join('\n');
    const isExpired = status === 401 && expiredMs !== undefined;
    super(isExpired ? `Your token for ${url} expired ${formatDuration(expiredMs)} ago.` : what(status, url), {
      ...(why === '' ? {} : { why }),
      ...nextOf(status, problem, url),
      code: codeOf(status),
    });
    this.name = 'Refused';
    this.status = status;
    this.problem = problem;
  }
}

function nextOf(status: number, { errors = [] }: ServerProblem, url: string): { readonly next?: string } {
  if (status === 401) return { next: `Log in: setpoint login ${url}` };
  return errors.some(({ at }) => at === 'estate') ? { next: 'Name it: --estate NAME' } : {};
}

/** What of a problem is told to people; `body`: all of it, for who knows more of its kind. */
export interface ServerProblem {
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly in?: string; readonly at?: string; readonly expected?: string }[];
  /** What keeps it from being done, one by one. */
  readonly why?: readonly string[];
  readonly body: unknown;
}

/** What a response that is none of success comes to. */
export async function refusal(response: Response, url: string, expiredMs?: number): Promise<Refused> {
  return new Refused(response.status, await problemIn(response), url, expiredMs);
}

const mostBytes = 1024 * 1024;

async function problemIn(response: Response): Promise<ServerProblem> {
  try {
    const body: unknown = JSON.parse(await boundedText(response, mostBytes));
    return { ...problem(body, 'problem'), body };
  } catch {
    // why: a proxy's page, or none at all: the status says enough
    return { body: undefined };
  }
}

const problem = want.object({
  title: want.maybe(want.text),
  detail: want.maybe(want.text),
  why: want.maybe(want.list(want.text)),
  errors: want.maybe(
    want.list(want.object({ in: want.maybe(want.text), at: want.maybe(want.text), expected: want.maybe(want.text) })),
  ),
});

function what(status: number, url: string): string {
  const known: Readonly<Record<number, string>> = {
    400: `${url} cannot do that as it was asked.`,
    401: `${url} does not know who asks.`,
    403: `${url} does not let you do that.`,
    404: `${url} has no such thing, or none that you may see.`,
    409: `${url} refused: something else came first.`,
    413: `That is more than ${url} takes at once.`,
    422: `${url} refused that.`,
    429: `${url} has had too many requests, also after waiting.`,
    503: `${url} is not ready, also after waiting.`,
  };
  return known[status] ?? `${url} could not answer (status ${status}).`;
}

/** Somebody's approval, pause or newer generation stands in the way: as with the command line on a store. */
const codeOf = (status: number): ExitCode => (status === 409 || status === 412 ? exitCodes.refused : exitCodes.error);

const errorText = ({ in: place, at, expected }: NonNullable<ServerProblem['errors']>[number]): string =>
  `${[place, at].filter((one) => one !== undefined && one !== '').join(' ')}: ${expected ?? 'not as expected'}`;

/** Of a line that a server says. */
const longest = 2000;
