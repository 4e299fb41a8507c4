import type { Document } from './document.ts';
import type { DocumentKind } from './fields-at.ts';
import { type Located, locate } from './located.ts';
import { error, type Problem } from './problem.ts';
import { problemsOfIssue } from './problem-of-issue.ts';
import { schemas } from './schemas.ts';
import { suggest } from './suggest.ts';
import { plainValue, type Tree, treeAt } from './tree.ts';

/** The document a tree is, or everything that keeps it from being one. Never both, never neither. */
export type Reading =
  | { readonly document: Located<Document>; readonly problems?: never }
  | { readonly document?: never; readonly problems: readonly Problem[] };

export function readDocument(tree: Tree): Reading {
  const kind = kindOf(tree);
  if (kind === undefined) return { problems: [noKind(tree)] };
  const result = schemas[kind].safeParse(plainValue(withoutSchemaLink(tree)));
  if (result.success) return { document: locate(result.data, tree) };
  return { problems: distinct(result.error.issues.flatMap((issue) => problemsOfIssue(issue, schemas[kind], tree))) };
}

/** A value may fail its form and what is made of it; a person needs to read that once. */
const distinct = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.message]), problem])).values(),
];

/** The document's kind, if it names one of ours. */
export function kindOf(tree: Tree): DocumentKind | undefined {
  const given = treeAt(tree, ['kind']);
  const value = given?.kind === 'scalar' ? given.value : undefined;
  return kinds.find((kind) => kind === value);
}

// why: Object.keys forgets that a frozen table has no other keys.
const kinds = Object.keys(schemas) as readonly DocumentKind[];

/** Editors find the schema of a JSON document by `$schema`; it means nothing to us. */
function withoutSchemaLink(tree: Tree): Tree {
  if (tree.kind !== 'map' || !tree.entries.has('$schema')) return tree;
  return { ...tree, entries: new Map([...tree.entries].filter(([key]) => key !== '$schema')) };
}

function noKind(tree: Tree): Problem {
  const expected = kinds.join(', ');
  if (tree.kind !== 'map') {
    return error('not-a-document', tree.at, 'this is not a document', {
      expected: 'a map with apiVersion, kind, metadata and spec',
    });
  }
  const given = treeAt(tree, ['kind']);
  if (!given) return error('missing-field', tree.at, '`kind` is missing', { expected });
  const value = given.kind === 'scalar' ? String(given.value) : given.kind;
  return error('unknown-kind', given.at, `\`kind\` is ${JSON.stringify(value.slice(0, 80))}`, {
    expected,
    didYouMean: suggest(value, kinds),
  });
}
