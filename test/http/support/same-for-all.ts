/** The parts of an answer that callers cannot tell apart: without the headers that differ each time. */
export function sameForAll<T extends { readonly headers: Readonly<Record<string, unknown>> }>(answer: T) {
  const { 'x-request-id': _, date: __, ...headers } = answer.headers;
  return { ...answer, headers };
}
