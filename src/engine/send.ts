import { type Action, doneVerbOf } from '../core/action.ts';
import type { Sent } from '../core/batches.ts';
import { isClaimedInStore } from '../core/desired.ts';
import type { Failure, Result } from '../core/failure.ts';
import { isKept } from '../core/kinds/kept-fields.ts';
import type { AddressedMark, Mark, Observed } from '../core/observed.ts';
import { plannedOf } from '../core/order/moves.ts';
import { bearsEqualMark } from '../core/plan/marks.ts';
import type { Withholding } from '../core/plan/plan-input.ts';
import type { CloudId, Kind } from '../core/resource.ts';
import type { Intended, Reconcile, Settlement } from '../ports/ledger.ts';
import type { Call, Creation, Removal, Revision, Session } from '../ports/provider.ts';
import { type CallLog, callLog } from './calls.ts';
import { unlessLeaseLost } from './control.ts';
import type { ExecutionContext, QuotaState } from './execution-context.ts';
import {
  desiredOf,
  earlierBatch,
  effectsOf,
  freshMs,
  type Item,
  intentDraftOf,
  observedOf,
  type Ready,
  restartsMachine,
} from './intent.ts';
import { done, type Guard, type GuardMoment, type Judged, type Outcome, unsent, type Withheld } from './ports.ts';
import { hasToken, isWhole, notWhole } from './replay.ts';
import { deliver, Refused } from './retry.ts';

/**
 * Items of one kind and verb, from intent to settlement: one transaction, the calls it takes, one transaction.
 * One outcome per item, in order.
 */
export async function send(items: readonly Item[], context: ExecutionContext): Promise<readonly Outcome[]> {
  const unresolved = items.map((item) => unresolvedReference(item, context));
  const sendable = items.filter((_, i) => unresolved[i] === undefined);
  const sent = new Map<Item, Outcome>();
  for (const [batch, sentTogether] of byRecordedBatch(sendable, context))
    for (const [item, outcome] of await sendBatch(batch, sentTogether, context)) sent.set(item, outcome);
  return items.map((item, i) => unresolved[i] ?? sent.get(item) ?? unsent);
}

/** The reason that an item cannot be sent at all: an address it names has no id. */
function unresolvedReference({ action, verb }: Item, { known }: ExecutionContext): Outcome | undefined {
  if (verb === 'delete' || verb === 'forget' || verb === 'tombstone') return undefined;
  const { kind, attributes, address } = desiredOf(action);
  if (known.ids.resolve(kind, attributes) !== undefined) return undefined;
  return {
    as: 'stale',
    failure: { kind: 'conflict', code: 'NotThere', message: `${address} rests on something that has no id yet` },
  };
}

/** A launch is sent again with those it was sent with, and with nobody else: its token is that of its first. */
function byRecordedBatch(
  items: readonly Item[],
  context: ExecutionContext,
): ReadonlyMap<string | undefined, readonly Item[]> {
  return Map.groupBy(items, (item) =>
    isLaunch(item, context) ? earlierBatch(item.action.address, context.known.knowledge) : undefined,
  );
}

const isLaunch = ({ action, verb }: Item, { at }: Pick<ExecutionContext, 'at'>): boolean =>
  verb === 'create' && hasToken(action.kind, at.site.holds.oneByName);

type Answered = readonly [Item, Outcome];

/** A batch that is sent again as recorded goes whole or not at all, also where people refuse an item of it now. */
async function sendBatch(
  batch: string | undefined,
  items: readonly Item[],
  context: ExecutionContext,
): Promise<readonly Answered[]> {
  if (items.length === 0 || context.cancellation.waits.aborted) return [];
  if (!isWhole(context.known.replays, batch, items)) return items.map((item) => [item, notWhole]);
  const intents = await recordIntents(items, context);
  const ready = intents.ready.map(({ item }) => item);
  if (!isWhole(context.known.replays, batch, ready))
    return [...intents.refused, ...ready.map((item): Answered => [item, notWhole])];
  return deliverIntended(intents, items.length, context);
}

