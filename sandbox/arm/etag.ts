import type { Random } from '../random.ts';
import { refused } from './errors.ts';
import { freshGuid, nameOf } from './resource-id.ts';

/** Weak, with a GUID inside: `W/"0f6c…"`. */
export function freshEtag(random: Random): string {
  return `W/"${freshGuid(random)}"`;
}

interface Conditions {
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
}

/**
 * RFC 9110's preconditions, by the etag that the resource has now; undefined: there is none.
 * Etags compare weakly: with or without `W/`.
 */
export function checkConditions({ headers, path }: Conditions, etag: string | undefined): void {
  const must = headers['if-match'];
  const mustNot = headers['if-none-match'];
  if (must !== undefined && !matches(must, etag)) throw failed(path, 'If-Match', must);
  if (mustNot !== undefined && matches(mustNot, etag)) throw failed(path, 'If-None-Match', mustNot);
}

function matches(condition: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  if (condition.trim() === '*') return true;
  return condition.split(',').some((each) => opaque(each) === opaque(etag));
}

function opaque(etag: string): string {
  return etag.trim().replace(/^W\//, '').replaceAll('"', '');
}

function failed(path: string, header: string, value: string): Error {
  return refused(
    'PreconditionFailed',
    `The condition specified using HTTP conditional header(s) is not met: ${header} ${value} for ${nameOf(path)}.`,
    { details: [] },
  );
}
