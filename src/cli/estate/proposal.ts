import type { Problem } from '../../core/documents/problem.ts';
import { dayOf, shortRevision } from '../../core/render/wording.ts';
import { refusalsOf } from '../../core/trust.ts';
import { openEstate } from '../../estate/load.ts';
import { asInForce, secretsToLook } from '../../estate/proposal.ts';
import type { SpecTree } from '../../ports/sources.ts';
import type { Estate } from '../../queries/estate-view.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import type { House, ProposalPlace } from '../house.ts';
import { type KeptChoice, specsInForce } from '../kept-specs.ts';
import { problemText } from '../output/problems.ts';
import { soundSpecs } from '../specs.ts';
import { type Choice, readEstate } from './estate.ts';

/** What is asked for: `kept` says of which store and estate. */
export interface ProposalAsked {
  readonly choice: Choice;
  readonly place: ProposalPlace;
  readonly kept: KeptChoice;
}

/** A proposal that may be planned, and all that may be used for it. */
export interface Proposal {
  readonly estate: Estate;
  /** Reads no secret but the credentials in force. */
  readonly context: Context;
}

/** What keeps a proposal from what it should not have, line behind line. A bench takes single ones away. */
export interface ProposalGuards {
  readonly refusalsOf: typeof refusalsOf;
  readonly asInForce: typeof asInForce;
  readonly secretsToLook: typeof secretsToLook;
}

const proposalGuards: ProposalGuards = { refusalsOf, asInForce, secretsToLook };

/**
 * The specs of somebody who is not trusted, to be planned beside those in force: refused where they reach for more than
 * these do, and looked at with the eyes of these. Which estate is meant the store says, or its user, and never the proposal.
 */
export async function readProposal(
  { choice, place, kept }: ProposalAsked,
  context: Context,
  guards: ProposalGuards = proposalGuards,
): Promise<Proposal> {
  const { house, clock } = context;
  const inForce = await specsInForce(kept, context);
  refuseUnsound(inForce);
  refuseOverlay(choice, inForce);
  const tree = await proposedIn(place, inForce, house);
  const dir = seenFrom(place);
  const trusting = { ...context, house: { ...house, specs: async () => tree } };
  await soundSpecs(trusting.house, dir);
  refuseUntrusted(guards.refusalsOf(inForce.documents, tree.documents), dir);
  const estate = await readEstate({ ...choice, dir }, trusting);
  const today = dayOf(clock.now());
  const opened = await openEstate(inForce, house.cloud, today);
  return {
    estate: { ...estate, scopes: guards.asInForce(estate.scopes, opened.compiled.scopes) },
    context: { ...context, house: { ...house, secrets: guards.secretsToLook(inForce, house.secrets) } },
  };
}

/** Files of a folder by their path from where the command runs; those of a commit, and of a team, by their path in the tree. */
const seenFrom = ({ dir, ref, team }: ProposalPlace): string => (ref === undefined && team === undefined ? dir : '');

async function proposedIn(place: ProposalPlace, inForce: SpecTree, house: House): Promise<SpecTree> {
  try {
    return await house.proposed(place, inForce);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Complaint('The proposal cannot be read.', { why, cause });
  }
}

/** Other specs than those in force would be compared with them. */
function refuseOverlay({ overlay }: Choice, inForce: SpecTree): void {
  if (overlay === undefined || overlay === inForce.overlay) return;
  throw new Complaint(`A proposal cannot be planned with the overlay ${overlay}.`, {
    why: inForce.overlay === undefined ? 'No overlay is in force.' : `The overlay ${inForce.overlay} is in force.`,
    next: 'Leave --overlay out: a proposal is read with the one in force.',
    code: exitCodes.refused,
  });
}

/** They were sound when they were accepted: this version asks for more. */
function refuseUnsound({ problems, revision }: SpecTree): void {
  const [first] = problems.filter(({ severity }) => severity === 'error');
  if (first === undefined) return;
  throw new Complaint(`The specs in force (${shortRevision(revision)}) are not sound any more.`, {
    where: `${first.at.file}:${first.at.line}: ${first.message}`,
    next: 'Mend them on the branch that is followed; until then no proposal is compared with them.',
  });
}

function refuseUntrusted(refusals: readonly Problem[], dir: string): void {
  if (refusals.length === 0) return;
  throw new Complaint('The proposal reaches for more than the specs in force do, so nothing is planned from it.', {
    where: `\n${problemText(refusals, dir, (_, text) => text).trimEnd()}`,
    why: 'Whoever writes a proposal need not be trusted; with what these fields say, secrets could be had.',
    next: 'Take these changes out, or have somebody you trust put them on the branch that is followed first.',
    code: exitCodes.refused,
  });
}
