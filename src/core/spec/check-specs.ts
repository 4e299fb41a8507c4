import { checks } from './check/index.ts';
import type { Document } from './document.ts';
import type { Located } from './located.ts';
import { type Problem, sortProblems } from './problem.ts';
import { readDocument } from './read-document.ts';
import { specSet } from './spec-set.ts';
import type { Tree } from './tree.ts';

/** What a tree of specs says. `documents` are sound one by one; only without errors among the problems are they sound together. */
export interface Specs {
  readonly documents: readonly Located<Document>[];
  readonly problems: readonly Problem[];
}

/**
 * Every document by its schema, then all of them together. Broken trees are known by name only: referring to one is no
 * second error. Pure: the same trees on the same day give the same answer.
 */
export function checkSpecs(trees: readonly Tree[], broken: readonly Tree[], today: string): Specs {
  const documents: Located<Document>[] = [];
  const problems: Problem[] = [];
  for (const tree of trees) {
    const reading = readDocument(tree);
    if (reading.document) documents.push(reading.document);
    else problems.push(...reading.problems);
  }
  const set = specSet(documents, [...trees, ...broken]);
  for (const check of checks) problems.push(...check(set, today));
  return { documents, problems: sortProblems(problems) };
}