/** `recorded`: of how many the call that was recorded consists. */
async function deliverIntended(
  { ready, refused, judged }: GuardedIntents,
  recorded: number,
  context: ExecutionContext,
): Promise<readonly Answered[]> {
  const log = callLog();
  const record = recording(ready, recorded, context);
  const delivered = await deliverReady(ready, { ...context, permit: permits(judged, context), record }, log);
  const outcomes = await withUsers(ready, delivered, context);
  await settle(ready, outcomes, log, context);
  return [...refused, ...ready.map(({ item }, i): Answered => [item, outcomes[i] ?? unsent])];
}

type GuardedContext = ExecutionContext & {
  readonly permit: ReturnType<typeof permits>;
  readonly record: ReturnType<typeof recording>;
};

/**
 * Makes sure that a launch is recorded as it leaves: what is sent again from the record must be the same call. A part of what was
 * refused, or all but one that was, is a call of its own, under a token of its own.
 */
function recording(
  ready: readonly Ready[],
  recorded: number,
  context: ExecutionContext,
): (items: readonly Ready[]) => Promise<void> {
  const sizes = new Map(ready.map(({ intent }) => [intent, recorded]));
  return async (items) => {
    const [first] = items;
    if (!first || !isLaunch(first.item, context)) return;
    if (items.every(({ intent }) => sizes.get(intent) === items.length)) return;
    const { refused } = await recordIntents(
      items.map(({ item }) => item),
      context,
      true,
    );
    if (refused.size > 0) throw new Refused(reasonsOf(items, refused), false);
    for (const { intent } of items) sizes.set(intent, items.length);
  };
}

async function deliverReady(
  ready: readonly Ready[],
  context: GuardedContext,
  log: CallLog,
): Promise<readonly Outcome[]> {
  const [first] = ready;
  if (!first) return [];
  const { verb } = first.item;
  if (verb === 'forget' || verb === 'tombstone') return ready.map(() => done);
  const sent: Sent = verb === 'adopt' ? 'update' : verb;
  const outcomes = await deliver(
    {
      sent,
      repeatable: sent === 'create' && isRepeatable(first.item.action.kind, context),
      items: ready,
      call: async (items) => {
        await context.record(items);
        return callActuator(items, context, context.calls.writing(log, sent, context.permit(items)));
      },
      before: ({ item, attempt }) => (item.verb === 'create' && attempt > 1 ? sentBefore : unsent),
      requests: () => log.sent,
    },
    {
      ports: context.ports,
      waits: context.cancellation.waits,
      notify: context.notify,
      quota: roomFor(first.item, context),
    },
  );
  for (const [i, { item }] of ready.entries()) remember(item, outcomes[i], context);
  return outcomes;
}

/** One that takes the place of another had room until now. */
const roomFor = ({ action }: Item, { known }: ExecutionContext): QuotaState =>
  action.verb === 'create' ? known.quotas(action.desired) : { refusal: undefined };

/** Machines have tokens, all else but networks a unique name or block everywhere; networks only on some clouds. */
const isRepeatable = (kind: Kind, { at }: ExecutionContext): boolean =>
  kind !== 'network' || at.site.holds.oneByName.includes(kind);

/** The first process may have sent it: after any answer but success the object may exist. */
const sentBefore: Outcome = {
  as: 'open',
  failure: { kind: 'ambiguous', code: 'SentBefore', message: 'an earlier sending of it was never answered' },
};

function remember({ action, verb }: Item, outcome: Outcome | undefined, { known }: ExecutionContext): void {
  if (outcome?.as !== 'done') return;
  if (verb === 'adopt') known.ids.add(action.address, observedOf(action).id);
  if (verb === 'create' && outcome.observed) known.ids.add(action.address, outcome.observed.id);
}

async function settle(
  ready: readonly Ready[],
  outcomes: readonly Outcome[],
  log: CallLog,
  context: ExecutionContext,
): Promise<void> {
  if (ready.length === 0) return;
  const settlements = ready.map((one, i) => settlementOf(one, outcomes[i] ?? unsent, log, context));
  await unlessLeaseLost(() => context.ports.ledger.settle(context.at.authorization.reconcile, settlements));
  for (const [i, { item }] of ready.entries()) report(item, outcomes[i] ?? unsent, context);
}

const notSent: Failure = { kind: 'retryable', code: 'NotSent', message: 'the reconcile ended before it was sent' };

const notSentFor = (outcome: Outcome): Failure =>
  outcome.as === 'withheld' ? { kind: 'conflict', code: 'NotSent', message: outcome.why } : notSent;

