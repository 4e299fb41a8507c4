import { InvalidArgumentError } from 'commander';

/** Reads `2026-12-01T08:00Z` or `…+01:00` as milliseconds since the epoch. A parser of options. */
export function parseMoment(text: string): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Write a moment with its time zone: 2026-12-01T08:00Z or 2026-12-01T09:00+01:00.');
  return at;
}
