import createClient from 'openapi-fetch';
import type { Inventory, Problem, paths } from './api.d.ts';

const client = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin' });

/** A refusal of the API (RFC 9457). `status` 0: no answer came. */
export class ApiError extends Error {
  readonly status: number;
  readonly title: string;
  readonly errors: NonNullable<Problem['errors']>;

  constructor({ status, title, detail, errors = [] }: Pick<Problem, 'status' | 'title' | 'detail' | 'errors'>) {
    super(detail);
    this.status = status;
    this.title = title;
    this.errors = errors;
  }
}

const unreachable = {
  status: 0,
  title: 'Setpoint does not answer',
  detail: 'Check that its API process runs and that you are online. The console tries again by itself.',
};

interface Answer<T> {
  readonly data?: T | undefined;
  readonly error?: Problem | undefined;
  readonly response: Response;
}

/** The body of an answer; throws ApiError for any other. */
async function bodyOf<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(unreachable);
  });
  if (data !== undefined) return data;
  throw new ApiError(problemOf(error, response.status));
}

/** A proxy in between may answer with something else than a problem. */
function problemOf(error: unknown, status: number): Pick<Problem, 'status' | 'title' | 'detail' | 'errors'> {
  if (typeof error === 'object' && error !== null && 'title' in error && 'detail' in error)
    // why: the document of the API declares every refusal so
    return error as Problem;
  return { status, title: `The server answered with ${status}`, detail: 'Ask again; then read the log of the server.' };
}

export type InventoryFilter = NonNullable<paths['/v1/inventory']['get']['parameters']['query']>;

type CountsQuestion = paths['/v1/inventory-counts']['get']['parameters']['query'];
export type CountedBy = CountsQuestion['by'];

export type MapFilter = NonNullable<paths['/v1/map']['get']['parameters']['query']>;
export type ReachQuestion = paths['/v1/reach']['get']['parameters']['query'];
type ScopesQuery = NonNullable<paths['/v1/scopes']['get']['parameters']['query']>;
export type ApprovalsQuery = NonNullable<paths['/v1/approvals']['get']['parameters']['query']>;
export type LedgerQuery = NonNullable<paths['/v1/ledger']['get']['parameters']['query']>;

interface RequestOptions {
  readonly signal: AbortSignal;
}

const ofEstate = (estate: string | undefined) => ({ query: estate === undefined ? {} : { estate } });

