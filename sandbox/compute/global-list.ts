import type { Table } from '../table.ts';
import { list, seenIn } from './listing.ts';
import type { Read } from './method.ts';
import type { Project } from './project.ts';
import type { Json, Resource } from './records.ts';

/** The list method of what is in no region and no zone; `one` is what its kind calls one of them: `firewall`. */
export function globalList<T extends Resource>(
  one: string,
  tableOf: (project: Project) => Table<T>,
  render: (project: Project, record: T) => Json,
): Read['run'] {
  return (context, asked) =>
    list(context, asked, 'global', {
      collection: `${one}s`,
      kind: `compute#${one}List`,
      records: seenIn(tableOf(context.project)),
      render: (record) => render(context.project, record),
    });
}
