import type { Document, EstateDoc } from '../core/documents/document.ts';
import type { Problem } from '../core/documents/problem.ts';
import type { Located } from '../core/documents/tree.ts';

/** A tree of specs as read. With an error among its problems nothing may be planned from it. */
export interface SpecTree extends SpecFiles {
  readonly estate: Located<EstateDoc> | undefined;
  readonly documents: readonly Located<Document>[];
  readonly problems: readonly Problem[];
  readonly revision: string;
}

/** What was read of it. */
interface SpecFiles {
  /** The texts that were read, by their path in the tree. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Scripts of machines by their path in the tree. */
  readonly userData: ReadonlyMap<string, { readonly bytes: Buffer; readonly sha256: string }>;
  /** That lies over its base. */
  readonly overlay?: string;
}
