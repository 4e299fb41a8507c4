import type { Action, Batch } from '../core/action.ts';
import type { Failure } from '../core/failure.ts';
import { type Birth, isUnproven, minReadyOf, mostFailedBirths } from '../core/knowledge.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Observed } from '../core/observed.ts';
import { isJoining } from '../core/order/moves.ts';
import { type Address, type CloudId, documentOfReplica, nameIn } from '../core/resource.ts';
import { ListingFailed } from '../ports/provider.ts';
import { type Awaited, awaitState } from './await-state.ts';
import { isCancellation, unlessLeaseLost, wait } from './control.ts';
import type { ExecutionContext } from './execution-context.ts';
import { earlierBatch, type Item, observedOf } from './intent.ts';
import { launchObstacle } from './launch-check.ts';
import { done, type Outcome, unsent } from './ports.ts';
import { send } from './send.ts';

/** Machines of a document that were not ready when this reconcile observed them. */
export type Unready = (document: string, minReadyMs: number) => readonly CloudId[];

export interface BatchRun {
  readonly context: ExecutionContext;
  readonly unready: Unready;
  /** True where another action waits for this one, so that it counts as done only when the machine is up, or gone. */
  readonly awaited: (action: Action) => boolean;
  /** The observed resource of an id: of a successor of an earlier reconcile. */
  readonly seen: (id: CloudId) => Observed | undefined;
}

/** One batch, to its end. A stop leaves what was not sent `unsent`. */
export async function runBatch(batch: Batch, run: BatchRun): Promise<readonly Outcome[]> {
  const { kind, verb, actions } = batch;
  run.context.notify?.({ at: 'acting', kind, verb, addresses: actions.map(({ address }) => address) });
  return unsentAfterStop(actions, run.context, () => act(batch, run));
}

/** Begins the grace of these. A stop leaves what was not recorded `unsent`. */
export const recordTombstones = (actions: readonly Action[], context: ExecutionContext): Promise<readonly Outcome[]> =>
  unsentAfterStop(actions, context, () => send(itemsOf(actions, 'tombstone'), context));

async function unsentAfterStop(
  actions: readonly Action[],
  context: ExecutionContext,
  work: () => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  try {
    return await work();
  } catch (error) {
    if (!isCancellation(error, context.cancellation.waits)) throw error;
    context.cancellation.stop(error instanceof Error ? error.message : 'the reconcile ended');
    return actions.map(() => unsent);
  }
}

async function act({ verb, actions }: Batch, run: BatchRun): Promise<readonly Outcome[]> {
  switch (verb) {
    case 'replace':
      return Promise.all(actions.map((action) => replace(action, run)));
    case 'update':
    case 'create':
    case 'delete':
      return complete(actions, verb, run);
    case 'adopt':
    case 'forget':
      return send(itemsOf(actions, verb), run.context);
  }
}

const itemsOf = (actions: readonly Action[], verb: Item['verb']): readonly Item[] =>
  actions.map((action) => ({ action, verb }));

/** Sends, and waits for machines that others wait for. */
async function complete(
  actions: readonly Action[],
  verb: 'create' | 'update' | 'delete',
  run: BatchRun,
): Promise<readonly Outcome[]> {
  const [first] = actions;
  const stops = first?.verb === 'update' && first.effect === 'stops';
  const unready = stops ? await othersUnready(first, run) : undefined;
  if (unready) return actions.map(() => unready);
  const outcomes = await sendPossible(actions, verb, run.context);
  if (first?.kind !== 'instance' || !(stops || actions.some((action) => run.awaited(action) && !isJoining(action))))
    return outcomes;
  const ids = actions.map((action, i) => idDone(action, outcomes[i]));
  const awaited = verb === 'delete' ? ({ state: 'gone' } as const) : readinessOf(actions);
  const missed = await awaitState({ ids: ids.filter((id) => id !== undefined), ...awaited }, run.context);
  return outcomes.map((outcome, i) => afterWaiting(outcome, missed.get(ids[i] ?? '')));
}

/** Sends those that the cloud has nothing against, and nothing of the others. */
async function sendPossible(
  actions: readonly Action[],
  verb: 'create' | 'update' | 'delete',
  context: ExecutionContext,
): Promise<readonly Outcome[]> {
  const obstacles = await Promise.all(actions.map((action) => launchObstacle(action, context)));
  const possible = actions.filter((_, i) => obstacles[i] === undefined);
  const outcomes = new Map(zip(possible, await sendOrLaunch(possible, verb, context)));
  return actions.map((action, i) => obstacles[i] ?? outcomes.get(action) ?? unsent);
}

