/** Whose word something is, and why they give it. Both are written into the ledger. */
export interface By {
  readonly person: string;
  readonly reason: string;
}
