/** Events of AWS tell seconds: `2026-01-01T00:00:00Z`. */
export function eventTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
