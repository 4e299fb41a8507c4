import type { Method, Read, Write } from './method.ts';

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