function sendOrLaunch(
  actions: readonly Action[],
  verb: 'create' | 'update' | 'delete',
  context: ExecutionContext,
): Promise<readonly Outcome[]> {
  // why: a batch is of one kind and one verb
  const launches = actions.flatMap((action) =>
    action.verb === 'create' && action.kind === 'instance' ? [action] : [],
  );
  return launches.length > 0 ? launch(launches, context) : send(itemsOf(actions, verb), context);
}

const zip = (actions: readonly Action[], outcomes: readonly Outcome[]): readonly (readonly [Action, Outcome])[] =>
  actions.map((action, i) => [action, outcomes[i] ?? unsent]);

/** Settled, but what waits for it must not go on. */
const afterWaiting = (outcome: Outcome, failure: Failure | undefined): Outcome =>
  failure === undefined ? outcome : { as: 'failed', failure };

/**
 * The readiness rule for the machines that these actions create or start: the longest time that any of their documents asks
 * for.
 */
function readinessOf(actions: readonly Action[]): Omit<Awaited, 'ids'> {
  if (!actions.every(isToRun)) return { state: 'ready' };
  const launched = actions.every(({ verb }) => verb !== 'update');
  return { state: 'ready', launched, minReadyMs: Math.max(...actions.map(minReadyIn)) };
}

const minReadyIn = (action: Action): number => ('desired' in action ? minReadyOf(action.desired.terms) : 0);

function isToRun(action: Action): boolean {
  if (!('desired' in action)) return false;
  const { attributes } = action.desired;
  return 'machine' in attributes && attributes.machine.power === 'running';
}

function idDone(action: Action, outcome: Outcome | undefined): CloudId | undefined {
  if (outcome?.as !== 'done') return undefined;
  if (outcome.observed) return isReadyNow(action, outcome.observed) ? undefined : outcome.observed.id;
  return 'observed' in action ? action.observed.id : undefined;
}

/** One that is to stand still has nothing to prove. */
const isReadyNow = (action: Action, { condition }: Observed): boolean =>
  condition.state === 'ready' && !isToRun(action);

/** One at a time in a document: it is ready, or has failed, before another one of the document changes. */
async function replace(action: Action, run: BatchRun): Promise<Outcome> {
  if (action.kind !== 'instance' || action.verb !== 'replace') return irreplaceable;
  return (await othersUnready(action, run)) ?? replaceMachine(action, run);
}

/** Between the two steps nothing would exist: a rule would leave a gap, and other objects would lose their contents. */
const irreplaceable: Outcome = {
  as: 'failed',
  failure: { kind: 'terminal', code: 'NotReplaceable', message: 'only machines are replaced' },
};

/**
 * At most one machine of a document is down: one that still comes up is awaited first. Returns the outcome of the waiting
 * action, where that one does not come up; the next observation shows one that died, and it is created again before this one
 * changes.
 */
async function othersUnready(action: Action, { context, unready }: BatchRun): Promise<Outcome | undefined> {
  if (action.kind !== 'instance') return undefined;
  const successor = action.verb === 'replace' ? action.surge?.successor : undefined;
  const own = [observedOf(action).id, successor];
  const minReadyMs = minReadyIn(action);
  const ids = unready(documentOfReplica(action.address), minReadyMs).filter((id) => !own.includes(id));
  const [failure] = (await awaitState({ ids, state: 'ready', minReadyMs }, context)).values();
  return failure && { as: failure.code === 'NotReady' ? 'failed' : 'stale', failure };
}

/** The time that listings have to show new rules; the next reconcile finds the others. */
const pausesMs = [0, 1000, 2000, 4000, 8000];

/** Of these new rules, those that the cloud lists: an answer to a call is not proof enough to take away what they replace. */
export async function verify(made: ReadonlySet<CloudId>, context: ExecutionContext): Promise<ReadonlySet<CloudId>> {
  const seen = new Set<CloudId>();
  try {
    for (const pauseMs of pausesMs) {
      if (seen.size === made.size) break;
      const waiter = { clock: context.ports.clock, waits: context.cancellation.waits, notify: context.notify };
      if (pauseMs > 0) await wait({ why: 'visible', detail: 'new rules', forMs: pauseMs }, waiter);
      const listed = await listedRules(context);
      for (const id of made) if (listed.has(id)) seen.add(id);
    }
  } catch (error) {
    if (!isCancellation(error, context.cancellation.waits)) throw error;
  }
  return seen;
}

async function listedRules({ at, calls }: ExecutionContext): Promise<ReadonlySet<CloudId>> {
  const ids = new Set<CloudId>();
  try {
    for await (const page of at.site.session.actuators['firewall-rule'].list(calls.reading())) {
      for (const { id } of page) ids.add(id);
    }
  } catch (error) {
    if (!(error instanceof ListingFailed)) throw error;
  }
  return ids;
}

