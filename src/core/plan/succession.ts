import type { Action, Decision } from '../action.ts';
import type { Desired } from '../desired.ts';
import type { Knowledge } from '../knowledge.ts';
import { formatMoment } from '../render/wording.ts';
import type { Address, CloudId } from '../resource.ts';
import type { Claimed } from './claim.ts';
import type { PlanInput } from './plan-input.ts';
import type { World } from './world.ts';

/**
 * Two machines of ours at one address, of which one is to take the place of the other. Anything else that stands there twice is
 * for a person to judge.
 */
export interface Succession {
  readonly predecessor: Claimed;
  readonly successor: Claimed;
}

/** The store says which one was launched for the other's sake: with the claim, or with the intent that is still open. */
export function successionOf(claimed: readonly Claimed[], knowledge: Knowledge): Succession | undefined {
  const [one, other, ...more] = claimed;
  if (one === undefined || other === undefined || more.length > 0) return undefined;
  if (isSuccessor(one, other, knowledge)) return { predecessor: other, successor: one };
  return isSuccessor(other, one, knowledge) ? { predecessor: one, successor: other } : undefined;
}

function isSuccessor({ observed, claim }: Claimed, before: Claimed, knowledge: Knowledge): boolean {
  const settled = knowledge.settled.get(observed.id);
  if (settled !== undefined) return settled.terms.successorOf === before.observed.id;
  return claim.by === 'us' && successorUnderWay(claim.address, knowledge)?.of === before.observed.id;
}

/** A successor whose launch is intended and not settled: `of`, the machine whose place it takes, and since when. */
function successorUnderWay(
  address: Address,
  { pending }: Knowledge,
): { readonly of: CloudId; readonly at: number } | undefined {
  for (const intent of pending) {
    const { successorOf } = intent.draft.details;
    if (intent.address === address && intent.verb === 'create' && typeof successorOf === 'string')
      return { of: successorOf, at: intent.at };
  }
  return undefined;
}

/**
 * The decision about the two, by the decision about each of them alone.
 *
 *   predecessor alone    | successor alone              | result
 *   ---------------------+------------------------------+-------------------------------------------------------------
 *   replace              | nothing, in place, or drift  | that replacement, which goes on with this successor
 *   replace              | it is not told yet           | blocked: pending, until the successor has come up
 *   replace              | replace: specs moved on      | the successor is withdrawn, the predecessor stays
 *   nothing, or in place | –                            | the same: what was asked for is asked for no more
 *   a finding            | –                            | that finding; neither is ended. An unstated setting is none
 */
export function decideSuccession(
  { predecessor, successor }: Succession,
  decideAlone: (one: Claimed) => readonly Decision[],
  { input }: World,
): readonly Decision[] {
  const forPredecessor = decideAlone(predecessor);
  const forSuccessor = decideAlone(successor).filter((decision) => !isUnmanaged(decision));
  // why: a setting that no document states stands in no way, and the end of the predecessor ends it
  const finding = forPredecessor.find((decision) => !('verb' in decision) && !isUnmanaged(decision));
  if (finding !== undefined) return [finding];
  const replacement = forPredecessor.find(isReplacement);
  const unsure = forSuccessor.find(
    (decision) => 'type' in decision && decision.type === 'blocked' && decision.code === 'pending',
  );
  if (replacement !== undefined && unsure !== undefined) return [unsure];
  if (replacement !== undefined && !forSuccessor.some(isOutdated)) {
    const since = input.knowledge.settled.get(successor.observed.id)?.lastWriteAt;
    const asWanted = forSuccessor.length === 0;
    return [
      {
        ...replacement,
        surge: { successor: successor.observed.id, asWanted, ...(since === undefined ? {} : { since }) },
      },
    ];
  }
  return [withdrawal(predecessor, successor, input.knowledge)];
}

type Replacement = Extract<Action, { readonly verb: 'replace' }>;
/** A difference without a changed spec is for a person to judge once the machine is the only one. */
const isUnmanaged = (decision: Decision): boolean => 'type' in decision && decision.type === 'unmanaged';
const isOutdated = (decision: Decision): boolean => isReplacement(decision) && decision.cause === 'rollout';
const isReplacement = (decision: Decision): decision is Replacement =>
  'verb' in decision && decision.verb === 'replace';

function withdrawal({ claim }: Claimed, { observed }: Claimed, { settled }: Knowledge): Action {
  const address = claim.by === 'us' ? claim.address : '';
  const owners = settled.get(observed.id)?.terms.owners;
  const about = { kind: observed.kind, address, documents: [], cause: 'rollout' } as const;
  return { ...about, verb: 'delete', observed, because: 'withdrawn', ...(owners === undefined ? {} : { owners }) };
}

/**
 * The reason that a machine is not replaced now: its successor was launched, or has come up, and no listing shows it yet. Without this a third
 * one would be launched.
 */
export function successorNotSeen({ address }: Desired, { observed }: Claimed, world: World): string | undefined {
  const { knowledge, observation } = world.input;
  const unseen = observation.pending.find((id) => knowledge.settled.get(id)?.terms.successorOf === observed.id);
  const underWay = successorUnderWay(address, knowledge);
  const at = (unseen === undefined ? underWay?.at : knowledge.settled.get(unseen)?.lastWriteAt) ?? observation.at;
  if (unseen === undefined && (underWay?.of !== observed.id || isOver(underWay, world.input))) return undefined;
  const name = unseen ?? 'its successor';
  return `${name} was launched at ${formatMoment(at)} to replace ${observed.id} and is not observed yet. Setpoint deletes nothing before it is ready.`;
}

/**
 * A plan that nobody executes shows a launch without a result as a creation, so that a person can approve it; the engine observes once more
 * before it sends one, and says by `again` which may be sent. 300 s for listings, and 30 s for a call that leaves late.
 */
const isOver = ({ at }: { readonly at: number }, { knowledge, observation }: PlanInput): boolean =>
  knowledge.again === undefined && observation.at - at >= 330_000;

/** Of a replacement that is withheld half done: which machines stand, since when, and what becomes of them. */
export function unfinishedNote(action: Action): string {
  if (action.verb !== 'replace' || action.surge?.successor === undefined) return '';
  const { successor, since } = action.surge;
  const when = since === undefined ? '' : ` since ${formatMoment(since)}`;
  return ` It is half done: ${action.observed.id} and its successor ${successor} both exist${when}. Once nothing withholds it, Setpoint deletes ${action.observed.id} as soon as ${successor} is ready.`;
}
