import { canonical } from '../core/ledger/canonical.ts';
import type { Observation, Observed } from '../core/observed.ts';
import { sha256 } from './signing.ts';

/** What is kept of a resource between two looks. `listed` false: the newest look could not tell, its listing had a gap. */
export interface KnownResource {
  readonly digest: string;
  readonly listed: boolean;
}

/**
 * What one look changes in what is kept:
 *
 *   listed now | known before | kind has a gap | change
 *   yes        | no           |                | appeared
 *   yes        | otherwise    |                | changed
 *   yes        | the same, unlisted before     | listed again (nothing happened to it)
 *   no         | yes          | no             | vanished
 *   no         | yes          | yes            | unlisted: absence is not proven, it is kept
 */
export interface ResourceChanges {
  readonly written: readonly {
    readonly change: 'appeared' | 'changed';
    readonly resource: Observed;
    readonly digest: string;
    /** Its canonical JSON. */
    readonly text: string;
  }[];
  readonly relisted: readonly string[];
  readonly vanished: readonly string[];
  readonly unlisted: readonly string[];
}

export function resourceChanges(
  known: ReadonlyMap<string, KnownResource>,
  { resources, gaps }: Pick<Observation, 'resources' | 'gaps'>,
): ResourceChanges {
  const seen = new Map(resources.map((resource) => [resourceKey(resource), resource]));
  const unsure = new Set<string>(gaps.map(({ kind }) => kind));
  const written: ResourceChanges['written'][number][] = [];
  const relisted: string[] = [];
  for (const [key, resource] of seen) {
    const text = canonical(resource);
    const digest = sha256(text);
    const before = known.get(key);
    if (before?.digest !== digest) written.push({ change: before ? 'changed' : 'appeared', resource, digest, text });
    else if (!before.listed) relisted.push(key);
  }
  const missing = [...known.keys()].filter((key) => !seen.has(key));
  return {
    written,
    relisted,
    vanished: missing.filter((key) => !unsure.has(kindOf(key))),
    unlisted: missing.filter((key) => unsure.has(kindOf(key)) && known.get(key)?.listed),
  };
}

/** Kinds hold no space, so the key can be taken apart. */
export const resourceKey = ({ kind, id }: Pick<Observed, 'kind' | 'id'>): string => `${kind} ${id}`;

const kindOf = (key: string): string => key.slice(0, key.indexOf(' '));