/**
 * Replaces one machine. By `surge` the successor comes up before its predecessor ends; after a crash at any step, the next
 * observation resumes the work by what it shows (core/plan/succession.ts).
 *
 *   stopped after                  | the store knows                    | the next reconcile
 *   -------------------------------+------------------------------------+----------------------------------------------------
 *   the intent to launch           | an open creation, `successorOf`    | looks for it by its mark; sends it again with its token
 *   the launch                     | the same, or a settled successor   | waits for it to be ready, then ends the predecessor
 *   it is ready                    | a settled successor                | ends the predecessor
 *   the intent to end predecessor  | both, and an open deletion         | ends it again: nothing is ended twice
 *   the predecessor has ended      | the successor alone                | nothing
 *   the successor has failed       | both, the successor dead or gone   | lets it go; the predecessor stays, and is replaced anew
 *
 * Both halves take one place of the limits, the predecessor's; a failed successor is ended under it. By `recreate` the old machine
 * ends first: where a name or an address is not to be had twice.
 */
async function replaceMachine(action: Replacement, { context, seen }: BatchRun): Promise<Outcome> {
  const { surge } = action;
  if (surge === undefined) return recreate(action, context);
  if (surge.successor !== undefined) {
    const successor = seen(surge.successor);
    return successor === undefined ? vanished : succeed(action, successor, context);
  }
  const obstacle = await launchObstacle(action, context);
  if (obstacle !== undefined) return obstacle;
  const [made = unsent] = await send([{ action, verb: 'create' }], context);
  if (made.as !== 'done' || made.observed?.kind !== 'instance') return made;
  return succeed(action, made.observed, context);
}

type Replacement = Extract<Action, { readonly verb: 'replace' }>;

/** Only a planner that names what it has not seen could make this happen; nothing is launched beside it. */
const vanished: Outcome = {
  as: 'stale',
  failure: { kind: 'conflict', code: 'NotSeen', message: 'the successor is not seen any more' },
};

async function recreate(action: Replacement, context: ExecutionContext): Promise<Outcome> {
  const obstacle = await launchObstacle(action, context);
  if (obstacle !== undefined) return obstacle;
  const [gone = unsent] = await send([{ action, verb: 'delete' }], context);
  if (gone.as !== 'done') return gone;
  const [made = unsent] = await send([{ action, verb: 'create' }], context);
  if (made.as !== 'done' || made.observed === undefined) return made;
  const failure = await unreadiness(made.observed, action, context);
  return failure === undefined ? made : { as: 'failed', failure };
}

/** The successor stands: once it is ready its predecessor ends; if it never will be, it ends itself. */
async function succeed(action: Replacement, successor: Observed, context: ExecutionContext): Promise<Outcome> {
  const failure = await unreadiness(successor, action, context);
  if (failure !== undefined) return withdraw(action, { successor, failure }, context);
  const [gone = unsent] = await send([{ action, verb: 'delete' }], context);
  if (gone.as === 'done') return done;
  return 'failure' in gone ? { ...gone, failure: named(gone.failure, bothStand(action, successor)) } : gone;
}

const bothStand = (action: Replacement, successor: Observed): string =>
  `${successor.id} is ready and takes the place of ${action.observed.id}, which could not be ended: both stand`;

/** The reason that a launched machine is not ready; undefined where it is. One that shall be stopped need not run. */
async function unreadiness(
  machine: Observed,
  action: Replacement,
  context: ExecutionContext,
): Promise<Failure | undefined> {
  const { attributes, terms } = action.desired;
  const isToRun = 'machine' in attributes && attributes.machine.power === 'running';
  if (!isToRun && machine.condition.state === 'ready') return undefined;
  const how = isToRun ? { launched: true, minReadyMs: minReadyOf(terms) } : {};
  const missed = await awaitState({ ids: [machine.id], state: 'ready', ...how }, context);
  return missed.get(machine.id);
}

interface Failed {
  readonly successor: Observed;
  readonly failure: Failure;
}

