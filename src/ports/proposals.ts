import type { Problem } from '../core/documents/problem.ts';
import type { PlanJson } from '../core/render/plan-json.ts';
import type { EstateAsked, Planned } from './answers.ts';
import type { KeptTree } from './fleet-state.ts';

/** Plans that were asked for, kept for whoever is to look at them, or bring their specs into force. Gone once they have run out. */
export interface Proposals {
  /** Of an estate at most `most` are kept: the oldest go. */
  keep(proposal: Proposal, most: number): Promise<void>;
  read(id: string): Promise<Proposal | undefined>;
  /** Newest first, from before the one with this id on. `by`: only of this caller; absent: of all. */
  list(query: ProposalQuery): Promise<readonly ProposalHead[]>;
}

export interface ProposalQuery {
  readonly estate: string;
  readonly by?: string;
  readonly after?: string;
  readonly limit: number;
}

/**
 * Times are ms since the epoch. `generation`: in force when it was planned. `seen`: what of the estate it tells of; absent: that is
 * not known any more.
 */
export interface ProposalHead
  extends Pick<PlanJson, 'revision' | 'summary' | 'digest'>,
    Pick<EstateAsked, 'estate'>,
    Partial<Pick<EstateAsked, 'seen'>> {
  readonly id: string;
  readonly generation: number;
  readonly times: { readonly at: number; readonly until: number };
  readonly by: Poster;
  readonly of: 'posted' | 'in-force';
}

/** `caller`: whose credential it was, never shown; `names`: all that are theirs. */
export interface Poster {
  readonly person: string;
  readonly caller: string;
  readonly names: readonly string[];
}

export interface Proposal {
  readonly head: ProposalHead;
  readonly planned: Planned;
  /** Warnings. */
  readonly problems: readonly Told[];
  /** Absent: of what is in force. */
  readonly tree?: KeptTree;
}

export type Told = Pick<Problem, 'severity' | 'code' | 'at' | 'message' | 'hint'>;