function settlementOf(
  { item, intent }: Ready,
  outcome: Outcome,
  log: CallLog,
  { known, at }: ExecutionContext,
): Settlement {
  // why: the request may have stopped the machine, and the later start needs this intent
  const mayBeStopped = outcome.as !== 'done' && log.records.length > 0 && restartsMachine(item.action, known.knowledge);
  const base = { intent, closes: outcome.as !== 'open' && !mayBeStopped, calls: log.records };
  if (outcome.as !== 'done') {
    const failure = 'failure' in outcome ? outcome.failure : notSentFor(outcome);
    return { ...base, outcome: { ok: false, failure }, effects: [] };
  }
  const { kind, address } = item.action;
  const { fixedMarks } = at.site.holds;
  const { details } = intentDraftOf(item, { knowledge: known.knowledge, batch: { name: '', size: 1 }, fixedMarks });
  const id = outcome.observed?.id ?? idOf(item);
  return { ...base, outcome: { ok: true }, effects: effectsOf({ verb: item.verb, kind, address, id, details }) };
}

function idOf({ action }: Item): string {
  return action.verb === 'forget' ? action.id : observedOf(action).id;
}

function report({ action }: Item, outcome: Outcome, { notify }: ExecutionContext): void {
  if (outcome.as === 'unsent' || outcome.as === 'withheld') return;
  const { kind, address } = action;
  notify?.({
    at: 'settled',
    kind,
    verb: doneVerbOf(action),
    address,
    ...('failure' in outcome ? { failure: outcome.failure } : {}),
  });
}

/** Existing resources by session and id: a reconcile that is refused again does not ask again. */
const found = new WeakMap<Session, Map<CloudId, Promise<string>>>();

/**
 * The outcomes, and of each deletion that the cloud refused because something stands there: what that is. It may be of a kind that
 * nobody lists, so it is asked for only now, once a reconcile.
 */
export function withUsers(
  ready: readonly Ready[],
  outcomes: readonly Outcome[],
  context: ExecutionContext,
): Promise<readonly Outcome[]> {
  return Promise.all(
    outcomes.map(async (outcome, i): Promise<Outcome> => {
      const item = ready[i]?.item;
      if (item?.verb !== 'delete' || (outcome.as !== 'stale' && outcome.as !== 'failed')) return outcome;
      const { failure } = outcome;
      const { action } = item;
      if (failure.kind !== 'conflict' || !('observed' in action)) return outcome;
      const users = await usersOf(action.kind, action.observed.id, context);
      return users === '' ? outcome : { ...outcome, failure: named(failure, users) };
    }),
  );
}

function usersOf(kind: keyof Session['actuators'], id: CloudId, { at, calls }: ExecutionContext): Promise<string> {
  const { session } = at.site;
  const actuator = session.actuators[kind];
  if (actuator.usersOf === undefined) return Promise.resolve('');
  const known = found.get(session) ?? new Map<CloudId, Promise<string>>();
  found.set(session, known);
  const asked = known.get(id) ?? actuator.usersOf(id, calls.reading()).then(sentence);
  known.set(id, asked);
  return asked;
}

type Users = Awaited<ReturnType<NonNullable<Session['actuators']['subnet']['usersOf']>>>;

/** That they could not be read is said, and is no failure of its own. */
function sentence(users: Users): string {
  if (!users.ok) return `What stands there could not be read: ${users.failure.message}`;
  return users.value.length === 0 ? '' : `There stands ${users.value.join('; ')}.`;
}

const named = (failure: Failure, users: string): Failure => ({
  ...failure,
  message: `${failure.message.replace(/\.?$/, '.')} ${users}`,
});

/** Sends all of it to the actuator of its kind. */
function callActuator(
  ready: readonly Ready[],
  context: ExecutionContext,
  call: Call,
): Promise<readonly Result<unknown>[]> {
  const [first] = ready;
  if (!first) return Promise.resolve([]);
  const actuator = context.at.site.session.actuators[first.item.action.kind];
  switch (first.item.verb) {
    case 'create':
      // why: all items of a sending are of one kind, and this is its actuator
      return actuator.create(ready.map((one) => creationOf(one, context)) as never, call);
    case 'update':
    case 'adopt':
      return actuator.update(ready.map((one) => revisionOf(one, context)) as never, call); // why: as above
    case 'delete':
      return actuator.delete(ready.map(({ item }) => removalOf(item, context)) as never, call); // why: as above
    case 'forget':
    case 'tombstone':
      return Promise.resolve(ready.map(() => ({ ok: true, value: undefined })));
  }
}

