import { freshGuid } from './guid.ts';
import type { Asked } from './method.ts';
import { operationHeaders } from './operation-headers.ts';
import type { Operation, OperationPlace, Outcome } from './subscription.ts';

/** What a write still has to do after its answer. */
export interface Work {
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
  const { subscription, now, blur } = asked;
  const operation: Operation = {
    id: freshGuid(subscription.random),
    place: work.place,
    on: work.on,
    time: { started: now, due: now + work.ms },
    outcome: { status: 'InProgress' },
  };
  subscription.operations.set(operation.id, operation);
  subscription.running.set(work.on, operation);
  const { failure } = blur;
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
