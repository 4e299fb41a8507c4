import type { Problem } from '../core/documents/problem.ts';
import type { Tree } from '../core/documents/tree.ts';

/** The content of a file. A broken tree is the readable part of a document with problems: good for its name, no more. */
export interface ParsedFile {
  readonly trees: readonly Tree[];
  readonly broken: readonly Tree[];
  readonly problems: readonly Problem[];
}

export const mergeParsed = (parts: readonly ParsedFile[]): ParsedFile => ({
  trees: parts.flatMap((part) => part.trees),
  broken: parts.flatMap((part) => part.broken),
  problems: parts.flatMap((part) => part.problems),
});
