import type { Action } from '../core/action.ts';
import { type Birth, isUnproven, minReadyOf, mostFailedBirths } from '../core/knowledge.ts';
import { canonical } from '../core/ledger/canonical.ts';
import { type Address, type CloudId, documentOfReplica } from '../core/resource.ts';
import { awaitState } from './await-state.ts';
import type { ExecutionContext } from './execution-context.ts';
import { earlierBatch } from './intent.ts';
import type { Outcome } from './ports.ts';
import { send } from './send.ts';

type Launch = Extract<Action, { readonly verb: 'create' }>;

/**
 * Launches machines: of each document three at first, and the others once one of its machines is ready, so that an image that
 * does not come up costs three launches however many replicas are asked for. A document with `minReady: 0` launches all at once.
 * One outcome per action, in order.
 */
export async function launch(actions: readonly Launch[], context: ExecutionContext): Promise<readonly Outcome[]> {
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
  // why: what may have been sent is sent again with those it was sent with
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
