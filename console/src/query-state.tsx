import type { ReactNode } from 'react';
import { ApiError } from './api-client.ts';
import { Notice, When } from './components.tsx';
import { useLive } from './live.ts';

/** The part of a query that its state on the screen depends on; useQuery and useInfiniteQuery return it. */
export interface QueryLike<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly dataUpdatedAt: number;
  /** A failed next page leaves the loaded ones as they are. */
  readonly isFetchNextPageError?: boolean;
  refetch(): unknown;
}

interface QueryStateProps<T> {
  readonly query: QueryLike<T>;
  /** Completes `Loading …` and `You may not see …`: `the targets`. */
  readonly subject: string;
  /** The lines that stand in for the answer while it loads. */
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
  /** Returns the text for an answer with nothing in it; undefined: there is something. */
  readonly empty?: (data: T) => ReactNode;
}

/**
 *   data     error      shows
 *   none     none       that it loads
 *   none     any        the refusal and a retry
 *   some     forbidden  the refusal alone: the grants have shrunk
 *   some     other      that the data is stale, a retry, and the data
 *   some     none       the data, or the text for an empty answer
 */
export function QueryState<T>({ query, subject, lines, children, empty }: QueryStateProps<T>) {
  const { data, dataUpdatedAt, refetch } = query;
  const error = query.isFetchNextPageError === true ? null : query.error;
  const isFailed = error !== null && error !== undefined;
  if (data === undefined && !isFailed) return <Loading subject={subject} lines={lines} />;
  if (data === undefined || isForbidden(error)) return <Failure error={error} subject={subject} retry={refetch} />;
  return (
    <>
      {isFailed ? <Stale error={error} subject={subject} retry={refetch} since={dataUpdatedAt} /> : null}
      {empty?.(data) ?? children(data)}
    </>
  );
}

export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

const isUnreachable = (error: unknown): boolean => error instanceof ApiError && error.status === 0;

interface LoadingProps {
  readonly subject: string;
  /** 12 at most. */
  readonly lines?: number | undefined;
}

const bars = Array.from({ length: 12 }, (_, line) => `bar-${line}`);

export const Loading = ({ subject, lines = 4 }: LoadingProps) => (
  <div className="loading" role="status">
    <span className="hidden">Loading {subject}…</span>
    {bars.slice(0, lines).map((bar) => (
      <span key={bar} className="bar" aria-hidden="true" />
    ))}
  </div>
);

interface FailureProps {
  readonly error: unknown;
  readonly subject: string;
  readonly retry?: () => unknown;
}

/** A refusal by its kind: forbidden, absent or unseen, malformed, unreachable. */
export function Failure({ error, subject, retry }: FailureProps) {
  const { title, text } = wordsFor(error, subject);
  return (
    <Notice tone="wrong" title={title}>
      <p>{text}</p>
      {retry === undefined ? null : <Retry retry={retry} />}
    </Notice>
  );
}

const Retry = ({ retry }: { readonly retry: () => unknown }) => (
  <button type="button" className="button" onClick={() => void retry()}>
    Try again
  </button>
);

interface StaleProps {
  readonly error: unknown;
  readonly subject: string;
  readonly since: number;
  retry(): unknown;
}

/** No alert: a screen reader would read it again at each tick of the time. */
function Stale({ error, subject, since, retry }: StaleProps) {
  const { state } = useLive();
  // why: then the line at the top says so for the whole page
  if (state === 'lost' && isUnreachable(error)) return null;
  const { title, text } = wordsFor(error, subject);
  return (
    <Notice tone="attention" title={`The newest request for ${subject} failed: ${title}`}>
      <p>
        The data below is from <When at={new Date(since).toISOString()} />. {text}
      </p>
      <Retry retry={retry} />
    </Notice>
  );
}

function wordsFor(error: unknown, subject: string): { readonly title: string; readonly text: string } {
  if (!(error instanceof ApiError)) return { title: `The console could not show ${subject}`, text: String(error) };
  if (isForbidden(error))
    return { title: `You may not see ${subject}`, text: `${error.message}. Ask an admin of Setpoint for a grant.` };
  if (isNotFound(error))
    return {
      title: 'There is no such thing, or you may not see it',
      text: `Setpoint gives one answer for both. Your grants may not cover ${subject}.`,
    };
  const places = error.errors.map(({ at, expected }) => ` ${at}: ${expected}.`).join('');
  return { title: error.title, text: `${error.message}${places}` };
}
