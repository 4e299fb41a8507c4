import type { Table } from '../table.ts';
import { refused } from './errors.ts';
import { checkConditions, freshEtag } from './etag.ts';
import { type Kind, shown } from './kind.ts';
import type { Asked, Reply } from './method.ts';
import { begin, operationUrl } from './operation.ts';
import type { Tracked } from './records.ts';
import { freshGuid, keyOf } from './resource-id.ts';
import type { Operation, OperationPlace, Subscription } from './subscription.ts';

/** Every write first checks preconditions, then refuses a busy resource. */
export function checkWritable({ request, ...asked }: Asked, known: Tracked | undefined, path: string): void {
  checkConditions({ headers: request.headers, path }, known?.version.etag);
  if (known) refuseWhileBusy({ request, ...asked }, known);
}

/** The parts of a record that no body says: kept from the first creation on, but for the etag, which moves. */
export function identity({ subscription, now }: Asked, known: Tracked | undefined, path: string) {
  return {
    id: keyOf(path),
    path: known?.path ?? path,
    guid: known?.guid ?? freshGuid(subscription.random),
    version: { etag: freshEtag(subscription.random), state: 'Updating', changedAt: now },
  } as const;
}

/** Further effects at the end of a write's operation. */
interface Ends<T> {
  readonly atEnd?: (record: T) => T;
  readonly onFailed?: () => void;
}

/**
 * Puts a record that is to be seen at once, in state `Updating`, and `Succeeded` with another etag when its operation
 * is done; what `atEnd` changes comes only then. A fault may fail the operation: then all is as before, but for the
 * state, which is `Failed`.
 */
export function write<T extends Tracked>(
  asked: Asked,
  kind: Kind<T>,
  record: T,
  { atEnd = (last) => last, onFailed = () => {} }: Ends<T> = {},
): Readonly<Record<string, string>> {
  const table = kind.table(asked);
  const known = table.get(record.id);
  moved(asked, table, record, 'Updating');
  return begin(asked, {
    place: placeOf(kind, record),
    on: record.id,
    ms: asked.subscription.durations.networkWrite,
    succeed: () => moved(asked, table, atEnd(table.get(record.id) ?? record), 'Succeeded'),
    fail: () => {
      moved(asked, table, known ?? table.get(record.id) ?? record, 'Failed');
      onFailed();
    },
  });
}

/** The answer to a PUT. */
export function written<T extends Tracked>(
  asked: Asked,
  kind: Kind<T>,
  record: T,
  onFailed: () => void = () => {},
): Reply {
  const status = kind.table(asked).get(record.id) ? 200 : 201;
  const headers = write(asked, kind, record, { onFailed });
  return shown(asked, kind, { record: kind.table(asked).get(record.id) ?? record, status, headers });
}

/** The answer to a DELETE of something that may go: 204 when it is not there. */
export function removed<T extends Tracked>(
  asked: Asked,
  kind: Kind<T>,
  record: T,
  onGone: () => void = () => {},
): Reply {
  const table = kind.table(asked);
  moved(asked, table, record, 'Deleting');
  const headers = begin(asked, {
    place: placeOf(kind, record),
    on: record.id,
    ms: asked.subscription.durations.networkDelete,
    fail: () => moved(asked, table, record, 'Failed'),
    succeed: () => {
      table.remove(record.id);
      onGone();
    },
  });
  return { status: 202, headers };
}

/** Another etag, and where the record now stands. */
export function moved<T extends Tracked>(
  { subscription, now }: Asked,
  table: Table<T>,
  record: T,
  state: T['version']['state'],
): T {
  return table.put({ ...record, version: { etag: freshEtag(subscription.random), state, changedAt: now } });
}

function placeOf<T extends Tracked>({ type }: Kind<T>, { location }: T): OperationPlace {
  const namespace = type.startsWith('Microsoft.Compute/') ? 'Microsoft.Compute' : 'Microsoft.Network';
  return { namespace, location };
}

/**
 * The operations that make ARM refuse a write:
 *
 * | running operation on | status | code, in `details` |
 * |---|---|---|
 * | the resource itself | 429 | RetryableError, RetryableErrorDueToAnotherOperation |
 * | its parent, or a sibling in it | 409 | AnotherOperationInProgress |
 * | a resource that it refers to | 429 | RetryableError, ReferencedResourceNotProvisioned |
 *
 * As recorded in https://github.com/kubernetes-sigs/cluster-api-provider-azure/issues/4385,
 * https://github.com/hashicorp/terraform-provider-azurerm/issues/3780 and https://github.com/hashicorp/terraform/issues/7986.
 */
function refuseWhileBusy({ subscription, now }: Asked, { id, path }: Tracked): void {
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
