import { createHash } from 'node:crypto';
import type { Table } from '../table.ts';
import { alreadyExists, invalid, notFound, notReady, required } from './errors.ts';
import { linkTo, pathTo, referenceTo } from './place.ts';
import type { Project } from './project.ts';
import type { Json, Resource } from './records.ts';

/** The record that this read sees; reads may lag behind writes. */
export function seen<T extends Resource>(project: Project, table: Table<T>, id: string): T {
  const record = table.see(id);
  if (!record) throw notFound(pathTo(project, id));
  return record;
}

/** The current record that a write changes. A record that was just created is unknown for a moment. */
export function target<T extends Resource>(project: Project, table: Table<T>, id: string): T {
  const record = table.target(id);
  if (!record) throw notFound(pathTo(project, id));
  return record;
}

/** The record that a field of a write's body names. It must exist, and no operation may hold it. */
export function referenced<T extends Resource>(
  project: Project,
  { table, collection }: { readonly table: Table<T>; readonly collection: string },
  { value, field }: { readonly value: string; readonly field: string },
): T {
  const id = referenceTo(project, collection, { value, field });
  if (!table.get(id) && project.held.has(id)) throw notReady(pathTo(project, id));
  const record = table.target(id);
  if (!record) throw invalid(field, value, `The referenced ${collection.slice(0, -1)} resource cannot be found.`);
  if (project.held.has(id)) throw notReady(pathTo(project, id));
  return record;
}

/** Refuses an id that something has, or is about to have. */
export function mustBeFree<T extends Resource>(project: Project, table: Table<T>, id: string): void {
  if (table.get(id) || project.held.has(id)) throw alreadyExists(pathTo(project, id));
}

const LONGEST_DESCRIPTION = 2048;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/firewalls; the same length is assumed of all descriptions. */
export function checkedDescription(description: string | undefined): string | undefined {
  if (description !== undefined && description.length > LONGEST_DESCRIPTION)
    throw invalid('resource.description', description, `Must be at most ${LONGEST_DESCRIPTION} characters.`);
  return description;
}

/** The fields that every resource has. `kind` without its prefix: `network`. */
export function resourceJson(project: Project, kind: string, record: Resource): Json {
  const { number, name, createdAt, description, id } = record;
  return {
    kind: `compute#${kind}`,
    id: number,
    creationTimestamp: timestamp(createdAt),
    name,
    ...(description === undefined ? {} : { description }),
    selfLink: linkTo(project, id),
  };
}

/** Without the fields that are undefined: the API shows no null. */
export function shown(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** RFC 1035, as the discovery document has it for the name of every resource. */
const NAME = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** `field` as errors name it: `resource.name`. */
export function checkedName(name: string | undefined, field = 'resource.name'): string {
  if (!name) throw required(field);
  if (!NAME.test(name)) throw invalid(field, name, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
  return name;
}

const PACIFIC_MS = -8 * 3_600_000;

/**
 * RFC 3339 as Compute Engine writes it: milliseconds, and Pacific time with its offset, as in the answers that
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/operations shows. The sandbox knows no summer time.
 */
export function timestamp(at: number): string {
  return new Date(at + PACIFIC_MS).toISOString().replace('Z', '-08:00');
}

/**
 * Google's fingerprint of no labels and of no tags:
 * https://github.com/aquasecurity/cloudsploit/blob/master/plugins/google/compute/instanceDeletionProtection.spec.js
 */
const EMPTY_FINGERPRINT = '42WmSpB8rSM=';

type Content = ReadonlyMap<string, unknown> | readonly unknown[];

/**
 * Eight bytes in base64 for URLs, padded, over the content alone: equal content has an equal fingerprint, in whatever
 * order the keys of a map or the items of a set came.
 */
export function fingerprint(content: Content): string {
  const parts = [...content].map((part) => JSON.stringify(part)).sort();
  if (parts.length === 0) return EMPTY_FINGERPRINT;
  return createHash('sha256').update(parts.join('\n')).digest().subarray(0, 8).toString('base64url').padEnd(12, '=');
}
