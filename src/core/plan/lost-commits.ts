import { type Action, type Finding, isDestructive } from '../action.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Observation } from '../observed.ts';
import { formatMoment } from '../render/wording.ts';
import { compareText } from '../text.ts';
import type { Claimed } from './claim.ts';
import type { Hold, PlanInput } from './plan-input.ts';
import { isUnrecorded, type Unrecorded } from './world.ts';

/** A store is asked about so many intents at once; what is beyond counts as not recorded, which only withholds more. */
export const maxUnexplainedIntents = 1000;

/**
 * Intents named by our mark on objects that nothing in the store explains, sorted. None in a scope that holds nothing strange, so that
 * no store is asked. What is not spelled as an intent never was one: that mark is a copy or a forgery.
 */
export function unexplainedIntents(
  { resources }: Pick<Observation, 'resources'>,
  knowledge: Knowledge,
): readonly string[] {
  const { estate, store, settled, ended, pending, expiredIntents } = knowledge;
  if (store === undefined) return [];
  const open = new Set(pending.map(({ intent }) => intent));
  const unexplained = resources.flatMap(({ id, signs: { mark }, condition: { state } }) => {
    // why: what is gone stays listed for an hour, and stands for nothing
    if (state === 'gone' || state === 'deleting') return [];
    if (mark?.estate !== estate || mark.store !== store || settled.has(id) || ended?.has(id)) return [];
    const { intent = '' } = mark;
    return isSpelled.test(intent) && !open.has(intent) && !expiredIntents?.has(intent) ? [intent] : [];
  });
  return [...new Set(unexplained)].sort(compareText);
}

const isSpelled = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Signs that the database lost its newest commits, as after a failover to a replica that lagged: an object bears this store's mark and
 * an intent that the store has no record of. Every intent is committed before its call, and a copy bears the intent of its original,
 * so such an object is no copy. The store may also have forgotten pauses, and the specs that were applied last.
 *
 * Anyone who may tag can forge such a mark. So it is never a reason to write, only a reason not to:
 *
 *   while it stands        | consequence
 *   -----------------------+---------------------------------------------------------------
 *   the object             | claimed by nobody, never changed; a person may take it over
 *   its address            | nothing is created or adopted there
 *   all of the scope       | what was applied counts as unknown, so no difference is a rollout
 *   all of the scope       | no deletion, no replacement, no update that stops a machine or takes a network's gateway away
 *
 * The other sign is a ledger that ends before a signed checkpoint: the last two lines hold for the whole estate until a person accepts
 * the loss, see `LostLedger`.
 *
 * The hold withholds what would remove or stop something by a record that may be out of date; no approval of that record lets it pass.
 */
export function lostCommitsHold(claimed: readonly Claimed[], { lost }: Pick<Knowledge, 'lost'>): Hold {
  const [first, ...others] = claimed.filter(isUnrecorded);
  if (first === undefined && lost === undefined) return () => undefined;
  const why = first === undefined ? lostText(lost) : unrecordedText(first, others.length);
  return (action) => (removes(action) || isDestructive(action) ? { code: 'lost-commits', why } : undefined);
}

function unrecordedText({ observed }: Unrecorded, others: number): string {
  const more = others === 0 ? 'carries' : `and ${others} more carry`;
  return `this store may have lost its newest commits: ${observed.id} ${more} its mark and an unrecorded intent. Nothing is deleted, replaced or stopped in this scope until they are taken over or lose that mark.`;
}

const lostText = (lost: Knowledge['lost']): string =>
  `this store lost its newest commits: checkpoint ${lost?.signed} of the ledger was signed at ${formatMoment(lost?.signedAt ?? 0)}, and the database ends at ${lost?.held || 'none'}. Nothing is deleted, replaced or stopped in this estate until somebody accepts the loss: setpoint ledger accept-loss --reason "…"`;

/** A network that loses its way out loses a gateway and a route table with it. */
const removes = (action: Action): boolean =>
  action.verb === 'delete' ||
  (action.verb === 'update' && action.changes.some(({ field, to }) => field === 'internet' && to !== true));

/** The specs that were applied last are no longer known for certain. */
export const withoutApplied = (input: PlanInput): PlanInput => ({
  ...input,
  knowledge: { ...input.knowledge, applied: new Map() },
});

export const unrecordedMark = ({ observed, claim }: Unrecorded, scope: string): Finding => ({
  type: 'unrecorded-mark',
  id: observed.id,
  kind: observed.kind,
  name: observed.name,
  why: `carries this store's mark of ${claim.unrecorded} and an unrecorded intent: the database may have lost its newest commits. ${wayOut(observed.id)}`,
  scope,
});

/** For people who look at what stands where something was to be made. */
export const wayOut = (id: string): string =>
  `Check it. If it is yours: setpoint takeover --id ${id} --reason "…"; if not, remove its mark`;
