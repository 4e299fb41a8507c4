import type { z } from 'zod';
import type { Grant, Permission } from '../../core/access/grant.ts';
import type { Poster } from '../../ports/queries.ts';

/**
 * One route of the API, as data: what serves it, checks what comes in and goes out, and writes /openapi.json reads the same.
 * Paths have their parameters in braces: `/v1/inventory/{address}`.
 */
export interface Route<A extends RequestSchema = RequestSchema> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly operation: Operation;
  /** The permission that the caller needs somewhere; `handle` checks where exactly. Absent: anybody may ask. */
  readonly permission?: Permission;
  /** The route ignores a credential that comes along: a probe of a process may send a stale one. */
  readonly ignoresCredential?: boolean;
  /** True where this caller may send a body of more than 64 KiB, decided before any of it is read. Absent: every caller may. */
  maySendLargeBody?(caller: Caller): boolean;
  readonly request: A;
  handle(asked: RouteRequest<A>): Promise<Reply>;
}

/** For the document. `answers`: by status; what a schema does not declare never leaves. A problem may always come. */
export interface Operation {
  /** Unique: `listInventory`. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly responses: Readonly<Record<number, RouteResponse>>;
}

/** `type`: of the content; default application/json. Of anything else the schema is for the document only. */
export interface RouteResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly type?: string;
  /** A text where the content is no JSON. Absent: the schema's own, see schemas/examples.ts. */
  readonly example?: unknown;
  /** Of other content types that it may come as, in `chunks` and named by the reply's headers. */
  readonly also?: Readonly<Record<string, { readonly schema: z.ZodType; readonly example: string }>>;
  /**
   * The answer holds a secret that is shown once. It is not kept: repeating the Idempotency-Key gets a 409 that explains this.
   */
  readonly once?: boolean;
}

/** Strict objects: an unknown key is a problem that names it. Of queries all values come as texts: let schemas read them. */
export interface RequestSchema {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Keys of the query that may come several times: their values come as a list. */
  readonly several?: readonly string[];
  readonly body?: z.ZodType;
  /** Most bytes of a body; default 64 KiB. Of larger ones each caller sends one at a time. */
  readonly bodyBytes?: number;
}

export interface RouteRequest<A extends RequestSchema> {
  readonly params: A['params'] extends z.ZodType ? z.output<A['params']> : undefined;
  readonly query: A['query'] extends z.ZodType ? z.output<A['query']> : undefined;
  readonly body: A['body'] extends z.ZodType ? z.output<A['body']> : undefined;
  readonly context: RequestContext;
}

/** `now`: ms since the epoch. `signal`: aborts when nobody waits for the answer any more. */
export interface RequestContext {
  readonly caller: Caller;
  /** As a header Authorization has it, of whichever kind the credential is. Absent: there is none. */
  readonly authorization: string | undefined;
  readonly now: number;
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
}

/**
 * The caller. `person`: the name in the ledger. `identities`: all names that the caller has proved: e-mail addresses, subjects.
 */
export interface Caller {
  /** Of the token or the issuer's subject: for budgets and repeated requests, never shown. */
  readonly id: string;
  readonly person: string;
  readonly identities: readonly string[];
  readonly grants: readonly Grant[];
  /** Of the credential, ms since the epoch. */
  readonly expiresAt?: number;
}

/**
 * `chunks`: a long answer, sent as it comes and as fast as it is taken; of the status's content type. `cut`: it may be quiet for
 * as long as it likes, and is cut off when this aborts.
 */
export type Reply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly status: number;
      readonly chunks: AsyncIterable<string>;
      readonly cut?: AbortSignal;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** Keeps what a route's schemas say of what its handler is given. */
export const route = <A extends RequestSchema>(one: Route<A>): Route => one as unknown as Route; // why: whoever calls `handle` has parsed by the schemas of `request`

/** The caller of this header Authorization; undefined: unknown. Throws only where nobody can find that out now. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | undefined>;

/** The caller of a public route, without a credential. */
export const anonymous: Caller = { id: '', person: '', identities: [], grants: [] };

/** The caller, as far as it is compared with the author of a record. */
export const posterOf = ({ person, id, identities }: Caller): Poster => ({ person, caller: id, names: identities });
