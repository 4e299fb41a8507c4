import type { Kind } from './resource.ts';

/** Categories of fields by their subject. Each compared field of each kind belongs to one: see `categories` in kinds/. */
export const fieldCategories = ['traffic', 'identity', 'power', 'size', 'disk', 'network', 'labels', 'name'] as const;
export type FieldCategory = (typeof fieldCategories)[number];

/**
 * The fate of drift, the strictest first. `report`: it stays until a person names it; `propose`: a person applies or approves the
 * healing; `heal`: Setpoint undoes it.
 */
export const remediations = ['report', 'propose', 'heal'] as const;
export type Remediation = (typeof remediations)[number];

/** The stricter of two. */
export const stricterRemediation = (one: Remediation, other: Remediation): Remediation =>
  remediations.indexOf(one) <= remediations.indexOf(other) ? one : other;

export type RemediationKey = `${Kind}.${FieldCategory}`;

/** A fate other than `heal`, and its line in the specs. `document` is the name for people: `Target aws-prod`. */
export interface RemediationTerm {
  readonly as: Exclude<Remediation, 'heal'>;
  readonly document: string;
  readonly file: string;
  readonly line: number;
}

/** The remediation of something that drifted. `fields`: of an update; `previousGeneration`: that one says so. */
export interface DriftRemediation {
  readonly value: RemediationTerm['as'];
  readonly category: FieldCategory;
  readonly fields?: readonly string[];
  readonly document?: string;
  readonly file?: string;
  readonly line?: number;
  readonly previousGeneration?: true;
}

/** Of one document at one target, all that holds for it together; absent: `heal`. */
export type Remediations = Readonly<Partial<Record<RemediationKey, RemediationTerm>>>;

type ByCategory = Readonly<Partial<Record<FieldCategory, Remediation>>>;

/** As a document states it: of all kinds, and of single ones. */
export interface StatedRemediation extends ByCategory {
  readonly kinds?: Readonly<Partial<Record<Kind, ByCategory>>>;
}

/** The remediation that one document states. `at`: the place of a path in it. */
export interface RemediationSource {
  readonly document: string;
  readonly stated: StatedRemediation | undefined;
  readonly at: (path: readonly string[]) => { readonly file: string; readonly line: number };
}

/**
 * The remediations by these documents, the most specific first: document, target, estate. In one document a kind's own word goes before
 * that for all kinds.
 */
export function remediationsBy(sources: readonly RemediationSource[], kinds: readonly Kind[]): Remediations {
  const said = sources.filter(({ stated }) => stated !== undefined);
  if (said.length === 0) return {};
  const entries = kinds.flatMap((kind) =>
    fieldCategories.flatMap((category) => {
      const term = termFor(said, kind, category);
      return term === undefined ? [] : [[`${kind}.${category}`, term] as const];
    }),
  );
  return Object.fromEntries(entries);
}

function termFor(
  sources: readonly RemediationSource[],
  kind: Kind,
  category: FieldCategory,
): RemediationTerm | undefined {
  for (const { document, stated, at } of sources) {
    const own = stated?.kinds?.[kind]?.[category];
    const as = own ?? stated?.[category];
    if (as === 'heal') return undefined;
    if (as !== undefined) {
      const { file, line } = at(own === undefined ? [category] : ['kinds', kind, category]);
      return { as, document, file, line };
    }
  }
  return undefined;
}

/** Where two targets of one scope speak of one thing, what is stricter holds. */
export function stricterRemediations(one: Remediations, other: Remediations): Remediations {
  // why: the type of entries has lost the keys
  const more = Object.entries(other) as readonly (readonly [RemediationKey, RemediationTerm])[];
  const added = more.filter(([key, { as }]) => {
    const known = one[key];
    return known === undefined || (known.as !== as && stricterRemediation(known.as, as) === as);
  });
  return added.length === 0 ? one : { ...one, ...Object.fromEntries(added) };
}

/** The remediations of a generation, for the next one: of scopes, and of documents that have others than their scope. */
export interface RemediationGuards {
  readonly scopes: Readonly<Record<string, RemediationRecord>>;
  readonly documents: Readonly<Record<string, RemediationRecord>>;
}

type RemediationRecord = Readonly<Partial<Record<RemediationKey, Remediation>>>;

export const recordOf = (terms: Remediations): RemediationRecord =>
  // why: the keys are those of the terms
  Object.fromEntries(Object.entries(terms).map(([key, { as }]) => [key, as])) as RemediationRecord;

/** Binds what is done for a document beyond what the specs say now. */
export type RemediationBefore = (document: string, key: RemediationKey) => Remediation | undefined;

/** A document that the generation before did not name is bound by what it would have inherited there. */
export const remediationBefore =
  ({ scopes, documents }: RemediationGuards): RemediationBefore =>
  (document, key) => {
    const own = documents[document];
    if (own !== undefined) return own[key];
    const scope = Object.keys(scopes).find((one) => document.startsWith(`${one}/`));
    return scope === undefined ? undefined : scopes[scope]?.[key];
  };

/** Both bind. */
export const eitherBefore =
  (one: RemediationBefore | undefined, other: RemediationBefore): RemediationBefore =>
  (document, key) => {
    const [a, b] = [one?.(document, key), other(document, key)];
    return a === undefined || b === undefined ? (a ?? b) : stricterRemediation(a, b);
  };
