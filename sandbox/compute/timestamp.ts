const PACIFIC_MS = -8 * 3_600_000;

/**
 * RFC 3339 as Compute Engine writes it: milliseconds, and Pacific time with its offset, as in the answers that
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/operations shows. The sandbox knows no summer time.
 */
export function timestamp(at: number): string {
  return new Date(at + PACIFIC_MS).toISOString().replace('Z', '-08:00');
}
