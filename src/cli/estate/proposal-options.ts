import { join } from 'node:path';
import type { Command } from 'commander';
import { Complaint } from '../complaint.ts';
import type { ProposalPlace } from '../house.ts';
import type { KeptChoice } from '../kept-specs.ts';
import { choiceOf, type EstateOptions } from './options.ts';
import type { ProposalAsked } from './proposal.ts';

export interface ProposalOptions extends WhereOptions {
  /** True: the folder as it is. */
  readonly proposal?: string | true;
  readonly team?: string;
  readonly estate?: string;
  /** Of the program itself: the specs in force instead of a folder's. */
  readonly inForce?: boolean;
  readonly inForceOf?: string;
}

interface WhereOptions {
  readonly repo?: string;
  readonly path: string;
  readonly allowLocalRepo?: boolean;
}

export const withProposalOptions = (command: Command): Command =>
  command
    .option(
      '--proposal [ref]',
      'plan what somebody proposes who need not be trusted: DIR as it is, or a commit REF of its repository',
    )
    .option('--repo <url>', 'with --proposal REF: of this repository, and not of the one that DIR lies in')
    .option('--path <folder>', 'with --repo: where in it the specs are', 'specs')
    .option('--allow-local-repo', 'with --repo: it may lie on this machine or its private network')
    .option('--team <name>', "with --proposal: it is for this source's repository, not for the estate's own")
    .option('--estate <name>', 'with --proposal: which of the estates in the store');

/** Undefined: no proposal is meant. */
export function askedProposal(dir: string, options: ProposalOptions & EstateOptions): ProposalAsked | undefined {
  const { proposal, estate, inForce, inForceOf } = options;
  if (proposal === undefined) {
    refuseAlone(options);
    return undefined;
  }
  if (inForce || inForceOf !== undefined) throw new Complaint('What is in force is no proposal.', oneOfTwo);
  const kept: KeptChoice = { folder: options.dir, askedBy: '--estate', ...(estate === undefined ? {} : { estate }) };
  return { choice: choiceOf(dir, options), place: placeOf(dir, options, proposal), kept };
}

/** Else what was meant to be planned without trust would be planned with it, or something else instead. */
function refuseAlone({ repo, team, estate }: ProposalOptions): void {
  const [alone] = Object.entries({ repo, team, estate }).filter(([, value]) => value !== undefined);
  if (alone === undefined) return;
  throw new Complaint(`--${alone[0]} is of a proposal, and none is asked for.`, {
    next: 'Add --proposal, or leave it away.',
  });
}

const oneOfTwo = { next: 'Leave one of the two away; which estate a proposal is for, --estate says.' };

function placeOf(dir: string, options: ProposalOptions & EstateOptions, proposal: string | true): ProposalPlace {
  const { repo: url, path, allowLocalRepo: allowLocal = false, team } = options;
  const whose = team === undefined ? {} : { team };
  if (proposal === true && url !== undefined) throw new Complaint('Which commit of it is proposed is not said.', named);
  if (proposal === true) return { dir, ...whose };
  if (url === undefined) return { dir, ref: proposal, ...whose };
  return {
    dir,
    ref: proposal,
    ...whose,
    repository: { url, path, allowLocal, folder: join(options.dir, 'repositories') },
  };
}

const named = { next: 'Name a branch, a tag or a ref: setpoint plan --proposal refs/pull/7/head --repo URL' };
