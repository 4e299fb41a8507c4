import type { Sent } from '../core/batches.ts';
import { backoff, type Failure, judge, type Result } from '../core/failure.ts';
import type { Observed } from '../core/observed.ts';
import { SecretUnread } from '../ports/secrets.ts';
import { isCancellation, type ReconcileControl, wait } from './control.ts';
import type { QuotaState } from './execution-context.ts';
import { done, type EnginePorts, type Outcome, unsent, type Withheld } from './ports.ts';

/** Items that go to one actuator together. */
interface Delivery<T> {
  readonly sent: Sent;
  /** A creation that the cloud cannot make two of, by its token or its name. */
  readonly repeatable: boolean;
  readonly items: readonly T[];
  /** Calls the actuator; throws when the reconcile must stop, `SecretUnread`, or `Refused` with items of these. */
  call(items: readonly T[]): Promise<readonly Result<unknown>[]>;
  /** The outcome before anything is sent here: `open` where an earlier process may have sent it. */
  before(item: T): Outcome;
  /** Mutating requests sent so far, answered or not. */
  requests(): number;
}

interface Patience {
  readonly ports: Pick<EnginePorts, 'clock' | 'random'>;
  readonly waits: AbortSignal;
  readonly notify: ReconcileControl['notify'];
  /** Of what all items count against. */
  readonly quota: QuotaState;
}

/**
 * Sends until every item has an outcome, in order. Throttled items go again and it is no attempt; retryable ones up to 6
 * times; a creation without an answer goes again with its token, where the cloud cannot make two of it; when one bad item
 * sank the whole call, the items go singly, once; when a quota did, as many as fit go by halving.
 */
export async function deliver<T>(delivery: Delivery<T>, patience: Patience): Promise<readonly Outcome[]> {
  const outcomes = await persist(delivery, patience);
  if (!refusedTogether(outcomes)) {
    learn(patience.quota, outcomes);
    return outcomes;
  }
  if (outcomes.every(isOverQuota)) return fitted(delivery, outcomes, patience);
  const alone: Outcome[] = [];
  for (const item of delivery.items) alone.push(...(await persist({ ...delivery, items: [item] }, patience)));
  return alone;
}

/** An item that was not sent again keeps its refusal. */
async function fitted<T>(
  delivery: Delivery<T>,
  refused: readonly Outcome[],
  patience: Patience,
): Promise<readonly Outcome[]> {
  const { quota } = patience;
  const { outcomes, full } = await bisectBatch(delivery.items, (items) => persist({ ...delivery, items }, patience));
  const all = refused.map((outcome, i) => outcomes.get(i) ?? outcome);
  if (full) quota.refusal ??= all.find(isOverQuota)?.failure;
  return all;
}

/** The refusal of a single item shows that not one more fits. */
function learn(quota: QuotaState, outcomes: readonly Outcome[]): void {
  const refusals = outcomes.filter(isOverQuota).map(({ failure }) => failure);
  const calls = Map.groupBy(refusals, ({ requestId }) => requestId);
  quota.refusal ??= refusals.find(({ requestId }) => requestId === undefined || calls.get(requestId)?.length === 1);
}

/** More than a cloud refuses in any outage that is worth waiting out inside a reconcile. */
const mostThrottles = 100;
const mostRepeats = 2;

/** The number of times that the waiting items were sent already. */
interface Tries {
  attempts: number;
  throttles: number;
  repeats: number;
}

interface Again {
  readonly as: 'again';
  readonly because: keyof Tries;
  readonly afterMs: number;
  /** The outcome if nothing more is sent. */
  readonly meanwhile: Outcome;
}

