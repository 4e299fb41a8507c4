import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Json, Resource } from './records.ts';
import { timestamp } from './timestamp.ts';

/** What every resource shows first. `kind` without its prefix: `network`. */
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
