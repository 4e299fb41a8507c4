import { type Document, titleOf } from './documents/document.ts';
import { isResource, type ResourceDoc } from './documents/effective-terms.ts';
import { endedFileName, treeOf } from './documents/overlay.ts';
import { ofKind } from './documents/spec-set.ts';
import type { Located } from './documents/tree.ts';
import { graceLength } from './grace.ts';

/** A document that states a lifetime, or the estate that does. `document`: `Instance web`, `Estate acme`. */
interface TimedDocument {
  readonly document: string;
  readonly ttlMs: number;
}

/**
 * The lifetime of such a document. Times are ms since the epoch, by the store's clock. `since`: the acceptance of the generation that first
 * states this lifetime, with no generation in between that does not.
 */
export interface Lifetime extends TimedDocument {
  readonly since: number;
  /** The number of that generation. */
  readonly generation: number;
  readonly until: number;
  readonly isOver: boolean;
  /** The acceptance of the first generation without it. */
  readonly endedAt?: number;
}

/** The same as a store keeps it. */
export type KeptLifetime = Omit<Lifetime, 'until' | 'isOver'>;

/** The end of a document's lifetime that no generation has carried out yet. */
export const isDue = ({ isOver, endedAt }: Lifetime): boolean => isOver && endedAt === undefined;

/**
 * The lifetimes of the specs of a generation that is to be accepted. `over`: the documents whose own lifetime is over, and that its tree
 * leaves out; `leftOut`: all timed documents that it leaves out, with their network too. `whyKept`: the reason that others are still in it.
 */
export interface LifetimeDecision {
  readonly timed: readonly TimedDocument[];
  readonly over: readonly string[];
  readonly leftOut: readonly string[];
  readonly whyKept?: string;
}

/** In the order of their names. */
export const timedIn = (documents: readonly Located<Document>[]): readonly TimedDocument[] =>
  documents
    .flatMap((document) => {
      const ttlMs = ttlOf(document);
      return ttlMs === undefined ? [] : [{ document: titleOf(document.value), ttlMs }];
    })
    .toSorted((a, b) => (a.document < b.document ? -1 : 1));

const ttlOf = ({ value }: Located<Document>): number | undefined => ('ttl' in value.spec ? value.spec.ttl : undefined);

/** The documents whose own lifetime is over. One with another `ttl` than was counted is as new. */
export function overIn(documents: readonly Located<Document>[], lifetimes: readonly Lifetime[]): readonly string[] {
  const over = new Set(lifetimes.filter(({ isOver }) => isOver).map(keyOf));
  return timedIn(documents).flatMap((one) => (over.has(keyOf(one)) ? [one.document] : []));
}

const keyOf = ({ document, ttlMs }: TimedDocument): string => `${document} ${ttlMs}`;

/**
 * The documents of objects that end with these. A network takes all in it along, and the estate everything: `validate` wants a lifetime of
 * each of these.
 */
export function endsWithin(
  documents: readonly Located<Document>[],
  over: readonly string[],
): readonly Located<ResourceDoc>[] {
  if (over.length === 0) return [];
  const named = new Set(over);
  const all = ofKind(documents, 'Estate').some((estate) => named.has(titleOf(estate.value)));
  return documents
    .filter(isResource)
    .filter(
      (one) =>
        all ||
        named.has(titleOf(one.value)) ||
        ('network' in one.value.spec && named.has(`Network ${one.value.spec.network}`)),
    );
}

/** The file that leaves the document out of a stored tree. */
export function endedFile(
  { value, at }: Located<ResourceDoc>,
  number: number,
): { readonly path: string; readonly text: string } {
  const spec = value.kind === 'Group' ? { spec: { network: value.spec.network } } : {};
  const text = JSON.stringify({ kind: value.kind, metadata: { name: value.metadata.name }, ...spec }, undefined, 2);
  return { path: `${treeOf(at().file)}${endedFileName(number)}`, text };
}

/**
 * The lifetimes once generation `number` is accepted, `at` that time by the store's clock. Undefined where its tree leaves out a document too early,
 * or returns one that has ended.
 *
 *   the generation before | this one          | counts
 *   ----------------------+-------------------+---------------------------------------------
 *   no ttl, or another    | a ttl             | from now on
 *   the same ttl          | the same          | from the first of these generations on
 *   a ttl                 | none, no document | no longer; if it comes back, from then on
 *   ended with its network| is in again       | as before
 */
export function lifetimesAfter(
  before: readonly KeptLifetime[],
  { timed, over, leftOut }: LifetimeDecision,
  { number, at }: { readonly number: number; readonly at: number },
): readonly KeptLifetime[] | undefined {
  const known = new Map(before.map((one) => [keyOf(one), one]));
  const [isOver, isOut] = [new Set(over), new Set(leftOut)];
  const after = timed.map((one): KeptLifetime => {
    const { since = at, generation = number, endedAt = at } = known.get(keyOf(one)) ?? {};
    return { ...one, since, generation, ...(isOut.has(one.document) ? { endedAt } : {}) };
  });
  const isWrong = ({ document, ttlMs, since, ...one }: KeptLifetime): boolean => {
    const hasEnded = known.get(keyOf({ document, ttlMs }))?.endedAt !== undefined;
    return at < since + ttlMs ? isOver.has(document) : hasEnded && one.endedAt === undefined;
  };
  const isTimed = over.every((document) => isOut.has(document) && timed.some((one) => one.document === document));
  return !isTimed || after.some(isWrong) ? undefined : after;
}

/** As `graceLength`, and whole days as `3 d`. */
export const ttlText = (ms: number): string => (ms % 86_400_000 === 0 ? `${ms / 86_400_000} d` : graceLength(ms));