export const api = {
  whoami: ({ signal }: RequestOptions) => bodyOf(client.GET('/v1/whoami', { signal })),
  targets: (estate: string | undefined, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/targets', { params: ofEstate(estate), signal })),
  slo: (estate: string | undefined, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/slo', { params: ofEstate(estate), signal })),
  sloHistory: (estate: string | undefined, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/slo/history', { params: ofEstate(estate), signal })),
  approvals: (query: ApprovalsQuery, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/approvals', { params: { query }, signal })),
  drift: (estate: string | undefined, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/drift', { params: ofEstate(estate), signal })),
  patches: (estate: string | undefined, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/patches', { params: ofEstate(estate), signal })),
  pauses: (estate: string | undefined, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/pauses', { params: ofEstate(estate), signal })),
  inventory: (query: InventoryFilter, { signal }: RequestOptions) =>
    // why: with this format it is neither of the two tables
    bodyOf(
      client.GET('/v1/inventory', { params: { query: { ...query, format: 'json' } }, signal }),
    ) as Promise<Inventory>,
  inventoryCounts: (query: CountsQuestion, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/inventory-counts', { params: { query }, signal })),
  resource: (estate: string | undefined, address: string, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/inventory/{address}', { params: { path: { address }, ...ofEstate(estate) }, signal })),
  map: (query: MapFilter, { signal }: RequestOptions) => bodyOf(client.GET('/v1/map', { params: { query }, signal })),
  reach: (query: ReachQuestion, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/reach', { params: { query }, signal })),
  explanation: (estate: string | undefined, resource: string, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/explanations/{resource}', { params: { path: { resource }, ...ofEstate(estate) }, signal })),
  ledger: (estate: string | undefined, address: string, { signal }: RequestOptions) =>
    bodyOf(
      client.GET('/v1/ledger', { params: { query: { ...ofEstate(estate).query, address, limit: '20' } }, signal }),
    ),
  ledgerEntries: (query: LedgerQuery, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/ledger', { params: { query }, signal })),
  signatures: (estate: string | undefined, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/ledger/signatures', { params: ofEstate(estate), signal })),
  fleet: (estate: string | undefined, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/fleet', { params: ofEstate(estate), signal })),
  scopes: (query: ScopesQuery, { signal }: RequestOptions) =>
    bodyOf(client.GET('/v1/scopes', { params: { query }, signal })),
} as const;

type Body<P extends keyof paths> = paths[P] extends {
  post: { requestBody: { content: { 'application/json': infer B } } };
}
  ? B
  : never;

export type PatchBody = Body<'/v1/patches'>;
export type PauseBody = Body<'/v1/pauses'>;
export type ResumeBody = Body<'/v1/pauses/end'>;
export type ApproveBody = Body<'/v1/approvals'>;
export type RefuseBody = Body<'/v1/approvals/refuse'>;
export type WithdrawBody = Body<'/v1/approvals/withdraw'>;
export type ReconcileBody = Body<'/v1/targets/{name}/reconcile'> & { readonly target: string };

const once = (key: string) => ({ 'idempotency-key': key });

/** Changes. Setpoint carries out the same body with the same `key` once, however often it is sent. */
export const commands = {
  pause: (body: PauseBody, key: string) => bodyOf(client.POST('/v1/pauses', { params: { header: once(key) }, body })),
  resume: (body: ResumeBody, key: string) =>
    bodyOf(client.POST('/v1/pauses/end', { params: { header: once(key) }, body })),
  approve: (body: ApproveBody, key: string) =>
    bodyOf(client.POST('/v1/approvals', { params: { header: once(key) }, body })),
  assign: (body: Body<'/v1/assignments'>, key: string) =>
    bodyOf(client.POST('/v1/assignments', { params: { header: once(key) }, body })),
  endAssignment: (body: Body<'/v1/assignments/end'>, key: string) =>
    bodyOf(client.POST('/v1/assignments/end', { params: { header: once(key) }, body })),
  comment: (body: Body<'/v1/comments'>, key: string) =>
    bodyOf(client.POST('/v1/comments', { params: { header: once(key) }, body })),
  refuse: (body: RefuseBody, key: string) =>
    bodyOf(client.POST('/v1/approvals/refuse', { params: { header: once(key) }, body })),
  withdraw: (body: WithdrawBody, key: string) =>
    bodyOf(client.POST('/v1/approvals/withdraw', { params: { header: once(key) }, body })),
  patch: (body: PatchBody, key: string) => bodyOf(client.POST('/v1/patches', { params: { header: once(key) }, body })),
  endPatch: (body: Body<'/v1/patches/end'>, key: string) =>
    bodyOf(client.POST('/v1/patches/end', { params: { header: once(key) }, body })),
  reconcile: ({ target, ...body }: ReconcileBody, key: string) =>
    bodyOf(
      client.POST('/v1/targets/{name}/reconcile', { params: { path: { name: target }, header: once(key) }, body }),
    ),
} as const;

/** The server keeps the credential in a cookie that no script can read. */
export async function signIn(token: string): Promise<void> {
  await session({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
}

export const signOut = (): Promise<void> => session({ method: 'DELETE' });

async function session(init: RequestInit): Promise<void> {
  const response = await fetch('/v1/session', { ...init, credentials: 'same-origin' }).catch(() => {
    throw new ApiError(unreachable);
  });
  if (response.ok) return;
  const body: unknown = await response.json().catch(() => undefined);
  throw new ApiError(problemOf(body, response.status));
}

/** The address of the API's own export of the same filter. */
export function exportAddress(filter: InventoryFilter, format: 'csv' | 'ndjson'): string {
  const given = Object.entries({ ...filter, format }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [value].flat().map((one): [string, string] => [name, String(one)]);
  });
  return `/v1/inventory?${new URLSearchParams(given)}`;
}

/** The address of all entries of an estate, one a line. The API exports no part of a ledger, as no part can be verified. */
export const ledgerExportAddress = (estate: string): string => `/v1/ledger/export?${new URLSearchParams({ estate })}`;
