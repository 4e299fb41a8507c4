import type { CallOptions } from 'google-gax';
import type { Warning } from './messages.ts';

/** A page as the SDK decodes it. `items` are those of every place; `warnings` those of every place and of the page. */
export interface Page<T> {
  readonly kind: string;
  readonly items: readonly T[];
  readonly next: string;
  readonly warnings: readonly Warning[];
  readonly unreachables: readonly string[];
}

interface Listed<T> {
  readonly kind?: string | null;
  readonly items?: readonly T[] | null;
  readonly nextPageToken?: string | null;
  readonly warning?: Warning | null;
}

/** A listing of one place. */
export const pageOf = <T>({ kind, items, nextPageToken, warning }: Listed<T>): Page<T> => ({
  kind: kind ?? '',
  items: items ?? [],
  next: nextPageToken ?? '',
  warnings: warning ? [warning] : [],
  unreachables: [],
});

interface Aggregated<S> {
  readonly kind?: string | null;
  readonly items?: Readonly<Record<string, S>> | null;
  readonly nextPageToken?: string | null;
  readonly warning?: Warning | null;
  readonly unreachables?: readonly string[] | null;
}

interface Scoped {
  readonly warning?: Warning | null;
}

/** A listing over every place: what each holds is under its name. */
export function aggregatedPage<S extends Scoped, T>(
  { kind, items, nextPageToken, warning, unreachables }: Aggregated<S>,
  held: (scoped: S) => readonly T[] | null | undefined,
): Page<T> {
  const places = Object.values(items ?? {});
  return {
    kind: kind ?? '',
    items: places.flatMap((place) => held(place) ?? []),
    next: nextPageToken ?? '',
    warnings: [...(warning ? [warning] : []), ...places.flatMap((place) => place.warning ?? [])],
    unreachables: unreachables ?? [],
  };
}

/** Properties of an SDK client besides its methods. */
interface Paged {
  initialize(): Promise<unknown>;
  readonly innerApiCalls: Readonly<Record<string, unknown>>;
}

/**
 * One page of `aggregatedList`, with its token and warnings. The SDK offers only an iterator there, which hides both; what it
 * calls itself answers them.
 */
export async function aggregatedList<S>(
  client: Paged,
  request: { readonly project: string; readonly maxResults: number; readonly pageToken: string | null },
  options: CallOptions,
): Promise<readonly [Aggregated<S>]> {
  await client.initialize();
  // why: the SDK types these as functions of anything
  const inner = client.innerApiCalls['aggregatedList'] as (
    request: object,
    options: CallOptions,
  ) => Promise<readonly [unknown, unknown, Aggregated<S>]>;
  const headers = { 'x-goog-request-params': `project=${encodeURIComponent(request.project)}` };
  const [, , page] = await inner(request, { ...options, otherArgs: { headers } });
  return [page];
}
