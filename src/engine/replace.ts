import type { Action } from '../core/action.ts';
import type { Failure } from '../core/failure.ts';
import { minReadyOf } from '../core/knowledge.ts';
import type { Observed } from '../core/observed.ts';
import { type CloudId, nameIn } from '../core/resource.ts';
import { awaitState } from './await-state.ts';
import { unlessLeaseLost } from './cancellation.ts';
import type { ExecutionContext } from './execution-context.ts';
import { launchObstacle } from './launch-check.ts';
import { done, type Outcome, unsent } from './ports.ts';
import { send } from './send.ts';

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
export async function replaceMachine(action: Replacement, { context, seen }: Replacing): Promise<Outcome> {
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

export interface Replacing {
  readonly context: ExecutionContext;
  /** The observed resource of an id: of a successor of an earlier reconcile. */
  readonly seen: (id: CloudId) => Observed | undefined;
}

export type Replacement = Extract<Action, { readonly verb: 'replace' }>;

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
  const told = `${successor.id} was ended by its replacement soon after its launch, and had not been ready for long enough: ${failure.message}`;
  const verdict = { id: successor.id, as: 'failed', why: told, wasReady: false } as const;
  await unlessLeaseLost(() => context.ports.inventory.births(context.at.authorization.reconcile, [verdict]));
  const [gone = unsent] = await send([{ action: removal, verb: 'delete' }], context);
  const name = `${kind} ${nameIn(address, kind)}`;
  const end = gone.as === 'done' ? 'it was ended' : 'it could not be ended, and is tried again';
  const why = `successor ${successor.id} of ${name} did not become ready; ${end}, and ${action.observed.id} stays`;
  return { as: 'failed', failure: named(failure, why) };
}

const named = (failure: Failure, why: string): Failure => ({ ...failure, message: `${why}. ${failure.message}` });
