import type { Proposal } from '../../../src/ports/queries.ts';

/** What the tables of proposals and authors hold. `authors`: by estate, revision and generation before. */
export interface ProposalMemory {
  kept: readonly Proposal[];
  readonly authors: Map<string, { readonly names: Set<string>; more: boolean }>;
}

export const proposalMemory = (): ProposalMemory => ({ kept: [], authors: new Map() });
