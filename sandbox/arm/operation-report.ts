import { errorBody, refused } from './errors.ts';
import type { Operation, Subscription } from './subscription.ts';

/** What a poll of the operation's own URL answers. */
export function operationBody({ id, time, outcome }: Operation): object {
  const times = {
    startTime: new Date(time.started).toISOString(),
    ...(outcome.status === 'InProgress' ? {} : { endTime: new Date(time.due).toISOString() }),
  };
  const error = outcome.status === 'Failed' ? errorBody(outcome.refusal) : {};
  return { name: id, status: outcome.status, ...times, ...error };
}

export function operationOf(subscription: Subscription, id: string): Operation {
  const found = subscription.operations.get(id.toLowerCase());
  if (!found) throw refused('NotFound', `Operation ${id} not found.`, { details: [] });
  return found;
}
