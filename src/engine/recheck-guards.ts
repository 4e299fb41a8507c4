import type { Action } from '../core/action.ts';
import type { Intended } from '../ports/ledger.ts';
import { unlessLeaseLost } from './control.ts';
import type { ExecutionContext } from './execution-context.ts';
import { earlierBatch, type Item, intentDraftOf, type Ready } from './intent.ts';
import type { Guard, Withheld, Withholding } from './ports.ts';
import { Refused } from './retry.ts';

/**
 * Checks that people still allow an action: when it is intended, in that very transaction, and again before each request,
 * however often an item is sent.
 *
 *   guard epoch                | judged again | then
 *   ---------------------------+--------------+--------------------------------------------------
 *   as it was when judged last | no           | intended, sent
 *   moved                      | these items  | allowed items are; the others are not
 */

/** The result of intending: the items that may be sent, and those that may not. */
export interface GuardedIntents {
  readonly ready: readonly Ready[];
  readonly refused: ReadonlyMap<Item, Withheld>;
  /** Under which the ready ones were judged last. */
  readonly epoch: number;
}

/** Words that come one upon the other are followed so often; then the rest waits for another plan. */
const mostEpochs = 8;

/** Intends them together. `anew`: as a call of their own, whatever call they were recorded in before. */
export async function recordIntents(
  items: readonly Item[],
  context: ExecutionContext,
  anew = false,
): Promise<GuardedIntents> {
  const { ledger } = context.ports;
  const { reconcile, guard } = context.at.authorization;
  const refused = new Map<Item, Withheld>();
  let epoch = guard?.epoch ?? (await ledger.guardEpoch(reconcile.estate));
  for (let asked = 1; ; asked += 1) {
    const open = items.filter((item) => !refused.has(item));
    if (open.length === 0) return { ready: [], refused, epoch };
    const judged = guard === undefined ? reconcile : { ...reconcile, guardEpoch: epoch };
    const answers = await unlessLeaseLost(() => ledger.intend(judged, open.map(drafting(open, context, anew))));
    if (asked === mostEpochs || !answers.some(isOverruled))
      return { ready: readyIn(open, answers), refused: allRefused(open, answers, refused), epoch };
    epoch = await ledger.guardEpoch(reconcile.estate);
    for (const [item, reason] of await judgedAgain(open, epoch, guard)) refused.set(item, reason);
  }
}

/**
 * All of one sending carry one word, so that their marks can name the intent of the first. What an earlier process recorded keeps
 * its word: its call may come yet.
 */
function drafting(
  items: readonly Item[],
  { known: { knowledge }, ports, at }: ExecutionContext,
  anew: boolean,
): (item: Item) => ReturnType<typeof intentDraftOf> {
  const own = Math.floor(ports.random() * 2 ** 48).toString(16);
  const { fixedMarks } = at.site.holds;
  const nameOf = ({ action }: Item): string => (anew ? undefined : earlierBatch(action.address, knowledge)) ?? own;
  const sizes = Map.groupBy(items, nameOf);
  const { guard } = at.authorization;
  return (item) => {
    const name = nameOf(item);
    const batch = { name, size: sizes.get(name)?.length ?? 1 };
    const approval = guard?.approvedAs?.(item.action);
    return {
      ...intentDraftOf(item, { knowledge, batch, fixedMarks }),
      ...(approval === undefined ? {} : { approval }),
    };
  };
}

const isOverruled = (answer: Intended): boolean => !answer.ok && answer.reason === 'guards';

const readyIn = (items: readonly Item[], answers: readonly Intended[]): readonly Ready[] =>
  items.flatMap((item, i): readonly Ready[] => {
    const answer = answers[i];
    return answer?.ok ? [{ item, intent: answer.intent, attempt: answer.attempt }] : [];
  });

