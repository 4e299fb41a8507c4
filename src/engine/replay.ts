import type { Action } from '../core/action.ts';
import type { Knowledge, PendingIntent } from '../core/knowledge.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Kind } from '../core/resource.ts';
import { creationOf, type DraftDetails, type Item } from './intent.ts';
import type { Outcome } from './ports.ts';

/**
 * Launches whose answer was lost, and which no observation shows, are sent again at once: word for word as they were recorded, under their
 * token. A cloud that took the first call answers its machines; one that never got it makes them now.
 *
 *   the batch as it was recorded                         | then
 *   -----------------------------------------------------+------------------------------------------------------------
 *   whole, and the plan makes each machine as recorded   | sent again, once in a convergence
 *   one is not wanted any more, or otherwise, or withheld| looked for until the window is over, as any other creation
 *   some of it is settled, or its size is not recorded   | the same
 *   sent again, and refused as another request's token   | it happened: the same
 *
 * A token outlives the window by far: EC2 keeps it for at least 24 h after its machine has ended. Other words under a token are
 * refused, but in another zone they make other machines, so that nothing is sent under it but what was recorded.
 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
 */
export type Replays = ReadonlyMap<string, readonly PendingIntent[]>;

export const noReplays: Replays = new Map();

/** Creations that a cloud answers alike under the same token, and whose names it does not keep unique. */
export const hasToken = (kind: Kind, oneByName: readonly Kind[]): boolean =>
  kind === 'instance' && !oneByName.includes(kind);

/** By the name of the batch. `unseen`: launches that an observation missed. `before`: batches that were sent again already. */
export function replaysOf(
  { pending }: Knowledge,
  unseen: ReadonlySet<string>,
  before: ReadonlySet<string>,
): Map<string, readonly PendingIntent[]> {
  const creations = pending.filter(({ verb }) => verb === 'create');
  const batches = Map.groupBy(creations, (intent) => recordOf(intent).batch ?? '');
  return new Map(
    [...batches].filter(
      ([name, intents]) =>
        !before.has(name) &&
        intents.every((intent) => unseen.has(intent.intent) && recordOf(intent).batchSize === intents.length),
    ),
  );
}

/** Those of which each machine is to be made by this plan, as it was recorded. */
export function replaysWanted(replays: Replays, actions: readonly Action[]): Replays {
  const launches = new Map(actions.filter(isLaunch).map((action) => [action.address, action]));
  const isWanted = (intent: PendingIntent): boolean => {
    const action = launches.get(intent.address);
    return action !== undefined && wordsOf(creationOf(action)) === wordsOf(recordOf(intent));
  };
  return new Map([...replays].filter(([, intents]) => intents.every(isWanted)));
}

/** True where these are all of a batch: a part of it would be another call, under another token. */
export const isWhole = (replays: Replays, batch: string | undefined, items: readonly Item[]): boolean =>
  batch === undefined || (replays.get(batch)?.length ?? items.length) === items.length;

/** Of a batch of which a part may not be sent: it may have happened, and later observations look for it. */
export const notWhole: Outcome = {
  as: 'open',
  failure: {
    kind: 'ambiguous',
    code: 'NotWhole',
    message: 'it was launched together with others that may not be sent now; it is looked for',
  },
};

function isLaunch(action: Action): boolean {
  if (action.kind !== 'instance') return false;
  return action.verb === 'create' || (action.verb === 'replace' && action.surge?.successor === undefined);
}

// why: this engine wrote the details of every intent
const recordOf = ({ draft }: PendingIntent): DraftDetails => draft.details as DraftDetails;

/** All that its call says. The hand that made a drift is not in it. */
const wordsOf = ({ attributes, documents, terms, name, successorOf }: DraftDetails): string =>
  canonical({ attributes, documents, terms, name, successorOf });