function creationOf({ item, intent, attempt }: Ready, context: ExecutionContext): Creation {
  const desired = desiredOf(item.action);
  const attributes = context.known.ids.translate(desired.kind, desired.attributes);
  // why: a launch that is sent again must say what it said before, word for word; the ledger counts its attempts
  const markedAttempt = hasToken(desired.kind, context.at.site.holds.oneByName) ? 1 : attempt;
  return {
    token: intent,
    mark: markOf(item, context, { intent, attempt: markedAttempt }),
    desired: { ...desired, attributes },
  };
}

function revisionOf({ item, intent, attempt }: Ready, context: ExecutionContext): Revision {
  const { ids } = context.known;
  const [desired, observed] = [desiredOf(item.action), observedOf(item.action)];
  const changes = 'changes' in item.action ? item.action.changes : [];
  const fixed = isClaimedInStore(desired, context.at.site.holds.fixedMarks);
  const marks = !fixed && (item.verb === 'adopt' || changes.some(({ field }) => field === 'mark'));
  return {
    desired: { ...desired, attributes: ids.translate(desired.kind, desired.attributes) },
    observed: { ...observed, attributes: ids.translate(observed.kind, observed.attributes) },
    changes: changes.filter(({ field }) => field !== 'mark' && !isKept(field)),
    ...(marks ? { mark: markWritten(item, observed, context, { intent, attempt }) } : {}),
  };
}

function removalOf(item: Item, { known }: ExecutionContext): Removal {
  const observed = observedOf(item.action);
  const attributes = known.ids.translate(observed.kind, observed.attributes);
  return { id: observed.id, observed: { ...observed, attributes } };
}

interface Tried {
  readonly intent: string;
  readonly attempt: number;
}

/** The mark of an object that stands. */
function markWritten(item: Item, observed: Observed, context: ExecutionContext, tried: Tried): Mark {
  const { known, at } = context;
  const changes = 'changes' in item.action ? item.action.changes : [];
  const marking = { knowledge: known.knowledge, holds: at.site.holds };
  const { estate, store, ...own } = markOf(item, context, tried);
  return bearsEqualMark(desiredOf(item.action), observed, changes, marking)
    ? { estate, store }
    : { estate, store, ...own };
}

function markOf({ action }: Item, { known, at }: ExecutionContext, intent: Tried): AddressedMark {
  const { address, terms } = desiredOf(action);
  const { estate } = at.authorization.reconcile;
  const { store = '' } = known.knowledge;
  return { estate, store, address, deletionPolicy: terms.deletionPolicy, ...intent };
}

/**
 * Checks that people still allow an action: when it is intended, in that very transaction, and again before each request,
 * however often an item is sent.
 *
 *   guard epoch                    | judged again | then
 *   -------------------------------+--------------+--------------------------------------------------
 *   as it was when judged last     | no           | intended, sent
 *   moved, or a window or freeze   | these items  | allowed items are; the others are not
 *   has begun or ended since       |              |
 */

/** The result of intending: the items that may be sent, and those that may not. */
interface GuardedIntents {
  readonly ready: readonly Ready[];
  readonly refused: ReadonlyMap<Item, Withheld>;
  /** The last judgement of the ready ones. */
  readonly judged: Judged;
}

/** Words that come one upon the other are followed so often; then the rest waits for another plan. */
const mostEpochs = 8;

