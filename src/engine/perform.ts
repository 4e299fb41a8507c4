import type { Action } from '../core/action.ts';
import { documentOfReplica } from '../core/address.ts';
import type { Batch } from '../core/pack.ts';
import type { CloudId } from '../core/resource.ts';
import { awaitState } from './await-state.ts';
import type { Desk } from './desk.ts';
import { type Item, observedOf } from './draft.ts';
import { isStop } from './halt.ts';
import { done, type Outcome, unsent } from './outcome.ts';
import { send } from './send.ts';

/** Machines of a document that were not ready when this pass looked. */
export type Unready = (document: string) => readonly CloudId[];

export interface Performance {
  readonly desk: Desk;
  readonly unready: Unready;
  /** Whether another action waits for this one, so that it counts as done only when the machine is up, or gone. */
  readonly awaited: (action: Action) => boolean;
}

/** One batch, to its end. A stop leaves what was not sent `unsent`. */
export async function perform(batch: Batch, performance: Performance): Promise<readonly Outcome[]> {
  const { kind, verb, actions } = batch;
  performance.desk.tell?.({ at: 'acting', kind, verb, addresses: actions.map(({ address }) => address) });
  try {
    return await act(batch, performance);
  } catch (error) {
    if (!isStop(error, performance.desk.halt.waits)) throw error;
    performance.desk.halt.stop(error instanceof Error ? error.message : 'the pass ended');
    return actions.map(() => unsent);
  }
}

async function act({ verb, actions }: Batch, performance: Performance): Promise<readonly Outcome[]> {
  switch (verb) {
    case 'replace':
      return Promise.all(actions.map((action) => replace(action, performance)));
    case 'update':
    case 'create':
    case 'delete':
      return complete(actions, verb, performance);
    case 'adopt':
    case 'forget':
      return send(itemsOf(actions, verb), performance.desk);
  }
}

const itemsOf = (actions: readonly Action[], verb: Item['verb']): readonly Item[] =>
  actions.map((action) => ({ action, verb }));

/** Sends, and waits for machines that others wait for. */
async function complete(
  actions: readonly Action[],
  verb: 'create' | 'update' | 'delete',
  performance: Performance,
): Promise<readonly Outcome[]> {
  const [first] = actions;
  const stops = first?.verb === 'update' && first.effect === 'stops';
  if (stops) await othersReady(first, performance);
  const outcomes = await send(itemsOf(actions, verb), performance.desk);
  if (first?.kind !== 'instance' || !(stops || actions.some(performance.awaited))) return outcomes;
  const ids = actions.flatMap((action, i) => idsDone(action, outcomes[i]));
  const reached = await awaitState('instance', ids, verb === 'delete' ? 'gone' : 'ready', performance.desk);
  return reached ? outcomes : outcomes.map((outcome) => (outcome.as === 'done' ? late : outcome));
}

function idsDone(action: Action, outcome: Outcome | undefined): readonly CloudId[] {
  if (outcome?.as !== 'done') return [];
  if (outcome.observed) return outcome.observed.condition.state === 'ready' ? [] : [outcome.observed.id];
  return 'observed' in action ? [action.observed.id] : [];
}

/** Settled, but what waits for it must not go on. */
const late: Outcome = {
  as: 'failed',
  failure: { kind: 'terminal', code: 'NotReady', message: 'the machine did not come to its state in ten minutes' },
};

/** The old one goes, the new one comes, and is up before anybody else of its document is touched. */
async function replace(action: Action, performance: Performance): Promise<Outcome> {
  const { desk } = performance;
  if (action.kind !== 'instance') return irreplaceable;
  await othersReady(action, performance);
  const [gone = unsent] = await send([{ action, verb: 'delete' }], desk);
  if (gone.as !== 'done') return gone;
  const [made = unsent] = await send([{ action, verb: 'create' }], desk);
  if (made.as !== 'done' || !made.observed) return made;
  if (made.observed.condition.state === 'ready') return done;
  return (await awaitState('instance', [made.observed.id], 'ready', desk)) ? made : late;
}

/** Between the two nothing would stand: for a rule that is a gap, for all else a loss of what stands in it. */
const irreplaceable: Outcome = {
  as: 'failed',
  failure: { kind: 'terminal', code: 'NotReplaceable', message: 'only machines are replaced' },
};

/** One machine of a document is down at most: one that still comes up is waited for first. */
async function othersReady(action: Action, { desk, unready }: Performance): Promise<void> {
  if (action.kind !== 'instance') return;
  const own = observedOf(action).id;
  const others = unready(documentOfReplica(action.address)).filter((id) => id !== own);
  await awaitState('instance', others, 'ready', desk);
}
