import type { IncomingHttpHeaders } from 'node:http';

/** A header that was sent; Node joins the values of one that was sent twice, so it fits nothing. */
export function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** A whole number of seconds since the epoch, in ms; undefined where it is none. */
export function unixSeconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) * 1000 : undefined;
}
