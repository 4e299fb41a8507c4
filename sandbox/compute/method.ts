import type { AnswerFaults } from '../protocol.ts';
import type { Project } from './project.ts';
import type { Json, Operation } from './records.ts';

export interface Context {
  readonly project: Project;
  /** On the sandbox's clock. */
  readonly now: number;
  readonly answerFaults: AnswerFaults;
  /** The field `user` of the operations that this request starts. */
  readonly user: string;
  /** Waits on the sandbox's clock, and lets what is due by then happen. Only for methods that are there to wait. */
  readonly wait: (ms: number) => Promise<void>;
}

/** A request taken apart. */
export interface Asked {
  /** The variables of the path by name, decoded. */
  readonly at: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined when there is none. Read it with `message.ts`. */
  readonly body: unknown;
}

/** `budget-table.ts` has the figures. */
export type QuotaGroup = 'read' | 'write' | 'operation-read' | 'operation-wait';

/** A row of the registry in `methods/index.ts`: one method of the API. */
export type Method = Read | Write;

interface Row {
  /** As the discovery document has it: `compute.firewalls.insert`. The action in the log and in faults. */
  readonly id: string;
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `projects/{project}`: `global/firewalls/{firewall}`. Empty: the project itself. */
  readonly path: string;
  readonly quota: QuotaGroup;
  /** The query parameters that it takes, besides those that all take. */
  readonly query: readonly string[];
}

export interface Read extends Row {
  readonly mutates: false;
  readonly run: (context: Context, asked: Asked) => Json | Promise<Json>;
}

/** Answers the operation that it begins (`operation.ts`). `requestId` is dealt with before it runs. */
export interface Write extends Row {
  readonly mutates: true;
  readonly run: (context: Context, asked: Asked) => Operation;
}

type ReadRow = Omit<Read, 'mutates' | 'verb' | 'quota' | 'query'>;

export function get(row: ReadRow): Method {
  return { ...row, verb: 'GET', mutates: false, quota: 'read', query: [] };
}

const LIST = ['filter', 'maxResults', 'orderBy', 'pageToken'] as const;

export function list(row: ReadRow): Method {
  return { ...row, verb: 'GET', mutates: false, quota: 'read', query: [...LIST, 'returnPartialSuccess'] };
}

export function aggregatedList(row: ReadRow): Method {
  return { ...list(row), query: [...LIST, 'returnPartialSuccess', 'includeAllScopes'] };
}

/** `query`: what it takes besides `requestId`. */
export function write(
  row: Omit<Write, 'mutates' | 'quota' | 'query'> & { readonly query?: readonly string[] },
): Method {
  return { ...row, mutates: true, quota: 'write', query: ['requestId', ...(row.query ?? [])] };
}
