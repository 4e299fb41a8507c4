import type { Document } from './documents/document.ts';
import type { Located } from './documents/tree.ts';
import { treeOf } from './documents/overlay.ts';
import { error, type Problem } from './documents/problem.ts';

/**
 * Former names that a team's tree claims and may not: `was` takes over the object of that name, so it must name a document that
 * is in force in the same tree, or be a former name that this document has in force already. What other trees had is theirs,
 * also where its document is gone. The estate's own tree may take over anything.
 */
export function takenNames(inForce: Documents, next: Documents): readonly Problem[] {
  if (inForce.length === 0) return [];
  const own = new Set(
    inForce.map((document) => claim(treeOf(document.at().file), document, document.value.metadata.name)),
  );
  const since = new Set(inForce.flatMap((document) => formerNames(document).map((name) => kept(document, name))));
  return next.flatMap((document) => {
    const tree = treeOf(document.at().file);
    if (tree === '') return [];
    return formerNames(document).flatMap((name, index) => {
      if (own.has(claim(tree, document, name)) || since.has(kept(document, name))) return [];
      const message = `\`${name}\` is in force in no file of \`${tree}\``;
      const expected = 'a former name of one of its own documents';
      return [error('untrusted', document.at(['metadata', 'was', index]), message, { expected })];
    });
  });
}

type Documents = readonly Located<Document>[];

const formerNames = ({ value: { metadata } }: Located<Document>): readonly string[] =>
  'was' in metadata ? (metadata.was ?? []) : [];

const claim = (by: string, { value }: Located<Document>, name: string): string => `${by} ${value.kind} ${name}`;

/** In whatever tree: a document that is handed over keeps its former names. */
const kept = (document: Located<Document>, name: string): string => claim(document.value.metadata.name, document, name);
