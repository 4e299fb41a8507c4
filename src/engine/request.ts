import type { Result } from '../core/failure.ts';
import { isKept } from '../core/kinds/kept-fields.ts';
import type { Mark } from '../core/observed.ts';
import type { Call, Creation, Removal, Revision } from '../ports/provider.ts';
import type { ExecutionContext } from './execution-context.ts';
import { desiredOf, type Item, observedOf } from './intent.ts';
import { hasToken } from './replay.ts';

/** An item whose intent is committed. All of one sending are of one kind and verb. */
export interface Ready {
  readonly item: Item;
  readonly intent: string;
  readonly attempt: number;
}

/** Sends all of it to the actuator of its kind. */
export function callActuator(
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
      return Promise.resolve(ready.map(() => ({ ok: true, value: undefined })));
  }
}

function creationOf({ item, intent, attempt }: Ready, context: ExecutionContext): Creation {
  const desired = desiredOf(item.action);
  const attributes = context.known.ids.translate(desired.kind, desired.attributes);
  // why: a launch that is sent again must say what it said before, word for word; the ledger counts its attempts
  const told = hasToken(desired.kind, context.at.site.holds.oneByName) ? 1 : attempt;
  return { token: intent, mark: markOf(item, context, { intent, attempt: told }), desired: { ...desired, attributes } };
}

function revisionOf({ item, intent, attempt }: Ready, context: ExecutionContext): Revision {
  const { ids } = context.known;
  const [desired, observed] = [desiredOf(item.action), observedOf(item.action)];
  const changes = 'changes' in item.action ? item.action.changes : [];
  const fixed = context.at.site.holds.fixedMarks.includes(desired.kind);
  const marks = !fixed && (item.verb === 'adopt' || changes.some(({ field }) => field === 'mark'));
  return {
    desired: { ...desired, attributes: ids.translate(desired.kind, desired.attributes) },
    observed: { ...observed, attributes: ids.translate(observed.kind, observed.attributes) },
    changes: changes.filter(({ field }) => field !== 'mark' && !isKept(field)),
    ...(marks ? { mark: markOf(item, context, { intent, attempt }) } : {}),
  };
}

function removalOf(item: Item, { known }: ExecutionContext): Removal {
  const observed = observedOf(item.action);
  const attributes = known.ids.translate(observed.kind, observed.attributes);
  return { id: observed.id, observed: { ...observed, attributes } };
}

function markOf(
  { action }: Item,
  { known, at }: ExecutionContext,
  intent: { readonly intent: string; readonly attempt: number },
): Mark {
  const { address, terms } = desiredOf(action);
  const { estate } = at.authorization.reconcile;
  const { store = '' } = known.knowledge;
  return { estate, store, address, deletionPolicy: terms.deletionPolicy, ...intent };
}