async function persist<T>(delivery: Delivery<T>, patience: Patience): Promise<readonly Outcome[]> {
  const outcomes = delivery.items.map((item) => delivery.before(item));
  const tries: Tries = { attempts: 1, throttles: 0, repeats: 0 };
  let waiting = [...delivery.items.keys()];
  while (waiting.length > 0) {
    const before = delivery.requests();
    const answers = await unlessStopped(
      () => unlessRefused(() => answersOf(delivery, itemsAt(delivery.items, waiting), patience.quota)),
      patience,
    );
    if (answers instanceof Refused) {
      waiting = withoutRefused(waiting, answers, { items: delivery.items, outcomes });
      continue;
    }
    if (answers === undefined) {
      // why: a request that was sent before the stop may have happened
      const came: Outcome | undefined = delivery.requests() > before ? { as: 'open', failure: stopped } : undefined;
      return outcomes.map((outcome, at) => (waiting.includes(at) ? (came ?? outcome) : outcome));
    }
    const nexts = waiting.map((_, i) => nextOf(answers[i] ?? unanswered, delivery, tries, patience.ports.random()));
    for (const [i, at] of waiting.entries())
      outcomes[at] = keepOpen(outcomes[at], meanwhileOf(nexts[i]), waiting.length === 1);
    waiting = waiting.filter((_, i) => nexts[i]?.as === 'again');
    const rested = await unlessStopped(() => rest(nexts.filter(isAgain), tries, patience), patience);
    if (rested === undefined) return outcomes;
  }
  return outcomes;
}

async function unlessRefused<R>(work: () => Promise<R>): Promise<R | Refused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

interface Sending<T> {
  readonly items: readonly T[];
  readonly outcomes: Outcome[];
}

/**
 * The items that may still be sent: the others of the call, where nothing of it has left. An item that was sent once is sent
 * again with the same others, so with one of them refused it is not.
 */
function withoutRefused<T>(waiting: readonly number[], refused: Refused, { items, outcomes }: Sending<T>): number[] {
  const cut = refused.partly || waiting.some((at) => outcomes[at]?.as === 'open');
  for (const at of waiting) {
    const reason = itemsAt(items, [at]).map((item) => refused.reasons.get(item))[0];
    if (refused.partly) outcomes[at] = { as: 'open', failure: cutShort };
    else if (reason !== undefined || cut) outcomes[at] = keepOpen(outcomes[at], reason ?? unsent);
  }
  return cut ? [] : waiting.filter((at) => outcomes[at]?.as !== 'withheld');
}

/** Without a secret that one item needs none of them is created; requests sent before that was known may have happened. */
async function answersOf<T>(
  { call, requests }: Delivery<T>,
  items: readonly T[],
  { refusal }: QuotaState,
): Promise<readonly Result<unknown>[]> {
  if (refusal) return items.map(() => ({ ok: false, failure: refusal }));
  const before = requests();
  try {
    return await call(items);
  } catch (error) {
    if (!(error instanceof SecretUnread)) throw error;
    const { code, message } = error.failure;
    const kind = requests() > before ? 'ambiguous' : 'terminal';
    return items.map(() => ({ ok: false, failure: { kind, code, message } }));
  }
}

async function unlessStopped<R>(work: () => Promise<R>, { waits }: Patience): Promise<R | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error, waits)) return undefined;
    throw error;
  }
}

const itemsAt = <T>(items: readonly T[], positions: readonly number[]): readonly T[] =>
  positions.flatMap((at) => items.slice(at, at + 1));

function nextOf<T>(
  result: Result<unknown>,
  { sent, repeatable }: Delivery<T>,
  tries: Tries,
  jitter: number,
): Outcome | Again {
  if (result.ok) return { as: 'done', ...(isObserved(result.value) ? { observed: result.value } : {}) };
  const { failure } = result;
  const verdict = judge(failure, sent, tries.attempts, jitter);
  switch (verdict.do) {
    case 'done':
      return done;
    case 'give-up':
      return { as: 'failed', failure };
    case 'retry':
      // why: clouds answer 5xx to what they did all the same; whatever may be sent again must be taken to have happened
      return {
        as: 'again',
        because: 'attempts',
        afterMs: verdict.afterMs,
        meanwhile: repeatable ? { as: 'open', failure } : unsent,
      };
    case 'slow-down':
      if (tries.throttles >= mostThrottles) return { as: 'stale', failure };
      // why: the rate limit was slowed when the answer was reported, and the next request waits for it there
      return { as: 'again', because: 'throttles', afterMs: 0, meanwhile: unsent };
    case 'replan':
      if (failure.kind !== 'ambiguous') return { as: 'stale', failure };
      if (!repeatable || tries.repeats >= mostRepeats) return { as: 'open', failure };
      return {
        as: 'again',
        because: 'repeats',
        afterMs: backoff(tries.repeats + 1, jitter),
        meanwhile: { as: 'open', failure },
      };
  }
}

