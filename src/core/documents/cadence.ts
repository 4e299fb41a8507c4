import {
  byCriticality,
  type Cadence,
  type CriticalityReason,
  type DecidedBy,
  type TargetCadence,
} from '../criticality.ts';
import type { Document, TargetDoc } from './document.ts';
import { isResource, type ResourceDoc } from './effective-terms.ts';
import type { Located } from './tree.ts';

/** The first of these documents that states a criticality decides, then their target. `documents`: the nearest first. */
export function effectiveCriticality(
  documents: readonly Located<ResourceDoc>[],
  target: Located<TargetDoc>,
): CriticalityReason {
  for (const document of [...documents, target]) {
    const { criticality } = document.value.spec;
    if (criticality !== undefined) return { criticality, decidedBy: decidedBy(document, 'criticality') };
  }
  return { criticality: 'normal' };
}

const decidedBy = (document: Located<Document>, field: string): DecidedBy => ({
  document: `${document.value.kind} ${document.value.metadata.name}`,
  at: document.at(['spec', field]),
});

/** A target, and the documents that make something there. */
export interface TargetDocuments {
  readonly target: Located<TargetDoc>;
  readonly documents: readonly Located<Document>[];
}

/**
 * A scope is as critical as the most critical of its targets and of their documents. A document that states nothing is as its target, so
 * a scope is low only where nothing in it is more.
 */
export function cadenceOf(sites: readonly TargetDocuments[]): Cadence {
  const targets = sites.map(targetCadence);
  return { ...firstOf(targets), targets };
}

function targetCadence({ target, documents }: TargetDocuments): TargetCadence {
  const { metadata, spec } = target.value;
  const reasons = documents.filter(isResource).map((one) => effectiveCriticality([one], target));
  return {
    target: metadata.name,
    ...firstOf([effectiveCriticality([], target), ...reasons]),
    ...(spec.every === undefined ? {} : { every: { ms: spec.every, decidedBy: decidedBy(target, 'every') } }),
  };
}

/** The most critical one. */
export function firstOf(reasons: readonly CriticalityReason[]): CriticalityReason {
  const [first] = reasons.toSorted((a, b) => byCriticality(a.criticality, b.criticality));
  const { criticality = 'normal', decidedBy: by } = first ?? {};
  return by === undefined ? { criticality } : { criticality, decidedBy: by };
}