function allRefused(
  items: readonly Item[],
  answers: readonly Intended[],
  before: ReadonlyMap<Item, Withheld>,
): ReadonlyMap<Item, Withheld> {
  const refused = new Map(before);
  for (const [i, item] of items.entries()) {
    const answer = answers[i];
    if (answer?.ok === false) refused.set(item, { as: 'withheld', code: refusalCodes[answer.reason], why: answer.why });
  }
  return refused;
}

const refusalCodes = { limit: 'limit', generation: 'stale', guards: 'stale', approval: 'stale' } as const;

async function judgedAgain(
  items: readonly Item[],
  epoch: number,
  guard: Guard | undefined,
): Promise<ReadonlyMap<Item, Withheld>> {
  const actions = items.map(({ action }) => action);
  const reasons = guard === undefined ? undefined : await guard.judge([...new Set(actions)], epoch);
  const reasonOf = (action: Action): Withholding | undefined =>
    reasons === undefined ? unjudged : reasons.get(action);
  return new Map(
    items.flatMap((item): readonly (readonly [Item, Withheld])[] => {
      const reason = reasonOf(item.action);
      return reason === undefined ? [] : [[item, { as: 'withheld', ...reason }]];
    }),
  );
}

/** Nobody is there to judge by what people say now. */
const unjudged: Withholding = {
  code: 'stale',
  why: 'people changed what may be done since this was planned. Plan again.',
};

/**
 * An intent that waited longer than this for a rate limit is intended again before it is sent, so that its age shows when it
 * was sent.
 */
export const freshMs = 30_000;

/** Asked before each request of one call. After one refusal nothing more of that call leaves. */
export type Permit = () => Promise<void>;

/** For one sending: makes the permit of each call, by the items that are in it. */
export function permits(epoch: number, context: ExecutionContext): (items: readonly Ready[]) => Permit {
  const { clock } = context.ports;
  const begun = clock.now();
  const known = new Map<string, Known>();
  const knownOf = ({ intent }: Ready): Known => known.get(intent) ?? { epoch, at: begun };
  const note = (ready: Ready, change: Partial<Known>): void =>
    void known.set(ready.intent, { ...knownOf(ready), ...change });

  const refresh = async (items: readonly Ready[]): Promise<ReadonlyMap<Ready, Withheld>> => {
    const old = items.filter((one) => clock.now() - knownOf(one).at >= freshMs);
    if (old.length === 0) return none;
    const at = clock.now();
    const again = await recordIntents(
      old.map(({ item }) => item),
      context,
    );
    for (const one of old) note(one, { at, epoch: again.epoch });
    return reasonsOf(old, again.refused);
  };
  const judge = async (items: readonly Ready[]): Promise<ReadonlyMap<Ready, Withheld>> => {
    const { guard, reconcile } = context.at.authorization;
    const now = await context.ports.ledger.guardEpoch(reconcile.estate);
    const moved = items.filter((one) => knownOf(one).epoch !== now);
    if (moved.length === 0) return none;
    const refused = await judgedAgain(
      moved.map(({ item }) => item),
      now,
      guard,
    );
    for (const one of moved) if (!refused.has(one.item)) note(one, { epoch: now });
    return reasonsOf(moved, refused);
  };
  return (items) => {
    let left = false;
    let calls = Promise.resolve();
    const ask = async (): Promise<void> => {
      const refused = new Map([...(await refresh(items)), ...(await judge(items))]);
      if (refused.size > 0) throw new Refused(refused, left);
      left = true;
    };
    // why: one at a time, so that a refusal knows of every request that left before it, and none leaves after it
    return () => (calls = calls.then(ask));
  };
}

interface Known {
  readonly epoch: number;
  readonly at: number;
}

const none: ReadonlyMap<Ready, Withheld> = new Map();

/** Of those items that were refused. */
export const reasonsOf = (
  ready: readonly Ready[],
  refused: ReadonlyMap<Item, Withheld>,
): ReadonlyMap<Ready, Withheld> =>
  new Map(
    ready.flatMap((one): readonly (readonly [Ready, Withheld])[] => {
      const reason = refused.get(one.item);
      return reason === undefined ? [] : [[one, reason]];
    }),
  );
