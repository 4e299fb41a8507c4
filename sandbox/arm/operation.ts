import { errorBody, refused } from './errors.ts';
import type { Asked } from './method.ts';
import { freshGuid } from './resource-id.ts';
import type { Operation, OperationPlace, Outcome, Subscription } from './subscription.ts';

/** The work of a write that continues after its answer. */
interface Work {
  readonly place: OperationPlace;
  readonly on: string;
  readonly ms: number;
  /** Runs when the time has come; what it throws is a defect, not a failure of the operation. */
  readonly succeed: () => void;
  /** Instead of `succeed`, when a fault makes the operation fail. */
  readonly fail: () => void;
}

/** Starts an operation. The answer must carry its headers. */
export function begin(asked: Asked, work: Work): Readonly<Record<string, string>> {
  const { subscription, now, answerFaults } = asked;
  const operation: Operation = {
    id: freshGuid(subscription.random),
    place: work.place,
    on: work.on,
    time: { started: now, due: now + work.ms },
    outcome: { status: 'InProgress' },
  };
  subscription.operations.set(operation.id, operation);
  subscription.running.set(work.on, operation);
  const { failure } = answerFaults;
  const end = (): void => {
    subscription.running.delete(work.on);
    const outcome: Outcome = failure ? { status: 'Failed', refusal: failure } : { status: 'Succeeded' };
    subscription.operations.set(operation.id, { ...operation, outcome });
    if (failure) work.fail();
    else work.succeed();
  };
  if (work.ms > 0) subscription.timeline.schedule(now + work.ms, end);
  else end();
  return operationHeaders(asked, operation);
}

/** Headers of the answer that starts an operation: the URLs to poll, and the interval. */
export function operationHeaders(asked: Asked, { id, place }: Operation): Readonly<Record<string, string>> {
  const url = (collection: string): string => operationUrl(asked, place, `${collection}/${id}`);
  return {
    'azure-asyncoperation': url('operations'),
    location: url('operationResults'),
    ...retryAfter(asked),
  };
}

/** When to poll next, as the first answer and each poll say it. */
export function retryAfter({ subscription }: Asked): Readonly<Record<string, string>> {
  return subscription.retryAfter > 0 ? { 'retry-after': String(subscription.retryAfter) } : {};
}

export function operationUrl(
  { subscription, request }: Asked,
  { namespace, location }: OperationPlace,
  rest: string,
): string {
  const version = request.query['api-version'] ?? '';
  return `${request.origin}/subscriptions/${subscription.id}/providers/${namespace}/locations/${location}/${rest}?api-version=${version}`;
}

/** The answer to a poll of the operation's own URL. */
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
