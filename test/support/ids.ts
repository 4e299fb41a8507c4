/** `web-1`, `web-2`, …: names that differ, the same in every run. */
export function ids(prefix: string): () => string {
  let last = 0;
  return () => `${prefix}-${++last}`;
}
