import { refused } from './errors.ts';
import type { Asked } from './method.ts';
import { operationUrl } from './operation-headers.ts';
import type { Tracked } from './records.ts';
import type { Operation, Subscription } from './subscription.ts';

/**
 * What a write must wait for, and how it is told so:
 *
 * | under way is an operation on | status | code, in `details` |
 * |---|---|---|
 * | the resource itself | 429 | RetryableError, RetryableErrorDueToAnotherOperation |
 * | its parent, or a sibling in it | 409 | AnotherOperationInProgress |
 * | a resource that it refers to | 429 | RetryableError, ReferencedResourceNotProvisioned |
 *
 * As recorded in https://github.com/kubernetes-sigs/cluster-api-provider-azure/issues/4385,
 * https://github.com/hashicorp/terraform-provider-azurerm/issues/3780 and https://github.com/hashicorp/terraform/issues/7986.
 */
export function refuseWhileBusy({ subscription, now }: Asked, { id, path }: Tracked): void {
  const running = subscription.running.get(id);
  if (!running) return;
  const seconds = Math.max(1, Math.ceil((running.time.due - now) / 1000));
  throw retryable(
    'RetryableErrorDueToAnotherOperation',
    `Operation ${running.id} is updating resource ${path}. The call can be retried in ${seconds} seconds.`,
    seconds,
  );
}

/** For a child of `parent`. */
export function refuseWhileParentBusy(asked: Asked, parent: Tracked): void {
  const running = asked.subscription.running.get(parent.id);
  if (running) throw anotherOperation(asked, running);
}

/** For a resource, `from`, that is to refer to another. */
export function refuseUnprovisioned({ running }: Subscription, from: string, to: Tracked): void {
  if (!running.has(to.id)) return;
  throw retryable(
    'ReferencedResourceNotProvisioned',
    `Cannot proceed with operation because resource ${to.path} used by resource ${from} is not in Succeeded state. Resource is in ${to.version.state} state.`,
    1,
  );
}

function retryable(code: string, message: string, retryAfter: number): Error {
  return refused('RetryableError', 'A retryable error occurred.', {
    status: 429,
    details: [{ code, message }],
    retryAfter,
  });
}

function anotherOperation(asked: Asked, { id, place }: Operation): Error {
  const url = operationUrl(asked, place, `operations/${id}`);
  return refused(
    'AnotherOperationInProgress',
    `Another operation on this or dependent resource is in progress. To retrieve status of the operation use uri: ${url}.`,
    { details: [] },
  );
}