/** Intends them together. `anew`: as a call of their own, whatever call they were recorded in before. */
async function recordIntents(items: readonly Item[], context: ExecutionContext, anew = false): Promise<GuardedIntents> {
  const { ledger } = context.ports;
  const { reconcile, guard } = context.at.authorization;
  const refused = new Map<Item, Withheld>();
  let judged: Judged = guard ?? { epoch: await ledger.guardEpoch(reconcile.estate) };
  for (let asked = 1; ; asked += 1) {
    const open = items.filter((item) => !refused.has(item));
    if (open.length === 0) return { ready: [], refused, judged };
    const asJudged = guard === undefined ? reconcile : judgedReconcile(reconcile, judged);
    const answers = await unlessLeaseLost(() => ledger.intend(asJudged, open.map(drafting(open, context, anew))));
    if (asked === mostEpochs || !answers.some(isOverruled))
      return { ready: readyIn(open, answers), refused: allRefused(open, answers, refused), judged };
    const epoch = await ledger.guardEpoch(reconcile.estate);
    const now = { epoch, ...(endsByItself([judged]) ? { at: await ledger.now() } : {}) };
    const again = await judgedAgain(open, now, guard);
    for (const [item, reason] of again.refused) refused.set(item, reason);
    judged = again.judged;
  }
}

const judgedReconcile = (reconcile: Reconcile, { epoch, until }: Judged): Reconcile => ({
  ...reconcile,
  guardEpoch: epoch,
  ...(until === undefined ? {} : { guardUntil: until }),
});

/**
 * All items of one request share one word, so that their marks can name the intent of the first. An intent of an earlier process keeps its
 * word: its call may come yet.
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

const endsByItself = (judged: readonly Judged[]): boolean => judged.some(({ until }) => until !== undefined);

const isVoid = ({ epoch, until }: Judged, now: GuardMoment): boolean =>
  epoch !== now.epoch || (until !== undefined && now.at !== undefined && now.at >= until);

interface JudgedAgain {
  readonly refused: ReadonlyMap<Item, Withheld>;
  readonly judged: Judged;
}

async function judgedAgain(items: readonly Item[], now: GuardMoment, guard: Guard | undefined): Promise<JudgedAgain> {
  const actions = items.map(({ action }) => plannedOf(action));
  const judgement = guard === undefined ? undefined : await guard.judge([...new Set(actions)], now);
  const reasonOf = (action: Action): Withholding | undefined =>
    judgement === undefined ? unjudged : judgement.refused.get(plannedOf(action));
  const refused = items.flatMap((item): readonly (readonly [Item, Withheld])[] => {
    const reason = reasonOf(item.action);
    return reason === undefined ? [] : [[item, { as: 'withheld', ...reason }]];
  });
  return { refused: new Map(refused), judged: { epoch: now.epoch, until: judgement?.until } };
}

/** There is no guard to judge by present permissions. */
const unjudged: Withholding = {
  code: 'stale',
  why: 'approvals, pauses, limits or change windows changed since this plan. Plan again.',
};

/** Asked before each request of one call. After one refusal nothing more of that call leaves. */
type Permit = () => Promise<void>;

/** For one sending: makes the permit of each call, by the items that are in it. */
function permits(judged: Judged, context: ExecutionContext): (items: readonly Ready[]) => Permit {
  const { clock } = context.ports;
  const begun = clock.now();
  const known = new Map<string, Known>();
  const knownOf = ({ intent }: Ready): Known => known.get(intent) ?? { judged, at: begun };
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
    for (const one of old) note(one, { at, judged: again.judged });
    return reasonsOf(old, again.refused);
  };
  const judge = async (items: readonly Ready[]): Promise<ReadonlyMap<Ready, Withheld>> => {
    const { guard } = context.at.authorization;
    const before = items.map((one) => knownOf(one).judged);
    const { ledger } = context.ports;
    const epoch = await ledger.guardEpoch(context.at.authorization.reconcile.estate);
    const now = { epoch, ...(endsByItself(before) ? { at: await ledger.now() } : {}) };
    const moved = items.filter((one) => isVoid(knownOf(one).judged, now));
    if (moved.length === 0) return none;
    const again = await judgedAgain(
      moved.map(({ item }) => item),
      now,
      guard,
    );
    for (const one of moved) if (!again.refused.has(one.item)) note(one, { judged: again.judged });
    return reasonsOf(moved, again.refused);
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
  readonly judged: Judged;
  readonly at: number;
}

const none: ReadonlyMap<Ready, Withheld> = new Map();

/** The reasons of the refused items. */
const reasonsOf = (ready: readonly Ready[], refused: ReadonlyMap<Item, Withheld>): ReadonlyMap<Ready, Withheld> =>
  new Map(
    ready.flatMap((one): readonly (readonly [Ready, Withheld])[] => {
      const reason = refused.get(one.item);
      return reason === undefined ? [] : [[one, reason]];
    }),
  );
