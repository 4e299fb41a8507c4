import type { Document, EstateDoc } from './document.ts';
import type { Located } from './located.ts';
import { treeOf } from './overlay-path.ts';
import { ofKind } from './spec-set.ts';

/** The Estate of these specs: the root's own. One in a team's tree is an error, and decides nothing meanwhile. */
export const estateOf = (documents: readonly Located<Document>[]): Located<EstateDoc> | undefined =>
  ofKind(documents, 'Estate').find(({ at }) => treeOf(at().file) === '');
