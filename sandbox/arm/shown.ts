const HIDDEN: ReadonlySet<string> = new Set(['adminPassword', 'customData', 'userData']);

/** A request's body as the log shows it: without what is secret in it. */
export function shown(body: unknown): string {
  if (body === undefined) return '';
  return JSON.stringify(body, (key, value: unknown) => (HIDDEN.has(key) ? '(hidden)' : value));
}
