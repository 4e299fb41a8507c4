import type { Table } from '../table.ts';
import { refused } from './errors.ts';
import type { Asked, Reply } from './method.ts';
import type { Tracked } from './records.ts';
import { keyOf, nameOf } from './resource-id.ts';

/** One type of tracked resource of Microsoft.Network: where it is kept and how answers show it. */
export interface Kind<T extends Tracked> {
  readonly table: (asked: Asked) => Table<T>;
  /** `Microsoft.Network/virtualNetworks` */
  readonly type: string;
  /** Made once for a request: what it looks up for all records it looks up then. */
  readonly renderer: (asked: Asked) => (record: T) => object;
}

/** A resource as the table has it now; refused with 404 when there is none. */
export function trueRecord<T extends Tracked>(asked: Asked, kind: Kind<T>, path: string): T {
  const found = kind.table(asked).get(keyOf(path));
  if (!found) throw notFound(kind.type, path);
  return found;
}

/** A resource as this reader is told. */
export function seenRecord<T extends Tracked>(asked: Asked, kind: Kind<T>, path: string): T {
  const found = kind.table(asked).see(keyOf(path));
  if (!found) throw notFound(kind.type, path);
  return found;
}

/** https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-not-found */
export function notFound(type: string, path: string): Error {
  const [, group = ''] = /\/resourceGroups\/([^/]+)/i.exec(path) ?? [];
  return refused(
    'ResourceNotFound',
    `The Resource '${type}/${nameOf(path)}' under resource group '${group}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`,
  );
}

interface Shown<T> {
  readonly record: T;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A resource in an answer, its etag in the header too. */
export function shown<T extends Tracked>(
  asked: Asked,
  kind: Kind<T>,
  { record, status, headers = {} }: Shown<T>,
): Reply {
  return { status, headers: { ...headers, etag: record.version.etag }, body: kind.renderer(asked)(record) };
}
