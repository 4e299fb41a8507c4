import type { Table } from '../table.ts';
import { alreadyExists, notReady } from './conflicts.ts';
import { invalid, notFound } from './errors.ts';
import { pathTo, referenceTo } from './place.ts';
import type { Project } from './project.ts';
import type { Resource } from './records.ts';

/** What a reader is told of. */
export function seen<T extends Resource>(project: Project, table: Table<T>, id: string): T {
  const record = table.see(id);
  if (!record) throw notFound(pathTo(project, id));
  return record;
}

/** What a write is about: the truth, once the cloud knows what was just created. */
export function target<T extends Resource>(project: Project, table: Table<T>, id: string): T {
  const record = table.target(id);
  if (!record) throw notFound(pathTo(project, id));
  return record;
}

/** What a write refers to in a field of its body: it must be there, and nothing be at work on it. */
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
