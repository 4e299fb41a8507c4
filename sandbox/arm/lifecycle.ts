import type { Table } from '../table.ts';
import { refuseWhileBusy } from './busy.ts';
import { checkConditions, freshEtag } from './etag.ts';
import { freshGuid } from './guid.ts';
import { type Kind, shown } from './kind.ts';
import type { Asked, Reply } from './method.ts';
import { begin } from './operation.ts';
import type { Tracked } from './records.ts';
import { keyOf } from './resource-id.ts';
import type { OperationPlace } from './subscription.ts';

/** What every write checks first: preconditions, then whether the resource is busy. */
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

/** What else happens when a write's operation is done, or has failed. */
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
