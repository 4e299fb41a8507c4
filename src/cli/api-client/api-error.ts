import { printable } from '../../core/text.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { formatDuration } from '../output/format.ts';
import { decode } from './decode.ts';

/** A server's refusal, as RFC 9457 has it: https://www.rfc-editor.org/rfc/rfc9457 */
export class ApiError extends UserError {
  readonly status: number;
  readonly problem: ProblemDetails;

  /** `expiredMs`: for how long the token has been of no use, where that is known. */
  constructor(status: number, problem: ProblemDetails, url: string, expiredMs?: number) {
    const errors = problem.errors ?? [];
    // why: where there are errors the detail only points at them, for programs
    const heads = errors.length > 0 ? errors.map(fieldErrorText) : [problem.detail ?? problem.title];
    const why = [...heads, ...(problem.why ?? [])]
      .flatMap((one) => (one === undefined ? [] : [printable(one).slice(0, longest)]))
      .join('\n');
    const isExpired = status === 401 && expiredMs !== undefined;
    super(isExpired ? `Your token for ${url} expired ${formatDuration(expiredMs)} ago.` : titleOf(status, url), {
      ...(why === '' ? {} : { why }),
      ...nextOf(status, problem, url),
      code: codeOf(status),
    });
    this.name = 'Refused';
    this.status = status;
    this.problem = problem;
  }
}

function nextOf(status: number, { errors = [] }: ProblemDetails, url: string): { readonly next?: string } {
  if (status === 401) return { next: `Log in: setpoint login ${url}` };
  return errors.some(({ at }) => at === 'estate') ? { next: 'Name it: --estate NAME' } : {};
}

/** The parts of a problem that people see; `body`: all of it, for code that knows more of its kind. */
interface ProblemDetails {
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly in?: string; readonly at?: string; readonly expected?: string }[];
  /** The single reasons that it was not done. */
  readonly why?: readonly string[];
  readonly body: unknown;
}

/** Turns an unsuccessful response into an error. */
export async function apiErrorFrom(response: Response, url: string, expiredMs?: number): Promise<ApiError> {
  return new ApiError(response.status, await problemIn(response), url, expiredMs);
}

const mostBytes = 1024 * 1024;

async function problemIn(response: Response): Promise<ProblemDetails> {
  try {
    const body: unknown = JSON.parse(await boundedText(response, mostBytes));
    return { ...problem(body, 'problem'), body };
  } catch {
    // why: a proxy's page, or none at all: the status says enough
    return { body: undefined };
  }
}

const problem = decode.object({
  title: decode.optional(decode.string),
  detail: decode.optional(decode.string),
  why: decode.optional(decode.list(decode.string)),
  errors: decode.optional(
    decode.list(
      decode.object({
        in: decode.optional(decode.string),
        at: decode.optional(decode.string),
        expected: decode.optional(decode.string),
      }),
    ),
  ),
});

function titleOf(status: number, url: string): string {
  const known: Readonly<Record<number, string>> = {
    400: `${url} rejected the request as invalid.`,
    401: `${url} could not authenticate you.`,
    403: `${url} does not permit that.`,
    404: `${url} has no such resource, or you may not see it.`,
    409: `${url} refused: the state has changed since.`,
    413: `The request is too large for ${url}.`,
    422: `${url} refused the request.`,
    429: `${url} still gets too many requests, also after a wait.`,
    503: `${url} is still unavailable, also after a wait.`,
  };
  return known[status] ?? `${url} could not answer (status ${status}).`;
}

/** Somebody's approval, pause or newer generation stands in the way: as with the command line on a store. */
const codeOf = (status: number): ExitCode => (status === 409 || status === 412 ? exitCodes.refused : exitCodes.error);

const fieldErrorText = ({ in: place, at, expected }: NonNullable<ProblemDetails['errors']>[number]): string =>
  `${[place, at].filter((one) => one !== undefined && one !== '').join(' ')}: ${expected ?? 'unexpected'}`;

/** Of a line that a server says. */
const longest = 2000;

/** All of an answer as text; throws, and reads no further, where it has more bytes than these. */
export async function boundedText({ body }: Pick<Response, 'body'>, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes)
      throw new UserError(`The answer has more than ${mostBytes / 1024 / 1024} MiB.`, {
        next: 'Ask for less at a time.',
      });
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** An answer line by line, as it comes, without the line ends; none may have more characters than `most`. */
export async function* linesOf({ body }: Pick<Response, 'body'>, most: number): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > most) throw new UserError(`A line of the answer has more than ${most} characters.`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}
