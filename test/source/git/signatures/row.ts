import type { RefusalCode } from '../../../../src/source/git/signatures/refusal.ts';
import type { Signer } from '../../../../src/source/git/signatures/signer.ts';
import type { Cast } from './cast.ts';

/** A commit as it may come, and what is made of it: the signer's name, or why it is refused. */
export interface Row {
  readonly name: string;
  /** Makes it, and gives its name. */
  readonly commit: (cast: Cast) => string;
  readonly signers: (cast: Cast) => readonly Signer[];
  readonly want: { readonly signer: string } | { readonly code: RefusalCode };
}

export const TODAY = '2027-01-31';

export const good = (signer: string) => ({ signer });
export const bad = (code: RefusalCode) => ({ code });