const isObserved = (value: unknown): value is Observed => typeof value === 'object' && value !== null && 'id' in value;
const isAgain = (next: Outcome | Again): next is Again => next.as === 'again';
const meanwhileOf = (next: Outcome | Again | undefined): Outcome =>
  next === undefined || !isAgain(next) ? (next ?? unsent) : next.meanwhile;

/**
 * An item that may have happened once stays open, whatever a later request was answered, unless that was success. People get
 * the later answer: it has the advice. `alone`: only then a cloud's answer that it has ended is about this very item.
 */
function keepOpen(before: Outcome | undefined, now: Outcome, alone = false): Outcome {
  if (before?.as !== 'open' || now.as === 'done') return now;
  if (alone && 'failure' in now && now.failure.ended) return now;
  return 'failure' in now ? { as: 'open', failure: now.failure } : before;
}

async function rest(again: readonly Again[], tries: Tries, { ports, waits, notify }: Patience): Promise<'rested'> {
  if (again.length === 0) return 'rested';
  for (const because of new Set(again.map((next) => next.because))) tries[because] += 1;
  const forMs = Math.max(...again.map(({ afterMs }) => afterMs));
  if (forMs === 0) return 'rested';
  await wait({ why: 'backoff', detail: `${again.length} to send again`, forMs }, { clock: ports.clock, waits, notify });
  return 'rested';
}

/** One call, one request id, the same refusal for all: perhaps only one of them deserved it. Never where an answer is missing. */
function refusedTogether(outcomes: readonly Outcome[]): boolean {
  const [first] = outcomes;
  if (outcomes.length < 2 || (first?.as !== 'failed' && first?.as !== 'stale')) return false;
  const { requestId } = first.failure;
  if (requestId === undefined) return false;
  return outcomes.every(
    (outcome) => (outcome.as === 'failed' || outcome.as === 'stale') && outcome.failure.requestId === requestId,
  );
}

const stopped: Failure = { kind: 'ambiguous', code: 'Stopped', message: 'the reconcile ended before the answer came' };

const cutShort: Failure = {
  kind: 'ambiguous',
  code: 'CutShort',
  message: 'people stopped it when a part of it had been sent',
};

/** An item the actuator did not answer for is a broken promise, and is never taken for success. */
const unanswered: Result<never> = {
  ok: false,
  failure: { kind: 'ambiguous', code: 'Unanswered', message: 'the actuator gave no result for this item' },
};

/** Outcomes of those that were sent, by their places; `full`: not one more fits. */
interface Bisected {
  readonly outcomes: ReadonlyMap<number, Outcome>;
  readonly full: boolean;
}

/**
 * As many as fit of what does not fit all together, by halving: so many sendings as the number has binary digits. From the
 * end, so that none begins with an item that a refused one began with, whose token the cloud may remember. Ends early where
 * a sending is refused for anything else.
 */
async function bisectBatch<T>(
  items: readonly T[],
  send: (some: readonly T[]) => Promise<readonly Outcome[]>,
): Promise<Bisected> {
  const outcomes = new Map<number, Outcome>();
  let left = items.length;
  let tooMany = items.length;
  while (tooMany > 1) {
    const size = Math.floor(tooMany / 2);
    const from = left - size;
    const came = await send(items.slice(from, left));
    for (const [i, outcome] of came.entries()) outcomes.set(from + i, outcome);
    if (came.every(({ as }) => as === 'done')) {
      left = from;
      tooMany -= size;
    } else if (came.every(isOverQuota)) tooMany = size;
    else return { outcomes, full: false };
  }
  return { outcomes, full: true };
}

const isOverQuota = (outcome: Outcome): outcome is Extract<Outcome, { readonly as: 'failed' }> =>
  outcome.as === 'failed' && outcome.failure.quota === true;

/** Thrown instead of a request: these may not be sent any more. `partly`: a request of the same call had left before. */
export class Refused extends Error {
  readonly reasons: ReadonlyMap<unknown, Withheld>;
  readonly partly: boolean;

  constructor(reasons: ReadonlyMap<unknown, Withheld>, partly: boolean) {
    super('people no longer let this be done: it was not sent');
    this.name = 'Refused';
    this.reasons = reasons;
    this.partly = partly;
  }
}
