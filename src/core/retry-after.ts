/**
 * The longest wait that is kept for a cloud's word. Azure counts in windows of up to an hour
 * (https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling), Google Cloud by the
 * minute; a longer wait is a clock gone wrong or a proxy's mistake, and is asked about again after this.
 */
export const longestWaitMs = 3_600_000;

/** Of a wait that a cloud asks for; undefined where it is none. */
export const boundedWait = (ms: number): number | undefined =>
  Number.isFinite(ms) && ms >= 0 ? Math.min(ms, longestWaitMs) : undefined;

/**
 * `Retry-After`, as ms: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. A date is read by the `Date` of the same
 * answer and by no clock of ours, so that clocks that differ change nothing.
 *
 *   Retry-After         | Date    | wait
 *   --------------------+---------+---------------------------------
 *   whole seconds       | –       | as many
 *   a date              | earlier | until then
 *   a date              | later   | none: 0
 *   a date              | absent  | undefined: nobody knows how long
 *   anything else, none | –       | undefined
 */
export function retryAfterOf(header: string | undefined, date: string | undefined): number | undefined {
  const said = header?.trim() ?? '';
  if (/^\d+$/.test(said)) return boundedWait(Number(said) * 1000);
  if (!isHttpDate(said)) return undefined;
  const wait = Date.parse(said) - Date.parse(date ?? '');
  return Number.isNaN(wait) ? undefined : boundedWait(Math.max(0, wait));
}

/** `Sun, 06 Nov 1994 08:49:37 GMT` and the two older forms begin with the day's name; `Date.parse` reads far more. */
const isHttpDate = (text: string): boolean => /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text);
