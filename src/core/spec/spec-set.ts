import type { Document, FirewallRuleDoc, InstanceDoc, NetworkDoc, TargetDoc } from './document.ts';
import type { DocumentKind } from './fields-at.ts';
import type { Located } from './located.ts';
import { kindOf } from './read-document.ts';
import { type Tree, treeAt } from './tree.ts';

/** The documents of a tree by kind, for the checks that look at more than one. Of two with one name the first counts. */
export interface SpecSet {
  readonly documents: readonly Located<Document>[];
  readonly targets: ReadonlyMap<string, Located<TargetDoc>>;
  readonly networks: ReadonlyMap<string, Located<NetworkDoc>>;
  readonly rules: readonly Located<FirewallRuleDoc>[];
  readonly instances: readonly Located<InstanceDoc>[];
  /** Every name that stands in the tree, also in documents that have errors: referring to those is no further error. */
  readonly declared: ReadonlyMap<DocumentKind, ReadonlySet<string>>;
}

export function specSet(documents: readonly Located<Document>[], trees: readonly Tree[]): SpecSet {
  return {
    documents,
    targets: byName(ofKind(documents, 'Target')),
    networks: byName(ofKind(documents, 'Network')),
    rules: ofKind(documents, 'FirewallRule'),
    instances: ofKind(documents, 'Instance'),
    declared: declaredIn(trees),
  };
}

export function ofKind<K extends DocumentKind>(
  documents: readonly Located<Document>[],
  kind: K,
): readonly Located<Extract<Document, { kind: K }>>[] {
  return documents.filter((document): document is Located<Extract<Document, { kind: K }>> => {
    return document.value.kind === kind;
  });
}

function byName<T extends Document>(documents: readonly Located<T>[]): ReadonlyMap<string, Located<T>> {
  const named = new Map<string, Located<T>>();
  for (const document of documents) {
    const { name } = document.value.metadata;
    if (!named.has(name)) named.set(name, document);
  }
  return named;
}

function declaredIn(trees: readonly Tree[]): ReadonlyMap<DocumentKind, ReadonlySet<string>> {
  const declared = new Map<DocumentKind, Set<string>>();
  for (const tree of trees) {
    const kind = kindOf(tree);
    const name = treeAt(tree, ['metadata', 'name']);
    if (kind === undefined || name?.kind !== 'scalar' || typeof name.value !== 'string') continue;
    const names = declared.get(kind) ?? new Set<string>();
    declared.set(kind, names.add(name.value));
  }
  return declared;
}
