import { join } from 'node:path';
import type { Command } from 'commander';
import type { Problem } from '../../core/documents/problem.ts';
import { dayOf, shortRevision } from '../../core/render/wording.ts';
import { messageOf } from '../../core/text.ts';
import { refusalsOf } from '../../core/trust.ts';
import { openEstate } from '../../estate/load.ts';
import { secretsToLook, withActiveTargets } from '../../estate/proposal.ts';
import type { SpecTree } from '../../ports/sources.ts';
import type { CliDependencies, Context, ProposalSource } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';
import { type EstateOptions, selectionOf } from '../options.ts';
import { problemText } from '../output/problems.ts';
import { compileEstate, type EstateSelection, type LocalEstate, refuseInvalid } from './estate.ts';
import { activeSpecs, type StoredSpecsSelection } from './store.ts';

export interface ProposalOptions extends WhereOptions {
  /** True: the folder as it is. */
  readonly proposal?: string | true;
  readonly team?: string;
  readonly estate?: string;
  /** Of the program itself: the active specs instead of a folder's. */
  readonly active?: boolean;
  readonly activeOf?: string;
}

interface WhereOptions {
  readonly repo?: string;
  readonly path: string;
  readonly allowLocalRepo?: boolean;
}

export const withProposalOptions = (command: Command): Command =>
  command
    .option('--proposal [ref]', 'plan an untrusted proposal: DIR as it is, or commit REF of its repository')
    .option('--repo <url>', 'with --proposal REF: read it from this repository instead of that of DIR')
    .option('--path <folder>', 'with --repo: folder of the specs in the repository', 'specs')
    .option('--allow-local-repo', 'with --repo: allow a repository on this machine or its private network')
    .option('--team <name>', "with --proposal: it is for this source's repository instead of the estate's")
    .option('--estate <name>', 'with --proposal: the estate in the store');

/** Undefined: no proposal is meant. */
export function proposalRequestOf(dir: string, options: ProposalOptions & EstateOptions): ProposalRequest | undefined {
  const { proposal, estate, active: isActive, activeOf } = options;
  if (proposal === undefined) {
    refuseAlone(options);
    return undefined;
  }
  if (isActive || activeOf !== undefined) throw new UserError('The active specs cannot be a proposal.', oneOfTwo);
  const active: StoredSpecsSelection = {
    folder: options.dir,
    askedBy: '--estate',
    estate,
  };
  return { selection: selectionOf(dir, options), source: sourceOf(dir, options, proposal), active };
}

/** Else what was meant to be planned without trust would be planned with it, or something else instead. */
function refuseAlone({ repo, team, estate }: ProposalOptions): void {
  const [alone] = Object.entries({ repo, team, estate }).filter(([, value]) => value !== undefined);
  if (alone === undefined) return;
  throw new UserError(`--${alone[0]} needs --proposal.`, {
    next: 'Add --proposal, or remove this option.',
  });
}

const oneOfTwo = { next: 'Remove one of the two. To choose the estate of a proposal, use --estate.' };

function sourceOf(dir: string, options: ProposalOptions & EstateOptions, proposal: string | true): ProposalSource {
  const { repo: url, path, allowLocalRepo: allowLocal = false, team } = options;
  const teamField = team === undefined ? {} : { team };
  if (proposal === true && url !== undefined)
    throw new UserError('The proposal has a repository but no commit.', named);
  if (proposal === true) return { dir, ...teamField };
  if (url === undefined) return { dir, ref: proposal, ...teamField };
  return {
    dir,
    ref: proposal,
    ...teamField,
    repository: { url, path, allowLocal, folder: join(options.dir, 'repositories') },
  };
}

const named = { next: 'Name a branch, a tag or a ref: setpoint plan --proposal refs/pull/7/head --repo URL' };

/** The requested proposal. `active`: the specs that it is planned beside. */
export interface ProposalRequest {
  readonly selection: EstateSelection;
  readonly source: ProposalSource;
  readonly active: StoredSpecsSelection;
}

/** The guards against untrusted proposals, one behind another. A bench removes single ones. */
export interface ProposalGuards {
  readonly refusalsOf: typeof refusalsOf;
  readonly withActiveTargets: typeof withActiveTargets;
  readonly secretsToLook: typeof secretsToLook;
}

const proposalGuards: ProposalGuards = { refusalsOf, withActiveTargets, secretsToLook };

/**
 * Reads specs of an untrusted author, to be planned beside the active ones. It refuses them where they exceed these, and
 * observes with the access and the secrets of these only. The store or its user names the estate, never the proposal.
 */
export async function readProposal(
  { selection, source, active }: ProposalRequest,
  context: Context,
  guards: ProposalGuards = proposalGuards,
): Promise<LocalEstate> {
  const { dependencies, clock } = context;
  const activeTree = await activeSpecs(active, context);
  refuseUnsound(activeTree);
  refuseOverlay(selection, activeTree);
  const tree = await readProposed(source, activeTree, dependencies);
  const dir = seenFrom(source);
  refuseInvalid(tree, dir);
  refuseUntrusted(guards.refusalsOf(activeTree.documents, tree.documents), dir);
  const estate = await compileEstate(tree, { ...selection, dir }, context);
  const today = dayOf(clock.now());
  const opened = await openEstate(activeTree, dependencies.provider, today);
  return {
    ...estate,
    scopes: guards.withActiveTargets(estate.scopes, opened.compiled.scopes),
    secrets: guards.secretsToLook(activeTree, dependencies.secrets),
  };
}

/** Files of a folder by their path from where the command runs; those of a commit, and of a team, by their path in the tree. */
const seenFrom = ({ dir, ref, team }: ProposalSource): string => (ref === undefined && team === undefined ? dir : '');

async function readProposed(
  source: ProposalSource,
  activeTree: SpecTree,
  dependencies: CliDependencies,
): Promise<SpecTree> {
  try {
    return await dependencies.readProposedSpecs(source, activeTree);
  } catch (cause) {
    const why = messageOf(cause);
    throw new UserError('The proposal cannot be read.', { why, cause });
  }
}

/** A proposal with another overlay than the active specs cannot be compared with them. */
function refuseOverlay({ overlay }: EstateSelection, activeTree: SpecTree): void {
  if (overlay === undefined || overlay === activeTree.overlay) return;
  throw new UserError(`A proposal cannot be planned with the overlay ${overlay}.`, {
    why:
      activeTree.overlay === undefined
        ? 'The active specs have no overlay.'
        : `The active specs have the overlay ${activeTree.overlay}.`,
    next: 'Remove --overlay: a proposal always uses the active overlay.',
    code: exitCodes.refused,
  });
}

/** They were valid when they were accepted: this version asks for more. */
function refuseUnsound({ problems, revision }: SpecTree): void {
  const [first] = problems.filter(({ severity }) => severity === 'error');
  if (first === undefined) return;
  throw new UserError(`The active specs (${shortRevision(revision)}) are no longer valid.`, {
    where: `${first.at.file}:${first.at.line}: ${first.message}`,
    next: 'Fix them on the followed branch. Until then Setpoint plans no proposal.',
  });
}

function refuseUntrusted(refusals: readonly Problem[], dir: string): void {
  if (refusals.length === 0) return;
  throw new UserError('Proposal rejected: it changes trusted fields that could expose secrets.', {
    where: `\n${problemText(refusals, dir, (_, text) => text).trimEnd()}`,
    why: 'Anybody may write a proposal, and these fields could give access to secrets.',
    next: 'Remove these changes, or ask a trusted person to commit them to the followed branch first.',
    code: exitCodes.refused,
  });
}