/** Under the place that the replacement has taken: it destroys nothing that anybody used. It is a failed birth of its document. */
async function withdraw(
  action: Replacement,
  { successor, failure }: Failed,
  context: ExecutionContext,
): Promise<Outcome> {
  const { kind, address, documents, cause } = action;
  const about = { kind, address, documents, cause } as const;
  const removal: Action = { ...about, verb: 'delete', observed: successor, because: 'withdrawn' };
  const reason = `${successor.id} was ended by its replacement soon after its launch, and had not been ready for long enough: ${failure.message}`;
  const verdict = { id: successor.id, as: 'failed', why: reason, wasReady: false } as const;
  await unlessLeaseLost(() => context.ports.inventory.births(context.at.authorization.reconcile, [verdict]));
  const [gone = unsent] = await send([{ action: removal, verb: 'delete' }], context);
  const name = `${kind} ${nameIn(address, kind)}`;
  const end = gone.as === 'done' ? 'it was ended' : 'it could not be ended, and is tried again';
  const why = `successor ${successor.id} of ${name} did not become ready; ${end}, and ${action.observed.id} stays`;
  return { as: 'failed', failure: named(failure, why) };
}

const named = (failure: Failure, why: string): Failure => ({ ...failure, message: `${why}. ${failure.message}` });

type Launch = Extract<Action, { readonly verb: 'create' }>;

/**
 * Launches machines: of each document three at first, and the others once one of its machines is ready, so that an image that
 * does not come up costs three launches however many replicas are asked for. A document with `minReady: 0` launches all at once.
 * One outcome per action, in order.
 */
async function launch(actions: readonly Launch[], context: ExecutionContext): Promise<readonly Outcome[]> {
  const turns = [...Map.groupBy(actions, ({ address }) => documentOfReplica(address))].map(([document, all]) =>
    turnsOf(document, all, context),
  );
  const first = turns.flatMap((turn) => turn.first);
  const sent = await send(
    first.map((action) => ({ action, verb: 'create' })),
    context,
  );
  const outcomes = new Map<Action, Outcome>(first.map((action, i) => [action, sent[i] ?? { as: 'unsent' }]));
  await Promise.all(turns.map((turn) => launchRest(turn, outcomes, context)));
  return actions.map((action) => outcomes.get(action) ?? { as: 'unsent' });
}

interface Turns {
  readonly first: readonly Launch[];
  readonly rest: readonly Launch[];
  /** Machines of the same content that earlier reconciles launched, and that may still become ready. */
  readonly before: readonly CloudId[];
}

function turnsOf(document: Address, all: readonly Launch[], { known: { knowledge }, ports }: ExecutionContext): Turns {
  const [one] = all;
  const minReadyMs = one === undefined ? 0 : minReadyOf(one.desired.terms);
  if (one === undefined || minReadyMs === 0) return { first: all, rest: [], before: [] };
  const wanted = canonical(one.desired.attributes);
  const alike = (knowledge.births ?? []).filter(
    ({ address, attributes }) => documentOfReplica(address) === document && canonical(attributes) === wanted,
  );
  const unproven = alike.filter((birth) => isUnproven(birth, minReadyMs, ports.clock.now()));
  const isProven = alike.some((birth) => birth.failed === undefined && !unproven.includes(birth));
  if (isProven) return { first: all, rest: [], before: [] };
  // why: an item that may have been sent is sent again in the same batch
  const again = all.filter(({ address }) => earlierBatch(address, knowledge) !== undefined);
  const fresh = all.filter((action) => !again.includes(action));
  const quota = Math.max(0, mostFailedBirths - alike.filter(hasFailed).length - unproven.length - again.length);
  const before = unproven.map(({ id }) => id);
  return { first: [...again, ...fresh.slice(0, quota)], rest: fresh.slice(quota), before };
}

const hasFailed = ({ failed }: Birth): boolean => failed !== undefined;

async function launchRest(
  { first, rest, before }: Turns,
  outcomes: Map<Action, Outcome>,
  context: ExecutionContext,
): Promise<void> {
  const [one] = rest;
  if (one === undefined) return;
  const made = new Map(
    first.flatMap((action) => {
      const outcome = outcomes.get(action);
      return outcome?.as === 'done' && outcome.observed ? [[outcome.observed.id, action] as const] : [];
    }),
  );
  const ids = [...made.keys(), ...before];
  const { terms, attributes } = one.desired;
  const launched = 'machine' in attributes && attributes.machine.power === 'running';
  const how = launched ? { launched, minReadyMs: minReadyOf(terms) } : {};
  const missed = await awaitState({ ids, state: 'ready', ...how }, context);
  for (const [id, failure] of missed) {
    const action = made.get(id);
    if (action) outcomes.set(action, { as: 'failed', failure });
  }
  const sent = ids.some((id) => !missed.has(id))
    ? await send(
        rest.map((action) => ({ action, verb: 'create' })),
        context,
      )
    : rest.map(() => untried);
  for (const [i, action] of rest.entries()) outcomes.set(action, sent[i] ?? { as: 'unsent' });
}

const untried: Outcome = {
  as: 'withheld',
  code: 'depends',
  why: 'the first machines of its document are not ready; it is launched once one of them is.',
};
